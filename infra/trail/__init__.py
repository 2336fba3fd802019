"""The trail: who did and read what, its digests, and what an audit finds changed in it."""

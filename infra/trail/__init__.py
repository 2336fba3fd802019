"""The trail: who did and read what, its digests, and the audit of it."""

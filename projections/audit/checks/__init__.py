"""What an audit checks.

`round_check.py`, `posting_check.py` and `floor_check.py` check events against `domain/`, and `claim_tally.py` matches
what rounds and floor say of each other. `projection_check.py` checks the projections' tables, `log_check.py` the
transparency log, `database_check.py` the trail and the schema."""

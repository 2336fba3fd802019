"""What an audit checks.

`round_check.py` checks the rounds of a part, `selected_round_check.py` only those in scope; `floor_check.py`,
`posting_check.py` and `slip_check.py` check everything else against `domain/`, and `claim_tally.py` matches what rounds
and floor say of each other. `closing_check.py` checks balances that were signed, `projection_check.py` the projections'
tables, `log_check.py` the transparency log, `database_check.py` the trail and the schema."""

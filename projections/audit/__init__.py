"""Running audits: stored events are read in parts, rounds and floor are decided again, findings are collected.

`scope.py` says what is audited, `event_source.py` where events come from; `round_check.py` and `floor_check.py` check
them against `domain/`, `claim_tally.py` matches what rounds and floor say of each other, `projection_check.py` checks
the projections' tables, `log_check.py` the transparency log, and `run.py` runs everything, in one process or in
several. `whatif_history.py` settles past rounds under other rules."""

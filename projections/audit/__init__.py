"""Running audits: stored events are read in parts, rounds and floor are decided again, findings are collected.

`scope.py` says what is audited, `event_source.py` where events come from; `checks/` compares them, and `run.py` runs
everything, in one process or in several. `whatif_history.py` settles past rounds under other rules."""

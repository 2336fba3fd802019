"""The audit as it runs: stored events read in pages, rounds and floor decided again, findings and counts gathered.

`scope.py` says what is audited, `source.py` where events come from, `rounds.py` and `floor.py` hold them against
`domain/`, `tally.py` matches what rounds and floor say of each other, `projected.py` holds the reports' tables against
the events, and `running.py` does all of it, in one process or in several.
"""

"""One round as evidence: a zip file that somebody who does not trust us can check without us.

`sources.py` reads what is needed from the ledger, `bundle.py` makes the files, `zip_file.py` packs them always in the
same way, and `verification.py` checks such a file with neither database nor network.
"""

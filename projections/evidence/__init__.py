"""One round as evidence: a zip that somebody who does not trust us can check without us.

gathering.py takes what is needed out of the ledger, bundle.py makes the files of it, zips.py puts them together
always in the same way, verifying.py checks such a file with neither database nor network.
"""

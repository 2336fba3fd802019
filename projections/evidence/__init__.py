"""Evidence bundles: a zip file that proves one round to somebody who does not trust us, without our help.

`sources.py` reads what is needed from the ledger, `bundle.py` makes the files, `zip_file.py` packs them reproducibly,
and `verification.py` checks such a file with neither database nor network."""

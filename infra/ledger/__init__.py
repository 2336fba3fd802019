"""The use cases of the ledger: record, play, annotate, run the floor, settle disputes, replay."""

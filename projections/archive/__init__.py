"""Event archives: the ledger's events in Parquet files by property, gaming day and table, with their proofs.

    DIR/manifest.json                                   what is in it, and up to where
    DIR/log/checkpoint, keys, leaves                    the log's signed checkpoint, its keys, the hashes of all leaves
    DIR/property=P/gaming_day=D/table=T/rounds-1.parquet  whole rounds that opened on that day at that table
    DIR/property=P/gaming_day=D/table=T/floor-1.parquet   what else happened there on that day

A round is in one file from its first event to its last. Every row has its index in the log, so that each event can be
checked against the checkpoint. An archive never contains the opening of a seal."""

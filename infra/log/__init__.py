"""The transparency log: every event is a leaf of one Merkle tree, sealed in order, with signed roots.

leaves.py and merkle.py define what is hashed; tiles.py, signed_notes.py and checkpoints.py what is published; proofs.py
what a third party needs for one event. sealer.py writes the log, stored_log.py reads it, and checks/ compares the
stored events with it. The formats are those of RFC 6962 and of C2SP (tlog-tiles, tlog-checkpoint, signed-note,
tlog-proof, tlog-cosignature), so that other programs can check what we publish."""

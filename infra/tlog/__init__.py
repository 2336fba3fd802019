"""The transparency log: every event a leaf of one Merkle tree, sealed in order, its roots signed.

What is hashed and how is in leaves.py and merkle.py, what is published in tiles.py, notes.py and checkpoints.py, what a
stranger needs for one event in proofs.py. sealer.py writes the log, reading.py reads it, checking.py holds the stored
events against it. The formats are those of RFC 6962 and of C2SP (tlog-tiles, tlog-checkpoint, signed-note, tlog-proof,
tlog-cosignature), so that programs of others can check what we say.
"""

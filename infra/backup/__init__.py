"""Backups of the whole database server, and restoring them.

A backup folder (the target) holds one subfolder per backup, named by its time, and `wal/` with the write-ahead log that
`--follow` receives. PostgreSQL's own programs copy and recover the data; a manifest of ours has a hash of every file.
"""

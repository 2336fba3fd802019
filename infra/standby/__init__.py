"""A standby: a second server that receives every commit and takes over when the first is lost.

PostgreSQL streams its write-ahead log to it, and a commit is acknowledged when both have it on disk. The primary keeps
a replication slot for the standby: if the slot exists, a standby is expected, and nothing is sealed that it lacks."""

SLOT = "roundledger_standby"  # the slot on the primary, and the name under which the standby connects

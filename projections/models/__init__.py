"""The read models, one file each."""

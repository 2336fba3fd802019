"""What callers may see: one query per resource, with the record of who looked."""

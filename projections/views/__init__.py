"""What callers may see of each resource: its queries, its form, and the record of who looked."""

"""What callers may see of rounds: one, a search for some, and its replay step by step."""

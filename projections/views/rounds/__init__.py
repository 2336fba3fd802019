"""What callers may see of rounds: one, and its replay step by step."""

"""Closing the books: what a day still lacks, what it came to, and the two steps that close it."""

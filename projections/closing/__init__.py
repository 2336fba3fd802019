"""Closing the books: what a day lacks, its balances, and the two steps that close it."""

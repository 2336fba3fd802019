"""Closing the books: what a day lacks, and the two steps that close it."""

"""Searching: rounds by what is remembered of them, and anything by an id, a name or a date."""

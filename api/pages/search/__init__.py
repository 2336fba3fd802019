"""Search pages: rounds by what is remembered of them, saved searches, and anything by an id or a name."""

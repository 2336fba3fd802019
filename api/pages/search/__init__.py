"""Pages that find: rounds by what is remembered of them, searches that were saved, anything by an id or a name."""

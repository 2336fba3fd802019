"""One round of play: what may be done, what happened, and the resulting state."""

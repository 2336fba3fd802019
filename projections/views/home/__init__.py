"""The first page: what waits for the caller, and the figures of the last gaming day."""

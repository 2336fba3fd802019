"""The first page: what waits for whoever looks, and the figures of the last gaming day."""

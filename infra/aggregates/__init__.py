"""Aggregates in this process: loading, caching and changing them."""

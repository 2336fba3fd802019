"""Disputes from claim to ruling, and what-if questions."""

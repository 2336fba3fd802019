"""Stored events checked against the rules, and the findings."""

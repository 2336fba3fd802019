"""Disputes from the claim to the ruling."""

"""Projections of what a regulator asks for."""

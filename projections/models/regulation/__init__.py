"""Projections for the regulator."""

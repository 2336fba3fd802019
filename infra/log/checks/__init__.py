"""Checks of the stored events against the transparency log."""

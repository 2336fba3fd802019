"""Removing data whose retention has passed, and the legal holds that prevent it. Events are never removed."""

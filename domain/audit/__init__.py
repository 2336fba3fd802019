"""Checks of stored events against the rules, and their findings; events about the record itself."""

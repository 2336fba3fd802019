"""Everything that people and machines hold: checked against the role matrix, and listed for the quarterly review."""

"""The floor around the rounds: table sessions, drop boxes, meters, bettors."""

"""The rules of the games and of the money. Pure: no clock, no I/O, no randomness."""

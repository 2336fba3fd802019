"""The rules of the games and of the money: pure, with no clock, no I/O and no randomness."""

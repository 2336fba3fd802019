"""The worth of hands of cards."""

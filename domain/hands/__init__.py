"""Values of hands of cards."""

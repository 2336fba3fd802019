"""Commands for what a regulator asks of a property."""

"""Round documents in, result documents out."""

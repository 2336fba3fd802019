"""Slips on the read side: what the cage and the books see of them, the printed paper, and their audit."""

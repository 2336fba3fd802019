"""Read models folded from the stored events; each can be thrown away and rebuilt."""

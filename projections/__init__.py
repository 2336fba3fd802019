"""Read models computed from the stored events; each can be dropped and rebuilt."""

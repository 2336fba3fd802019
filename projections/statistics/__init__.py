"""Drop, win, hold and fees, and whether chance explains what was won."""

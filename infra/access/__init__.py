"""Staff, passwords, sessions, and the trail of who did and read what."""

"""Staff, roles, passwords, sessions, tokens and signatures."""

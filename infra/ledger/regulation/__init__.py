"""What a property does for its regulator: choose terms, post them, designate tables, and state facts about rounds."""

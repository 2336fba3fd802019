"""What a property does for its regulator: choose and post terms, designate tables, and state facts about rounds."""

"""What a regulator asks of a property beyond its rounds: its choices, postings and designations, and facts about
play."""

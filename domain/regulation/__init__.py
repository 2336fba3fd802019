"""What a regulator asks of a property beyond its rounds: what it chose, posted and designated, and facts about play."""

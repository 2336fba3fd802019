"""What searches ask for, and how what they find is shown."""

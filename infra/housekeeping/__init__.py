"""What is removed once its retention has passed, and the legal holds that keep it. Never anything of the record."""

"""What chance explains of what was won, and explanations of what it does not."""

"""What people and machines hold, looked at as a whole: against the role matrix, and for the quarterly sign-off."""

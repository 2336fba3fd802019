"""The property's gaming days, shifts and clock."""

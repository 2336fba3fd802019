"""A round as people see it: the table at each step, and each event in words."""

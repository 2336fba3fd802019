"""Reports: what each one selects, and how it is run and written."""

"""Rule sets as data: the model, the files, and what a table may choose within them."""

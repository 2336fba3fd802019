"""Bodies and answers of the books: closings, slips, cash."""

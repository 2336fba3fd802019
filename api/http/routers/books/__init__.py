"""The routers of the books: closings, journals, slips, cash."""

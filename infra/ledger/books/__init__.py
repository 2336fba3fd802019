"""The use cases of the books: closing days and months, slips, cash."""

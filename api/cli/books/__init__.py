"""The commands of the books: closing days, slips, cash."""

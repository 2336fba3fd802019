"""The pages of the books: closing days, slips, the cage."""

"""Pages of books and people: home, drop, trays, days, reports, bettors, staff."""

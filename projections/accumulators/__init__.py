"""What projections remember of each aggregate in order to understand its next event; one accumulator for each kind."""

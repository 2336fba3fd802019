"""What projections remember of each aggregate to handle its next event; one accumulator per kind."""

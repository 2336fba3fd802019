"""Aggregates as this process knows them: loaded, kept between commands, changed."""

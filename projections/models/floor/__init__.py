"""Projections of tables, boxes, trays, meters and the rotation of the bank."""

"""The read models of closed days, slips and cash."""

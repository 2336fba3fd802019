"""The books of the property: days and months that are closed, slips, cash."""

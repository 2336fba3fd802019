"""The books of the property: closed days and months, slips, cash."""

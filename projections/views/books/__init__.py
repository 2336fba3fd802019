"""Views for accounting and the cage: closed days, the journal in the property's own accounts, slips and cash."""

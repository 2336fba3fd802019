"""The journal in the property's own accounts, cash, and counts by machine, as accounting and the cage see them."""

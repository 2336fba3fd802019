"""The bodies that are taken and given, by resource."""

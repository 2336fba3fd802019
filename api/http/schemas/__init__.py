"""Request and response bodies, by resource."""

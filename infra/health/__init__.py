"""The state of an installation: metrics to monitor, and checks with advice."""

"""The state of an installation: figures to monitor, and checks with advice."""

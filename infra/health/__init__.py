"""Whether an installation is in order: figures to watch, and checks that say what to do."""

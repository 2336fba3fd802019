"""Tests, by the part of the project they hold; see docs/architecture.md."""

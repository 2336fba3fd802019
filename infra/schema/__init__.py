"""The database schema: migrations, and the catalogue that the audit compares."""

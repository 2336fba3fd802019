"""Commands for operators: serving, backups, standby, upgrades, housekeeping, health."""

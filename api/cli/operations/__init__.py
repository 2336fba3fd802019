"""Commands for whoever runs an installation: serving, backups, standby, upgrades, housekeeping, health."""

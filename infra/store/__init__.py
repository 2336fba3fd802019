"""The event store on PostgreSQL: schema, append, read, notify."""

"""The event store on PostgreSQL, and all else that touches the world outside."""

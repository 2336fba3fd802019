"""The event store on PostgreSQL, the use cases of the ledger, and everything else with side effects."""

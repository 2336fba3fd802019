"""Pages of tables and rounds: floor, dealer, hands, replay, disputes, audit, rules."""

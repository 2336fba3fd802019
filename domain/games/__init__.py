"""The game families: order of play, verdicts on wagers, and order of settlement."""

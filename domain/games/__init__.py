"""The three game families: order of play, the verdict on each wager, the order of settlement; nothing else."""

"""Every mistake in a rule-set file at once, for the people who write one."""

"""What every way into the service shares: settings, who calls, problems, safe retries, the process."""

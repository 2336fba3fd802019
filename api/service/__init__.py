"""What all interfaces of the service share: settings, callers, problems, safe retries, the process."""

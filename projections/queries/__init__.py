"""Questions asked of the read models: reports, searches, summaries."""

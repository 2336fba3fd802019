"""Reports as files: CSV, spreadsheets, PDF, charts, accounting formats."""

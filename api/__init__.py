"""The interfaces: command line, HTTP service, pages and reports."""

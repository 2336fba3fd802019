"""The way in and out: command line, HTTP service, pages and reports."""

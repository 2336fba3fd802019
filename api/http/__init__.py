"""The HTTP service: FastAPI over the ledger, the floor's commands and the reports."""

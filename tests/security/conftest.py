"""Attacks by people inside: the service with tokens of every role, over a real PostgreSQL."""

from tests.api.service import client

__all__ = ["client"]

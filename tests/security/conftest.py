"""Attacks by people inside: the service with tokens of every role, over a real PostgreSQL."""

from __future__ import annotations

from tests.api.serving import service_url
from tests.ledger.conftest import new_ledger, server_url

__all__ = ["new_ledger", "server_url", "service_url"]

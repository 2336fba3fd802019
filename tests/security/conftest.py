"""Attacks by people inside: the service with tokens of every role, over a real PostgreSQL."""

from __future__ import annotations

from tests.api.serving import server_url, service_url

__all__ = ["server_url", "service_url"]

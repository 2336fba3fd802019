"""Fixtures of tests in which somebody inside tries what they must not."""

from tests.ledger.conftest import new_ledger, server_url

__all__ = ["new_ledger", "server_url"]

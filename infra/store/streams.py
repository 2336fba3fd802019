"""Ids of aggregates, from their kind and the name that people use."""

from __future__ import annotations

from functools import lru_cache
from uuid import UUID, uuid5

NAMESPACE = UUID("6f1c2f0e-8a55-4f0e-9a3c-2b7f2f4e5d11")


@lru_cache(8192)  # needed again for each action of a round
def stream_id(kind: str, name: str) -> UUID:
    """Return the id of an aggregate's stream of events: `stream_id("round", "r-0001")`."""
    return uuid5(NAMESPACE, f"{kind}/{name}")

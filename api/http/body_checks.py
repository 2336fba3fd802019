"""Bodies that the engine checks itself: described in full, and read as they were sent.

A body that fits its schema but that the rules refuse is 409, not 400 (decision 20). One that does not fit is 400."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pydantic import TypeAdapter, ValidationError

from api.http.schemas.rounds import Action, PlayerDealer
from api.service.problems import of_refusal
from domain.errors import BadDocument

_ACTION: TypeAdapter[Any] = TypeAdapter(Action)
_PLAYER_DEALER: TypeAdapter[Any] = TypeAdapter(PlayerDealer)


@contextmanager
def engine_checked(actions: Iterator[Any] | Any, player_dealer: Any = None) -> Iterator[None]:
    """Refuse as 400 what the engine refuses in the body and that does not fit its schema either."""
    try:
        yield
    except BadDocument as refusal:
        try:
            for action in actions:
                _ACTION.validate_python(action)
            if player_dealer is not None:
                _PLAYER_DEALER.validate_python(player_dealer)
        except ValidationError:
            raise of_refusal(refusal) from None
        raise

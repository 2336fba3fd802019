"""Refusals: one small hierarchy, each with a stable code, the facts and the clause."""

from __future__ import annotations

from typing import TypeVar


class Refusal(Exception):
    """A document, action or command that the rules do not allow. Nothing was changed."""

    code = "bad_document"

    def __init__(self, detail: str, clause: str | None = None) -> None:
        super().__init__(detail)
        self.detail = detail
        self.clause = clause
        self.action: int | None = None  # index of the refused one in a document's actions


class CannotReplay(Exception):
    """Stored events that no play leads to: the round lacks something that the next event, or a rule, needs."""


T = TypeVar("T")


def needed(value: T | None) -> T:
    """Return a value that every played round has at this point; only forged events lack it."""
    if value is None:
        raise CannotReplay("The round lacks what comes before this.")
    return value


class BadDocument(Refusal):
    """Not JSON, a wrong type, an unknown key or word, an impossible card, seat or amount."""

    code = "bad_document"


class UnknownRuleset(Refusal):
    code = "unknown_ruleset"


class BadTerms(Refusal):
    """Terms that the rule set does not allow."""

    code = "bad_terms"


class OutOfTurn(Refusal):
    """A known action that may not happen now."""

    code = "out_of_turn"


class BadChoice(Refusal):
    """The bettor may act, but not with this choice, multiple, spot or amount."""

    code = "bad_choice"


class OverLimit(Refusal):
    """A wager outside the limits, off the chip unit, or over the customer limit."""

    code = "limit"


class MissingWager(Refusal):
    """A wager without another one that it needs, or no wager at all."""

    code = "missing_wager"


class DuplicateCard(Refusal):
    """More copies of a card than the decks hold."""

    code = "duplicate_card"


class WrongCards(Refusal):
    """A wrong number of cards, or cards that contradict what was dealt."""

    code = "wrong_cards"


class Rotation(Refusal):
    """The player-dealer may not bank this round."""

    code = "rotation"


class Conflict(Refusal):
    """The round or the table has moved on since."""

    code = "conflict"


class SecondPersonNeeded(Refusal):
    """One person alone may no longer do this."""

    code = "forbidden"

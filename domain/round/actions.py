"""The actions of a round document, as a terminal posts them: only their shape.

`decide` checks whether an action may happen now. A missing field is UNSET, so that a null in its place is still refused
as a wrong type."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from domain.errors import BadDocument
from domain.money import MONEY_PATTERN
from domain.shape_errors import in_words

MoneyText = Annotated[str, Meta(pattern=MONEY_PATTERN)]
Id = Annotated[str, Meta(pattern=r"\A[a-z0-9][a-z0-9-]{0,39}\Z")]
# fmt: off
Card = Literal[
    "2c", "3c", "4c", "5c", "6c", "7c", "8c", "9c", "Tc", "Jc", "Qc", "Kc", "Ac",
    "2d", "3d", "4d", "5d", "6d", "7d", "8d", "9d", "Td", "Jd", "Qd", "Kd", "Ad",
    "2h", "3h", "4h", "5h", "6h", "7h", "8h", "9h", "Th", "Jh", "Qh", "Kh", "Ah",
    "2s", "3s", "4s", "5s", "6s", "7s", "8s", "9s", "Ts", "Js", "Qs", "Ks", "As",
]
SpotName = Literal[
    "ante", "blind", "trips", "play", "progressive", "envy", "pair_plus", "six_card",
    "game", "buster", "red_flex", "insurance", "double",
]
Choice = Literal[
    "check", "raise", "fold", "play", "insure", "hit", "stand", "double", "split", "surrender",
]
# fmt: on
Kind = Literal["backline", "toke"]


class _Action(Struct, frozen=True, forbid_unknown_fields=True, gc=False, tag_field="do"):
    """Cannot be part of a cycle, so the garbage collector need not track it."""


class Bet(_Action, frozen=True, tag="bet"):
    seat: int
    spot: SpotName
    amount: str  # `decide` checks the form first: most are the same few, which it has cached
    bettor: Id | UnsetType = UNSET
    kind: Kind | UnsetType = UNSET


class Withdraw(_Action, frozen=True, tag="withdraw"):
    seat: int
    spot: SpotName
    amount: str | UnsetType = UNSET  # left out: all of it
    bettor: Id | UnsetType = UNSET


class CloseBets(_Action, frozen=True, tag="close_bets"):
    pass


class Deal(_Action, frozen=True, tag="deal"):
    to: int | Literal["dealer", "board", "burn"]
    cards: tuple[Card | None, ...]
    hand: int | UnsetType = UNSET


class Reveal(_Action, frozen=True, tag="reveal"):
    of: int | Literal["flop", "turn_river", "dealer"]
    cards: tuple[Card | None, ...] | UnsetType = UNSET


class Decide(_Action, frozen=True, tag="decide"):
    seat: int
    choice: Choice
    times: int | UnsetType = UNSET
    amount: MoneyText | UnsetType = UNSET
    hand: int | UnsetType = UNSET
    bettor: Id | UnsetType = UNSET


class Peek(_Action, frozen=True, tag="peek"):
    pure: bool | UnsetType = UNSET


class Settle(_Action, frozen=True, tag="settle"):
    pass


class Void(_Action, frozen=True, tag="void"):
    reason: Literal["misdeal", "malfunction", "irregularity"]
    detail: str | UnsetType = UNSET


class ReadMeter(_Action, frozen=True, tag="read_meter"):
    """What a meter shared with other tables showed. Not in documents, because only a ledger knows."""

    shown: MoneyText
    reserve: MoneyText


class TakeBack(_Action, frozen=True, tag="take_back"):
    """The last entry was a mistake. Not in documents, which can leave the mistake out."""

    reason: str
    confirmed_by: Id | None = None


Action = Bet | Withdraw | CloseBets | Deal | Reveal | Decide | Peek | Settle | Void

Fact = Action | ReadMeter | TakeBack  # an action derived from stored events


def parse_action(raw: Any) -> Action:
    """Parse one action of a document or a request. Raises BadDocument for a wrong shape."""
    try:
        return msgspec.convert(raw, Action)  # type: ignore[no-any-return]
    except msgspec.ValidationError as error:
        raise BadDocument(f"The action cannot be read: {in_words(error)}.") from None

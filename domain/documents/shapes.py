"""The shape of a round document: its keys and their types."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType

from domain.round.actions import Action, Id, MoneyText
from domain.rules.file_schema import RuleSetFile
from domain.rules.terms import TermsDocument


class PlayerDealerDocument(Struct, frozen=True, forbid_unknown_fields=True):
    seat: int
    wager: MoneyText
    bettor: Id | UnsetType = UNSET
    declined: tuple[int, ...] | UnsetType = UNSET


class DocumentKeys(Struct, frozen=True, forbid_unknown_fields=True):
    """The keys of any document; its objects and actions are checked later, in the contract's order."""

    ruleset: str
    actions: list[Any]
    round: Id | UnsetType = UNSET
    table: Id | UnsetType = UNSET
    terms: dict[str, Any] | UnsetType = UNSET
    player_dealer: dict[str, Any] | UnsetType = UNSET
    players: dict[str, Any] | UnsetType = UNSET


class PlainDocument(Struct, frozen=True, forbid_unknown_fields=True):
    """A document whose every part has its shape, down to the last action."""

    ruleset: str
    actions: list[Action]
    round: Id | UnsetType = UNSET
    table: Id | UnsetType = UNSET
    terms: TermsDocument | UnsetType = UNSET
    player_dealer: PlayerDealerDocument | UnsetType = UNSET
    players: dict[str, Id] | UnsetType = UNSET


# msgspec builds a decoder when it first meets a type, and two threads doing so at once crash the process. Here they are
# built while only one thread imports.
for _shape in (DocumentKeys, PlainDocument, PlayerDealerDocument, TermsDocument, Action, RuleSetFile):
    msgspec.json.Decoder(_shape)

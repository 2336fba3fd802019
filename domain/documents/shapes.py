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
    """Any document; what is inside its objects and actions is checked later, in the contract's order."""

    ruleset: str
    actions: list[Any]
    round: Id | UnsetType = UNSET
    table: Id | UnsetType = UNSET
    terms: dict[str, Any] | UnsetType = UNSET
    player_dealer: dict[str, Any] | UnsetType = UNSET
    players: dict[str, Any] | UnsetType = UNSET


class PlainDocument(Struct, frozen=True, forbid_unknown_fields=True):
    """A document in which everything has its shape, down to the last action."""

    ruleset: str
    actions: list[Action]
    round: Id | UnsetType = UNSET
    table: Id | UnsetType = UNSET
    terms: TermsDocument | UnsetType = UNSET
    player_dealer: PlayerDealerDocument | UnsetType = UNSET
    players: dict[str, Id] | UnsetType = UNSET


# msgspec builds what it needs for a type when it first meets it, and two threads that do so at once end the whole
# process: here it meets them while only one thread imports.
for _shape in (DocumentKeys, PlainDocument, PlayerDealerDocument, TermsDocument, Action, RuleSetFile):
    msgspec.json.Decoder(_shape)

"""Round documents: one line of JSON in, one result out. Errors are reported in the result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from domain.documents.fast_reader import read_plain
from domain.documents.json_reader import read_json
from domain.documents.result import refused, result_of
from domain.documents.shapes import DocumentKeys, PlainDocument, PlayerDealerDocument
from domain.errors import BadDocument, Refusal
from domain.money import positive_cents
from domain.round.actions import Id
from domain.round.events import ENGINE_VERSION, RoundOpened
from domain.round.replay import play
from domain.round.state import Round, start
from domain.round.wagers import check_seat
from domain.rules import rulesets
from domain.rules.ruleset import RuleSet
from domain.rules.terms import NO_TERMS, Terms, TermsDocument, resolve
from domain.shape_errors import in_words

MOST_ACTIONS = 500


class Document(Struct, frozen=True):
    """A round document, checked except for its actions, which `play` checks one by one."""

    opening: Round
    actions: list[Any]


def adjudicate(line: bytes) -> dict[str, Any]:
    """Return the result of one line; stores nothing."""
    raw: Any = None
    try:
        raw = read_plain(line) or read_json(line)
        document = read_document(raw)
        round_, _ = play(document.opening, document.actions)
        return result_of(round_)
    except Refusal as refusal:
        return refused_document(raw, refusal)


def refused_document(raw: Any, refusal: Refusal) -> dict[str, Any]:
    if isinstance(raw, PlainDocument):
        return refused(raw.round, raw.ruleset, refusal)
    known = raw if isinstance(raw, dict) else {}
    return refused(known.get("round"), known.get("ruleset"), refusal)


def encode_result(result: dict[str, Any]) -> bytes:
    return msgspec.json.encode(result)


def read_document(raw: Any, rules_of: Callable[[str], RuleSet] = rulesets.load) -> Document:
    """Return the document of a JSON value, or of what the fast reader returned.

    `rules_of` finds the rule set by its id: the newest version, unless the caller has another."""
    if not isinstance(raw, dict | PlainDocument):
        raise BadDocument("A document is an object.")
    document = raw if isinstance(raw, PlainDocument) else _shaped(raw, DocumentKeys)
    if len(document.actions) > MOST_ACTIONS:
        raise BadDocument(f"A document has at most {MOST_ACTIONS} actions.")
    rules = rules_of(document.ruleset)
    terms = _terms(rules, document.terms)
    players = _players(rules, document.players)
    return Document(start(rules, terms, _opened(rules, terms, document, players)), document.actions)


T = TypeVar("T")


def _shaped(raw: Any, shape: type[T]) -> T:
    """Convert to a shape; parts of a plain document have it already."""
    if isinstance(raw, Struct):
        return raw  # type: ignore[return-value]
    try:
        return msgspec.convert(raw, shape)
    except msgspec.ValidationError as error:
        raise BadDocument(f"The document cannot be read: {in_words(error)}.") from None


# Tables use the same terms for hours, so resolved terms are cached by the rules' hash and the terms' text.
_MOST_KEPT = 128
_RESOLVED: dict[tuple[str, bytes], Terms] = {}


def _terms(rules: RuleSet, raw: dict[str, Any] | TermsDocument | UnsetType) -> Terms:
    given = NO_TERMS if raw is UNSET else _shaped(raw, TermsDocument)
    key = (rules.content_hash, msgspec.json.encode(given))
    found = _RESOLVED.get(key)
    if found is None:
        if len(_RESOLVED) >= _MOST_KEPT:
            _RESOLVED.clear()
        found = _RESOLVED[key] = resolve(rules, given)
    return found


def _players(rules: RuleSet, raw: dict[str, Any] | UnsetType) -> dict[int, str]:
    if raw is UNSET:
        return {}
    given = _shaped(raw, dict[str, Id])
    seats = {str(seat): seat for seat in range(1, rules.seats + 1)}
    for name in given:
        if name not in seats:
            raise BadDocument(f"{rules.id} has seats 1 to {rules.seats}, no seat {name!r}.", rules.clause("seats"))
    return {seats[name]: bettor for name, bettor in given.items()}


def _opened(
    rules: RuleSet, terms: Terms, document: DocumentKeys | PlainDocument, players: dict[int, str]
) -> RoundOpened:
    opened = RoundOpened(
        round=None if document.round is UNSET else document.round,
        table=None if document.table is UNSET else document.table,
        ruleset=rules.id,
        ruleset_hash=rules.content_hash,
        terms=terms.document,
        players=players,
        engine=ENGINE_VERSION,
    )
    if not rules.player_banked:
        if document.player_dealer is not UNSET:
            raise BadDocument(f"{rules.id} has a house bank and no player-dealer.", rules.clause("bank"))
        return opened
    if document.player_dealer is UNSET:
        raise BadDocument(f"{rules.id} needs its player-dealer.", rules.clause("bank"))
    bank = _shaped(document.player_dealer, PlayerDealerDocument)
    check_seat(rules, bank.seat)
    wager = positive_cents(bank.wager)
    seated = players.get(bank.seat)
    bettor = bank.bettor if bank.bettor is not UNSET else seated or f"seat-{bank.seat}"
    if seated is not None and seated != bettor:
        raise BadDocument(f"{seated} sits at seat {bank.seat}, so {bettor} does not bank there.", rules.clause("bank"))
    declined = () if bank.declined is UNSET else bank.declined
    for seat in declined:
        check_seat(rules, seat)
    if bank.seat in declined or len(set(declined)) != len(declined):
        raise BadDocument("`declined` names other seats than the player-dealer's, each once.", rules.clause("rotation"))
    return replace(
        opened,
        players={**players, bank.seat: bettor},
        bank_seat=bank.seat,
        bank_bettor=bettor,
        bank_wager=wager,
        declined=declined,
    )

"""Round documents: one line of JSON in, one result out. Whatever is wrong with a line is said in its result."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from domain import rulesets
from domain.actions import Action, Id, MoneyText, parse_action
from domain.errors import BadDocument, Refusal
from domain.events import ENGINE_VERSION, RoundEvent, RoundOpened
from domain.money import positive_cents
from domain.results import refused, result_of
from domain.rounds import decide
from domain.ruleset import RuleSet
from domain.rulesets.shape import RuleSetFile
from domain.state import Round, fold, start
from domain.terms import NO_TERMS, Terms, TermsDocument, resolve
from domain.wagers import check_seat

LONGEST_LINE = 1 << 20
MOST_ACTIONS = 500


class PlayerDealerDocument(Struct, frozen=True, forbid_unknown_fields=True):
    seat: int
    wager: MoneyText
    bettor: Id | UnsetType = UNSET
    declined: tuple[int, ...] | UnsetType = UNSET


class Envelope(Struct, frozen=True, forbid_unknown_fields=True):
    """The keys of a document and their types; what is inside its objects and actions is looked at later, in turn."""

    ruleset: str
    actions: list[Any]
    round: Id | UnsetType = UNSET
    table: Id | UnsetType = UNSET
    terms: dict[str, Any] | UnsetType = UNSET
    player_dealer: dict[str, Any] | UnsetType = UNSET
    players: dict[str, Any] | UnsetType = UNSET


class ReadyEnvelope(Struct, frozen=True, forbid_unknown_fields=True):
    """A document in which everything has its shape, down to the last action.

    Terms and players stay text: those of a table are the same for hours, so what they say is looked up by it.
    """

    ruleset: str
    actions: list[Action]
    round: Id | UnsetType = UNSET
    table: Id | UnsetType = UNSET
    terms: Raw | UnsetType = UNSET
    player_dealer: PlayerDealerDocument | UnsetType = UNSET
    players: Raw | UnsetType = UNSET


_READY = msgspec.json.Decoder(ReadyEnvelope)

# msgspec works a type out when it is first met, and two threads that do so at once end the whole process:
# they are met here, while only one thread imports.
for _shape in (Envelope, PlayerDealerDocument, TermsDocument, Action, RuleSetFile):
    msgspec.json.Decoder(_shape)


class Document(Struct, frozen=True):
    """A round document whose envelope is in order."""

    opening: Round
    actions: list[Any]


def adjudicate(line: bytes) -> dict[str, Any]:
    """The result of one line, with nothing stored."""
    raw: Any = None
    try:
        raw = read_ready(line) or read_json(line)
        document = read_document(raw)
        round_, _ = play(document.opening, document.actions)
        return result_of(round_)
    except Refusal as refusal:
        return refused_document(raw, refusal)


def play(
    round_: Round, actions: list[Any], decide: Callable[[Round, Action], list[RoundEvent]] = decide
) -> tuple[Round, list[RoundEvent]]:
    """All actions or none: the round after them and what happened; a refusal says which action it was."""
    events: list[RoundEvent] = []
    ready = _ready_actions(actions)
    for at, raw in enumerate(actions if ready is None else ready):
        try:
            happened = decide(round_, parse_action(raw) if ready is None else raw)
        except Refusal as refusal:
            refusal.action = at
            raise
        round_ = fold(round_, happened)
        events += happened
    return round_, events


def _ready_actions(actions: list[Any]) -> list[Any] | None:
    """All of them in their shape, or None where one is not: those before it still come first."""
    if actions and isinstance(actions[0], Struct):
        return actions
    try:
        return msgspec.convert(actions, list[Action])
    except msgspec.ValidationError:
        return None


def refused_document(raw: Any, refusal: Refusal) -> dict[str, Any]:
    if isinstance(raw, ReadyEnvelope):
        return refused(raw.round, raw.ruleset, refusal)
    known = raw if isinstance(raw, dict) else {}
    return refused(known.get("round"), known.get("ruleset"), refusal)


def encode_result(result: dict[str, Any]) -> bytes:
    return msgspec.json.encode(result)


# ---- JSON

_NOT_JSON = "The line cannot be read as a document"


def read_ready(line: bytes) -> ReadyEnvelope | None:
    """A document that has its shape, read in one go; None for any other, of which the slower way says what is wrong."""
    if len(line) > LONGEST_LINE or b"\\" in line:
        return None
    try:
        envelope = _READY.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    if not all(text is UNSET or _is_plain(bytes(text)) for text in (envelope.terms, envelope.players)):
        return None
    # Written again it has each key once: with as many colons as before, none stood twice.
    return envelope if msgspec.json.encode(envelope).count(b":") == line.count(b":") else None


@lru_cache(maxsize=1 << 7)
def _is_plain(text: bytes) -> bool:
    """Whether it is an object in which no key stands twice."""
    try:
        return isinstance(read_json(text), dict)
    except BadDocument:
        return False


def read_json(line: bytes) -> Any:
    """The JSON value of a line, or BadDocument; a key that stands twice in an object is not read as either."""
    if len(line) > LONGEST_LINE:
        raise BadDocument(f"A line has at most {LONGEST_LINE:,} bytes.")
    try:
        value = msgspec.json.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return _read_slowly(line)
    # Every key has a colon and the decoder keeps one of equal keys: as many keys as colons means none stood twice.
    # Escapes, which no document needs, are the only way to half a surrogate pair.
    if line.count(b":") == _count_keys(value) and b"\\u" not in line:
        return value
    return _read_slowly(line)


def _count_keys(value: Any, depth: int = 3) -> int:
    """The keys of a document's objects; one nested where a document has none is left out, and so read slowly."""
    if type(value) is not dict or not depth:
        return -1
    keys = len(value)
    for name, item in value.items():
        if type(item) is dict:
            keys += _count_keys(item, depth - 1)
        elif name == "actions" and type(item) is list and set(map(type, item)) == {dict}:
            keys += sum(map(len, item))
    return keys


def _read_slowly(line: bytes) -> Any:
    try:
        value = json.loads(line.decode(), object_pairs_hook=_distinct, parse_constant=_no_constant, parse_int=_integer)
        json.dumps(value, ensure_ascii=False).encode()  # fails on half a surrogate pair, which is not text
        return value
    except RecursionError:
        raise BadDocument(f"{_NOT_JSON}: it is nested too deeply.") from None
    except ValueError as error:
        raise BadDocument(f"{_NOT_JSON}: {error}.") from None


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise BadDocument(f"{_NOT_JSON}: a key stands twice in an object.")
    return value


def _integer(digits: str) -> int | float:
    """Python refuses to read thousands of digits; no document has a place for such a number, whatever its type."""
    return int(digits) if len(digits) < 1000 else float("inf")


def _no_constant(name: str) -> Any:
    raise BadDocument(f"{_NOT_JSON}: {name} is not JSON.")


# ---- the envelope


def read_document(raw: Any, rules_of: Callable[[str], RuleSet] = rulesets.load) -> Document:
    """Under the version of its rule set that `rules_of` finds by its id: the newest, unless the caller has another."""
    if not isinstance(raw, dict | ReadyEnvelope):
        raise BadDocument(f"{_NOT_JSON}: it is not an object.")
    envelope = raw if isinstance(raw, ReadyEnvelope) else _shaped(raw, Envelope)
    if len(envelope.actions) > MOST_ACTIONS:
        raise BadDocument(f"A document has at most {MOST_ACTIONS} actions.")
    rules = rules_of(envelope.ruleset)
    if isinstance(envelope, ReadyEnvelope):
        terms = _terms_of(rules, b"{}" if envelope.terms is UNSET else bytes(envelope.terms))
        players = _players_of(rules, b"{}" if envelope.players is UNSET else bytes(envelope.players))
    else:
        terms = _terms(rules, envelope.terms)
        players = _players(rules, envelope.players)
    opened = _opened(rules, terms, envelope, players)
    return Document(start(rules, terms, opened), envelope.actions)


T = TypeVar("T")


def _shaped(raw: Any, shape: type[T]) -> T:
    if isinstance(raw, Struct):
        return raw  # type: ignore[return-value]  # read in this shape
    try:
        return msgspec.convert(raw, shape)
    except msgspec.ValidationError as error:
        raise BadDocument(f"The document is not as the contract has it: {error}.") from None


# Tables play by the same terms, with the same players, for hours: what was resolved is kept, by hash and text.
_MOST_KEPT = 128
_TERMS: dict[tuple[str, bytes], Terms] = {}
_TERMS_OF_TEXT: dict[tuple[str, bytes], Terms] = {}
_PLAYERS_OF_TEXT: dict[tuple[str, bytes], dict[int, str]] = {}


def _kept(kept: dict[tuple[str, bytes], T], rules: RuleSet, text: bytes, make: Callable[[], T]) -> T:
    key = (rules.content_hash, text)
    found = kept.get(key)
    if found is None:
        if len(kept) >= _MOST_KEPT:
            kept.clear()
        found = kept[key] = make()
    return found


def _terms(rules: RuleSet, raw: dict[str, Any] | UnsetType) -> Terms:
    given = NO_TERMS if raw is UNSET else _shaped(raw, TermsDocument)
    return _kept(_TERMS, rules, msgspec.json.encode(given), lambda: resolve(rules, given))


def _terms_of(rules: RuleSet, text: bytes) -> Terms:
    return _kept(_TERMS_OF_TEXT, rules, text, lambda: _terms(rules, read_json(text)))


def _players_of(rules: RuleSet, text: bytes) -> dict[int, str]:
    return _kept(_PLAYERS_OF_TEXT, rules, text, lambda: _players(rules, read_json(text)))


def _players(rules: RuleSet, raw: dict[str, Any] | UnsetType) -> dict[int, str]:
    if raw is UNSET:
        return {}
    given = _shaped(raw, dict[str, Id])
    seats = {str(seat): seat for seat in range(1, rules.seats + 1)}
    for name in given:
        if name not in seats:
            raise BadDocument(f"{rules.id} has seats 1 to {rules.seats}, no seat {name!r}.", rules.clause("seats"))
    return {seats[name]: bettor for name, bettor in given.items()}


def _opened(rules: RuleSet, terms: Terms, envelope: Envelope | ReadyEnvelope, players: dict[int, str]) -> RoundOpened:
    round_id = None if envelope.round is UNSET else envelope.round
    table = None if envelope.table is UNSET else envelope.table
    if not rules.player_banked:
        if envelope.player_dealer is not UNSET:
            raise BadDocument(f"{rules.id} has a house bank and no player-dealer.", rules.clause("bank"))
        return RoundOpened(
            round_id, table, rules.id, rules.content_hash, terms.document, players, engine=ENGINE_VERSION
        )
    if envelope.player_dealer is UNSET:
        raise BadDocument(f"{rules.id} needs its player-dealer.", rules.clause("bank"))
    bank = _shaped(envelope.player_dealer, PlayerDealerDocument)
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
    players = {**players, bank.seat: bettor}
    return RoundOpened(
        round_id,
        table,
        rules.id,
        rules.content_hash,
        terms.document,
        players,
        bank.seat,
        bettor,
        wager,
        declined,
        engine=ENGINE_VERSION,
    )

"""Bad input of any kind is one refused result with a clear error, and the line after it is adjudicated as ever."""

import copy
import io
import json
import random
import string
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.cli.terminal.document_lines import read_lines
from domain.documents.document import MOST_ACTIONS, adjudicate, encode_result, read_document, refused_document
from domain.documents.json_reader import LONGEST_LINE, read_json
from domain.documents.result import result_of
from domain.errors import Refusal
from domain.round.replay import play
from domain.rules import rulesets
from tests.domain.legal_rounds import RULESETS, Json, dice, documents, laws

RESULT_KEYS = {
    *("round", "ruleset", "status", "fee", "button", "dealer", "lines", "bank", "exposure", "meter", "error"),
}
CODES = {
    *("bad_document", "unknown_ruleset", "bad_terms", "out_of_turn", "bad_choice", "limit", "missing_wager"),
    *("duplicate_card", "wrong_cards"),
}

# ---- documents to spoil

HOLDEM: Json = {
    "round": "r-0001",
    "table": "t1",
    "ruleset": "uth-casino-club",
    "terms": {
        "trips": "UTH-04",
        "dealing": "shuffler",
        "schedule": 1,
        "chip": "1.00",
        "limits": {"ante": ["5.00", "500.00"], "trips": ["0.00", "50.00"]},
        "coverage": "single-pool",
    },
    "player_dealer": {"seat": 3, "bettor": "tp-1", "wager": "1000.00", "declined": [4, 5]},
    "players": {"1": "p-1", "5": "p-9"},
    "actions": [
        {"do": "bet", "seat": 1, "spot": "ante", "amount": "25.00", "bettor": "p-1"},
        {"do": "bet", "seat": 1, "spot": "blind", "amount": "25.00"},
        {"do": "bet", "seat": 1, "spot": "ante", "amount": "5.00", "bettor": "b-1", "kind": "backline"},
        {"do": "bet", "seat": 1, "spot": "blind", "amount": "5.00", "bettor": "b-1", "kind": "backline"},
        {"do": "close_bets"},
        {"do": "deal", "to": 1, "cards": ["As", "Ad"]},
        {"do": "deal", "to": "dealer", "cards": ["7c", None]},
        {"do": "deal", "to": "board", "cards": ["Ah", "9c", "4s", "Kd", "3h"]},
        {"do": "decide", "seat": 1, "choice": "raise", "times": 4},
        {"do": "decide", "seat": 1, "choice": "raise", "times": 4, "bettor": "b-1"},
        {"do": "reveal", "of": "flop"},
        {"do": "reveal", "of": "turn_river"},
        {"do": "reveal", "of": "dealer", "cards": ["7c", "2d"]},
        {"do": "settle"},
    ],
}
POINTS: Json = {
    "ruleset": "p215-casino-club",
    "terms": {"schedule": 3, "decks": 6},
    "player_dealer": {"seat": 2, "wager": "100.00"},
    "actions": [
        {"do": "bet", "seat": 1, "spot": "game", "amount": "10.00"},
        {"do": "close_bets"},
        {"do": "deal", "to": 1, "cards": ["5c"]},
        {"do": "deal", "to": "dealer", "cards": ["Ad"]},
        {"do": "deal", "to": 1, "cards": ["6c"], "hand": 1},
        {"do": "deal", "to": "dealer", "cards": [None]},
        {"do": "decide", "seat": 1, "choice": "insure", "amount": "5.00"},
        {"do": "peek", "pure": False},
        {"do": "decide", "seat": 1, "choice": "double", "amount": "10.00", "hand": 1},
        {"do": "deal", "to": 1, "cards": ["Kc"]},
        {"do": "reveal", "of": "dealer", "cards": ["Ad", "9h"]},
        {"do": "settle"},
    ],
}
METERED: Json = {
    "ruleset": "uth-sd",
    "terms": {
        "trips": "UTH-01",
        "progressive": "PMG-01",
        "meter": {
            "seed": "10000.00",
            "shown": "25000.00",
            "reserve": "0.00",
            "percent": 25,
            "reserve_percent": 5,
            "id": "m-1",
        },
    },
    "actions": [
        {"do": "bet", "seat": 7, "spot": "trips", "amount": "10.00"},
        {"do": "bet", "seat": 7, "spot": "trips", "amount": "5.00", "bettor": "tip", "kind": "toke"},
        {"do": "void", "reason": "misdeal", "detail": "Three cards: one too many."},
    ],
}
SCHEDULED: Json = {
    "ruleset": "uth-bgc",
    "terms": {
        "trips": "UTH-02",
        "schedule": {"limits": ["5.00", "500.00"], "tiers": [["100.00", "1.00"], [None, "2.00"]]},
    },
    "player_dealer": {"seat": 8, "wager": "0.01"},
    "actions": [],
}
GOOD = {"holdem": HOLDEM, "points": POINTS, "metered": METERED, "scheduled": SCHEDULED}
STATUS = {"holdem": "settled", "points": "settled", "metered": "void", "scheduled": "open"}

At = tuple[str | int, ...]  # where in a document


def inside(document: Any, at: At) -> Any:
    for step in at:
        document = document[step]
    return document


def spoiled(document: Json, at: At, token: str) -> bytes:
    """The document's text with another JSON token, or what is none, in one place."""
    document = copy.deepcopy(document)
    inside(document, at[:-1])[at[-1]] = "@@"
    return json.dumps(document).replace('"@@"', token).encode()


def every_place(value: Any, at: At = ()) -> Iterator[At]:
    yield at
    if isinstance(value, dict | list):
        for step, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from every_place(item, (*at, step))


def every_object(document: Json) -> list[At]:
    return [at for at in every_place(document) if isinstance(inside(document, at), dict)]


def strict(text: bytes) -> Json:
    """One line of JSON as another program reads it: valid UTF-8, no NaN, no key twice."""
    assert b"\n" not in text

    def distinct(pairs: list[tuple[str, Any]]) -> Json:
        assert len({name for name, _ in pairs}) == len(pairs)
        return dict(pairs)

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is not JSON")

    value: Json = json.loads(text.decode("utf-8"), object_pairs_hook=distinct, parse_constant=refuse)
    return value


def adjudicated_slowly(line: bytes) -> bytes:
    """The result without the fast path for plain documents."""
    raw: Any = None
    try:
        raw = read_json(line)
        document = read_document(raw)
        return encode_result(result_of(play(document.opening, document.actions)[0]))
    except Refusal as refusal:
        return encode_result(refused_document(raw, refusal))


def adjudicated(line: bytes) -> Json:
    """The result as it would be written, checked for what every result has; the fast path changes nothing of it."""
    written = encode_result(adjudicate(line))
    assert written == adjudicated_slowly(line)
    answer = strict(written)
    assert answer.keys() == RESULT_KEYS
    error = answer["error"]
    assert (error is not None) == (answer["status"] == "refused")
    if error is not None:
        assert error.keys() == {"code", "detail", "clause", "action"}
        assert error["code"] in CODES
        assert error["detail"].endswith(".")
        assert answer | {"error": None, "round": None, "ruleset": None, "status": None, "lines": None} == dict.fromkeys(
            RESULT_KEYS
        )
        assert answer["lines"] == []
        assert error["action"] is None or type(error["action"]) is int
    return answer


def refused(line: bytes | str | Json, code: str = "bad_document", action: int | None = None) -> Json:
    if isinstance(line, dict):
        line = json.dumps(line)
    answer = adjudicated(line.encode() if isinstance(line, str) else line)
    assert answer["status"] == "refused", (line[:300], answer)
    error = answer["error"]
    assert (error["code"], error["action"]) == (code, action), (line[:2000], error)
    return answer


def unreadable(line: bytes | str) -> None:
    """Refused before anything in it could be read."""
    answer = refused(line)
    assert (answer["round"], answer["ruleset"]) == (None, None)


@pytest.mark.parametrize("name", GOOD)
def test_the_documents_are_good_before_they_are_spoiled(name: str):
    assert adjudicated(json.dumps(GOOD[name]).encode())["status"] == STATUS[name]


# ---- not JSON, or not an object

NOT_JSON = {
    "nothing": b"",
    "spaces": b"  \t ",
    "a word": b"hello",
    "half a document": json.dumps(HOLDEM).encode()[:100],
    "two documents": b"{} {}",
    "a comma too many": b'{"ruleset": "uth-sd", "actions": [],}',
    "single quotes": b"{'ruleset': 'uth-sd'}",
    "a comment": b'{"ruleset": "uth-sd", "actions": []} // so',
    "NaN": b"NaN",
    "Infinity inside": b'{"ruleset": "uth-sd", "actions": [Infinity]}',
    "-Infinity inside": b'{"ruleset": "uth-sd", "actions": [-Infinity]}',
    "NaN inside": b'{"ruleset": "uth-sd", "actions": [], "terms": {"decks": NaN}}',
    "a leading zero": b'{"ruleset": "uth-sd", "actions": [01]}',
    "a plus sign": b'{"ruleset": "uth-sd", "actions": [+1]}',
    "hexadecimal": b'{"ruleset": "uth-sd", "actions": [0x1]}',
    "True": b'{"ruleset": "uth-sd", "actions": [True]}',
    "half an escape": b'{"ruleset": "\\u12", "actions": []}',
    "an escape that is none": b'{"ruleset": "\\x41", "actions": []}',
    "a NUL": b"\0",
    "NUL bytes": b"\0" * 1000,
    "a NUL in a string": b'{"ruleset": "uth-\0sd", "actions": []}',
    "a NUL after the document": b'{"ruleset": "uth-sd", "actions": []}\0',
    "a tab in a string": b'{"ruleset": "uth\tsd", "actions": []}',
    "a byte order mark": b"\xef\xbb\xbf" + json.dumps(HOLDEM).encode(),
    "UTF-16": json.dumps(HOLDEM).encode("utf-16"),
    "UTF-32": json.dumps(HOLDEM).encode("utf-32-le"),
    "no UTF-8": b"\xff\xfe\xfd",
    "no UTF-8 in a string": b'{"ruleset": "\xff", "actions": []}',
    "no UTF-8 in a key": b'{"\xff": 1, "ruleset": "uth-sd", "actions": []}',
    "half a UTF-8 sequence": b'{"ruleset": "uth-sd\xe2\x82", "actions": []}',
    "an overlong UTF-8 sequence": b'{"ruleset": "\xc0\xaf", "actions": []}',
    "a surrogate in UTF-8": b'{"ruleset": "\xed\xa0\x80", "actions": []}',
    "random bytes": random.Random(1).randbytes(5000),
}
NO_OBJECT = ["[]", "[{}]", "0", "-1.5", "1e5", "true", "false", "null", '""', '"uth-sd"', "1e999", "-1e999", "9" * 5001]


@pytest.mark.parametrize("name", NOT_JSON)
def test_a_line_that_is_no_json_cannot_be_read(name: str):
    unreadable(NOT_JSON[name])


@pytest.mark.parametrize("line", NO_OBJECT, ids=lambda line: line[:12])
def test_a_line_that_is_no_object_cannot_be_read(line: str):
    unreadable(line)
    unreadable(f"  {line}\r")


@pytest.mark.parametrize("missing", ["ruleset", "actions", "player_dealer"])
def test_a_required_key_is_missing(missing: str):
    answer = refused({key: value for key, value in HOLDEM.items() if key != missing})
    assert answer["round"] == "r-0001"


def test_an_empty_object_is_refused():
    unreadable("{}")


def test_a_refused_document_names_round_and_rule_set_as_far_as_they_are_text():
    for round_, ruleset in ((1, 2), (None, []), ({}, True), (1.5, None)):
        answer = refused({**HOLDEM, "round": round_, "ruleset": ruleset})
        assert (answer["round"], answer["ruleset"]) == (None, None)
    answer = refused({**HOLDEM, "round": "No id!"})
    assert (answer["round"], answer["ruleset"]) == ("No id!", "uth-casino-club")
    answer = refused({**HOLDEM, "ruleset": "☂"}, "unknown_ruleset")
    assert (answer["round"], answer["ruleset"]) == ("r-0001", "☂")


# ---- sizes


def padded(size: int) -> bytes:
    line = json.dumps({**HOLDEM, "actions": [{"do": "void", "reason": "misdeal", "detail": "@@"}]}).encode()
    return line.replace(b"@@", b"x" * (size - len(line) + 2))


def test_a_line_has_at_most_a_mebibyte():
    assert LONGEST_LINE == 1_048_576
    assert adjudicated(padded(LONGEST_LINE))["status"] == "void"
    assert len(padded(LONGEST_LINE)) == LONGEST_LINE
    unreadable(padded(LONGEST_LINE + 1))
    unreadable(padded(10_000_000))
    unreadable(json.dumps(HOLDEM).encode() + b" " * LONGEST_LINE)


def test_the_mebibyte_is_counted_in_bytes():
    assert adjudicated(padded(LONGEST_LINE - 1).replace(b"xx", "é".encode(), 1))["status"] == "void"
    unreadable(padded(LONGEST_LINE - 1).replace(b"xx", "☂".encode() * 2, 1))


@pytest.mark.parametrize(
    "token", ["[" + "0," * 500_000 + "0]", '"' + "9" * 1_000_000 + '"', "9" * 1_000_000, "[" + "{}," * 300_000 + "{}]"]
)
def test_much_in_one_place_is_refused(token: str):
    for at in (("round",), ("terms",), ("actions",), ("players", "1"), ("player_dealer", "wager"), ("player_dealer",)):
        refused(spoiled(HOLDEM, at, token))
    refused(spoiled(HOLDEM, ("actions", 0, "amount"), token), action=0)


def bets(count: int) -> list[Json]:
    return [{"do": "bet", "seat": 1, "spot": "ante", "amount": "1.00"}] * count


def test_a_document_has_at_most_500_actions():
    assert MOST_ACTIONS == 500
    assert adjudicated(json.dumps({**HOLDEM, "actions": bets(500)}).encode())["status"] == "open"
    refused({**HOLDEM, "actions": bets(501)})
    refused({**HOLDEM, "actions": [{"do": "nothing"}, *bets(500)]})
    refused({**HOLDEM, "actions": [None] * 501})
    refused({**HOLDEM, "actions": [*bets(499), {"do": "nothing"}]}, action=499)


NESTS: dict[str, Callable[[int], str]] = {
    "lists": lambda depth: "[" * depth + "]" * depth,
    "objects": lambda depth: '{"a":' * depth + "1" + "}" * depth,
    "both": lambda depth: '[{"a":' * (depth // 2) + "1" + "}]" * (depth // 2),
    "open lists": lambda depth: "[" * depth,
    "open objects": lambda depth: '{"a":' * depth,
}


@pytest.mark.parametrize("name", NESTS)
def test_deep_nesting_is_refused(name: str):
    """At every depth about the interpreter's own limit, where one reader gives up before another."""
    for depth in (2, 10, 100, 500, *range(800, 1100), 2_000, 5_000, 20_000, 100_000, 150_000):
        refused(NESTS[name](depth))


@pytest.mark.parametrize("name", NESTS)
@pytest.mark.parametrize(
    "at",
    [
        ("terms",),
        ("terms", "limits"),
        ("terms", "schedule"),
        ("player_dealer", "declined"),
        ("players", "1"),
        ("actions",),
    ],
    ids=lambda at: ".".join(at),
)
def test_deep_nesting_in_a_field_is_refused(name: str, at: At):
    for depth in (100, 500, *range(900, 1000, 3), 5_000, 100_000):
        answer = adjudicated(spoiled(HOLDEM, at, NESTS[name](depth)))
        assert answer["status"] == "refused"
        assert answer["error"]["code"] == "bad_document"


def test_deep_nesting_in_an_action_is_refused():
    for depth in (100, 500, *range(900, 1000, 3), 5_000, 100_000):
        for field in ("seat", "amount", "do"):
            answer = adjudicated(spoiled(HOLDEM, ("actions", 0, field), NESTS["lists"](depth)))
            assert answer["error"]["code"] == "bad_document"


# ---- wrong types and impossible values

ID = [
    "null",
    "true",
    "1",
    "1.0",
    '""',
    '"A"',
    '"-a"',
    '"a\\n"',
    '"\\na"',
    '"a b"',
    '"é"',
    '"٣"',
    '"a\\u0000"',
    "[]",
    "{}",
]
ID += [f'"{"a" * 41}"', '"\\ud800"']
MONEY = ["null", "true", "12", "12.5", "0", "-1", "NaN", "1e999", "9" * 400, "9" * 5001, "[]", "{}", '["1.00"]', '""']
MONEY += [f'"{text}"' for text in ("12", "12.5", "12.500", ".50", "12.", "01.00", "00.10", "-1.00", "-0.00", "+1.00")]
MONEY += [f'"{text}"' for text in (" 1.00", "1.00 ", "1.00\\n", "\\n1.00", "1.00\\u0000", "1,000.00", "1_0.00", "1e2")]
MONEY += [f'"{text}"' for text in ("NaN", "Infinity", "$1.00", "1.00\\r", "1.0x", "0x1.00", "1000000000000.00")]
MONEY += [f'"{text}"' for text in ("٣.00", "１.00", "1.０0", "1٫00", "9" * 400 + ".00", "\\ud8001.00")]
STAKE = [*MONEY, '"0.00"']
INTEGER = [
    "null",
    "true",
    "false",
    "1.0",
    "1.5",
    "1e0",
    '"1"',
    '"one"',
    "NaN",
    "Infinity",
    "1e999",
    "9" * 5001,
    "[]",
    "{}",
    "[1]",
]
SEAT = [*INTEGER, "0", "-1", "9", "99", "-0", "9" * 30, "-" + "9" * 30, "9" * 4000]
TEXT = ["null", "true", "1", "1.5", "[]", "{}", '["x"]']
WORD = [*TEXT, '""', '"nothing"', '"ANTE"', '"bet "', '"\\ud800"']
LIST = ["null", "true", "1", '"As"', "{}", '{"0": "As"}']
OBJECT = ["null", "true", "1", '"x"', "[]", "[[]]", "[{}]"]
CARDS = [*LIST, '["as"]', '["AS"]', '["1s"]', '["10s"]', '["A♠"]', '["A"]', '[""]', "[1]", "[[]]", '["As "]', "[true]"]
BOOLEAN = ["null", "0", "1", '"true"', "[]", "{}", "0.0"]
PAIR = [*LIST, "[]", '["1.00"]', '["1.00", "2.00", "3.00"]', "[1, 2]", '["5.00", null]']

FIELDS: list[tuple[str, At, list[str]]] = [
    ("holdem", ("round",), ID),
    ("holdem", ("table",), ID),
    ("holdem", ("ruleset",), TEXT),
    ("holdem", ("terms",), OBJECT),
    ("holdem", ("terms", "trips"), TEXT),
    ("holdem", ("terms", "dealing"), TEXT),
    ("holdem", ("terms", "coverage"), TEXT),
    ("holdem", ("terms", "schedule"), ["true", "1.0", '"1"', "[]", '["1"]', "1e999", "NaN", "9" * 5001]),
    ("holdem", ("terms", "chip"), MONEY),
    ("holdem", ("terms", "limits"), OBJECT),
    ("holdem", ("terms", "limits", "ante"), PAIR),
    ("holdem", ("terms", "limits", "ante", 0), MONEY),
    ("holdem", ("terms", "limits", "trips", 1), MONEY),
    ("holdem", ("player_dealer",), OBJECT),
    ("holdem", ("player_dealer", "seat"), SEAT),
    ("holdem", ("player_dealer", "wager"), STAKE),
    ("holdem", ("player_dealer", "bettor"), ID),
    (
        "holdem",
        ("player_dealer", "declined"),
        [*LIST, "[0]", "[9]", '["4"]', "[4.0]", "[true]", "[null]", "[4, 4]", "[3]"],
    ),
    ("holdem", ("player_dealer", "declined", 1), SEAT),
    ("holdem", ("players",), OBJECT),
    ("holdem", ("players", "1"), ID),
    ("holdem", ("actions",), [*LIST, "[null, []]", "null"]),
    ("holdem", ("actions", 0), OBJECT),
    ("holdem", ("actions", 0, "do"), WORD),
    ("holdem", ("actions", 0, "seat"), SEAT),
    ("holdem", ("actions", 0, "spot"), WORD),
    ("holdem", ("actions", 0, "amount"), STAKE),
    ("holdem", ("actions", 0, "bettor"), ID),
    ("holdem", ("actions", 2, "kind"), [*WORD, '"patron"']),
    ("holdem", ("actions", 5, "to"), [*(token for token in SEAT if token != '"one"'), '"flop"', '"Dealer"', '""']),
    ("holdem", ("actions", 5, "cards"), CARDS),
    ("holdem", ("actions", 5, "cards", 1), [*TEXT[1:], '""', '"ad"', '"AD"', '"10d"', '"1d"', '"Ad\\n"', '"Ад"']),
    ("holdem", ("actions", 8, "seat"), SEAT),
    ("holdem", ("actions", 8, "choice"), WORD),
    ("holdem", ("actions", 8, "times"), INTEGER),
    ("holdem", ("actions", 9, "bettor"), ID),
    ("holdem", ("actions", 10, "of"), [*SEAT, '"river"', '"board"', '""']),
    ("holdem", ("actions", 12, "cards"), CARDS),
    ("points", ("terms", "decks"), INTEGER),
    ("points", ("actions", 4, "hand"), [*INTEGER, "0", "-1", "-" + "9" * 30]),
    ("points", ("actions", 6, "amount"), STAKE),
    ("points", ("actions", 7, "pure"), BOOLEAN),
    ("points", ("actions", 8, "amount"), STAKE),
    ("points", ("actions", 8, "hand"), [*INTEGER, "0", "-1"]),
    ("metered", ("terms", "progressive"), TEXT[1:]),
    ("metered", ("terms", "meter"), OBJECT),
    ("metered", ("terms", "meter", "seed"), MONEY),
    ("metered", ("terms", "meter", "shown"), MONEY),
    ("metered", ("terms", "meter", "reserve"), MONEY),
    ("metered", ("terms", "meter", "percent"), INTEGER),
    ("metered", ("terms", "meter", "reserve_percent"), INTEGER),
    ("metered", ("terms", "meter", "id"), ID),
    ("metered", ("actions", 2, "reason"), WORD),
    ("metered", ("actions", 2, "detail"), TEXT),
    ("scheduled", ("terms", "schedule", "limits"), PAIR),
    ("scheduled", ("terms", "schedule", "limits", 0), MONEY),
    (
        "scheduled",
        ("terms", "schedule", "tiers"),
        [*LIST, "[1]", '["100.00"]', '[["1.00"]]', '[["1.00", "2.00", "3.00"]]'],
    ),
    ("scheduled", ("terms", "schedule", "tiers", 0, 0), [token for token in MONEY if token != "null"]),
    ("scheduled", ("terms", "schedule", "tiers", 1, 1), MONEY),
]
UNREADABLE = ("NaN", "Infinity", "\\ud800")  # no value of any type


@pytest.mark.parametrize(("name", "at", "tokens"), FIELDS, ids=[".".join(map(str, field[1])) for field in FIELDS])
def test_a_wrong_type_or_an_impossible_value_is_a_bad_document(name: str, at: At, tokens: list[str]):
    for token in tokens:
        if any(text in token for text in UNREADABLE) and token not in ('"NaN"', '"Infinity"'):
            unreadable(spoiled(GOOD[name], at, token))
            continue
        index = at[1] if at[0] == "actions" and len(at) > 1 else 0 if token == "[null, []]" else None
        assert index is None or isinstance(index, int)
        refused(spoiled(GOOD[name], at, token), action=index)


def test_a_value_is_refused_also_where_another_that_looks_like_it_was_taken_before():
    """1e999 is read as infinity, which JSON writes as null, and terms that were taken once are remembered."""
    for name, key in (("scheduled", "schedule"), ("metered", "progressive")):
        document = copy.deepcopy(GOOD[name])
        document["terms"].pop("meter", None)
        assert adjudicated(spoiled(document, ("terms", key), "null"))["status"] == STATUS[name]
        for token in ("1e999", "-1e999", "9" * 5001, "1e400"):
            refused(spoiled(document, ("terms", key), token))


NAMES_OF_SEATS = ["0", "8", "01", "1.0", " 1", "1 ", "+1", "-1", "", "one", "１", "1\\n", "1e0", "\\ud800", "9" * 5000]


@pytest.mark.parametrize("name", NAMES_OF_SEATS, ids=lambda name: name[:8])
def test_players_names_seats_of_the_table_only(name: str):
    refused(spoiled(HOLDEM, ("players",), f'{{"{name}": "p-1"}}'))


def test_the_player_dealer_is_one_person():
    refused({**HOLDEM, "players": {"3": "p-1"}})
    same = adjudicated(json.dumps({**HOLDEM, "players": {**HOLDEM["players"], "3": "tp-1"}}).encode())
    assert same["status"] == "settled"


def test_a_house_bank_has_no_player_dealer():
    for token in ("null", "{}", '{"seat": 1, "wager": "1.00"}'):
        line = json.dumps({**METERED, "player_dealer": "@@"}).replace('"@@"', token)
        refused(line)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_every_seat_of_the_table_and_no_other_takes_a_bet(ruleset: str):
    document: Json = {"ruleset": ruleset, "terms": {}}
    rules = rulesets.load(ruleset)
    if rules.player_banked:
        document["player_dealer"] = {"seat": 1, "wager": "1.00"}
    if len(rules.schedules) > 1:
        document["terms"]["schedule"] = 1
    if ruleset in ("uth-bgc", "uth-sd"):
        document["terms"]["trips"] = "UTH-01"
    spot = "game" if rules.family == "p215" else "ante"
    for seat in range(-2, 12):
        line = {**document, "actions": [{"do": "bet", "seat": seat, "spot": spot, "amount": "5.00"}]}
        if not 1 <= seat <= {"uth-bgc": 8, "p215-casino-club": 8}.get(ruleset, 7):
            refused(line, action=0)
        elif seat == 1 and rules.player_banked:
            refused(line, "bad_choice", action=0)
        else:
            assert adjudicated(json.dumps(line).encode())["status"] == "open"


def test_the_first_action_that_is_wrong_counts_whatever_is_wrong_with_it():
    late = {"do": "bet", "seat": 1, "spot": "ante", "amount": 25}
    early = {"do": "settle"}
    refused({**HOLDEM, "actions": [early, late]}, "out_of_turn", 0)
    refused({**HOLDEM, "actions": [late, early]}, "bad_document", 0)
    refused({**HOLDEM, "actions": [*HOLDEM["actions"], late]}, "bad_document", 14)
    refused({**HOLDEM, "actions": [*HOLDEM["actions"][:5], early, None]}, "out_of_turn", 5)


def test_the_envelope_is_looked_at_before_the_actions():
    wrong = [{"do": "nothing"}]
    refused({**HOLDEM, "ruleset": "uth-vegas", "actions": wrong}, "unknown_ruleset")
    refused({**HOLDEM, "terms": {"trips": "UTH-01"}, "actions": wrong}, "bad_terms")
    refused({**HOLDEM, "players": {"9": "p-1"}, "actions": wrong})
    refused({**HOLDEM, "player_dealer": {"seat": 3, "wager": "0.00"}, "actions": wrong})
    refused({**HOLDEM, "table": "No id", "actions": wrong})


# ---- keys


def with_key_twice(value: Any, at: At, second: str) -> str:
    """The text of a document in which the first key of one object is repeated at its end."""
    if isinstance(value, list):
        return "[" + ", ".join(with_key_twice(item, at[1:] if at[:1] == (step,) else ("",), second)
                               for step, item in enumerate(value)) + "]"  # fmt: skip
    if not isinstance(value, dict):
        return json.dumps(value)
    items = [
        f"{json.dumps(key)}: {with_key_twice(item, at[1:] if at[:1] == (key,) else ('',), second)}"
        for key, item in value.items()
    ]
    if at == () and value:
        key, item = next(iter(value.items()))
        name = (
            json.dumps(key) if second != "escaped" else '"' + "".join(f"\\u{ord(letter):04x}" for letter in key) + '"'
        )
        items.append(f"{name}: {json.dumps(None if second == 'another value' else item)}")
    return "{" + ", ".join(items) + "}"


@pytest.mark.parametrize("second", ["the same value", "another value", "escaped"])
@pytest.mark.parametrize("name", GOOD)
def test_a_key_twice_cannot_be_read_wherever_it_stands(name: str, second: str):
    for at in every_object(GOOD[name]):
        text = with_key_twice(GOOD[name], at, second)
        assert json.loads(text).keys() == GOOD[name].keys()
        unreadable(text)


def test_a_key_twice_is_found_also_where_no_key_should_be():
    twice = '{"a": 1, "a": 1}'
    for at in [("terms", "trips"), ("actions", 0, "seat"), ("actions", 5, "cards", 0), ("players", "1"), ("round",)]:
        unreadable(spoiled(HOLDEM, at, twice))
        unreadable(spoiled(HOLDEM, at, f"[[{twice}]]"))
    unreadable(twice)


def test_colons_in_strings_are_no_keys():
    document = copy.deepcopy(METERED)
    document["actions"][-1]["detail"] = '::: "a": 1, {"a": 1} \\ \\u003a'
    assert adjudicated(json.dumps(document).encode())["status"] == "void"
    text = json.dumps(document)
    unreadable(text[:-1] + f', "ruleset": {json.dumps(document["ruleset"])}}}')


@pytest.mark.parametrize("name", GOOD)
def test_an_unknown_key_is_a_bad_document_wherever_it_stands(name: str):
    for at in every_object(GOOD[name]):
        for key in ("x", "", "Do", "do ", "comment", "☂"):
            document = copy.deepcopy(GOOD[name])
            inside(document, at)[key] = inside(document, at).get("seat", 1)
            index = at[1] if at[:1] == ("actions",) else None
            assert index is None or isinstance(index, int)
            refused(document, action=index)


@pytest.mark.parametrize("name", GOOD)
def test_half_a_surrogate_pair_is_no_text_wherever_it_stands(name: str):
    """It cannot be written as UTF-8, so no event and no result could hold it."""
    for at in every_place(GOOD[name]):
        if at:
            for token in ('"\\ud800"', '"a\\uDFFFb"', '{"\\ud800": 1}', '"\\udc00\\ud800"'):
                unreadable(spoiled(GOOD[name], at, token))
    whole = adjudicated(spoiled(METERED, ("actions", 2, "detail"), '"\\ud83c\\udccf \\u0000"'))
    assert whole["status"] == "void"


# ---- lines of a file


def lines_of(data: bytes) -> list[bytes]:
    return list(read_lines(io.BytesIO(data)))


def test_the_last_line_needs_no_end_and_blank_lines_are_none():
    assert lines_of(b"") == []
    assert lines_of(b"\n\r\n  \n\t\n") == []
    assert [line.strip() for line in lines_of(b"{}\n\n[]\r\n 1")] == [b"{}", b"[]", b"1"]


def test_a_carriage_return_before_the_line_end_is_space():
    line, last = lines_of(json.dumps(HOLDEM).encode() + b"\r\n" + json.dumps(POINTS).encode() + b"\r")
    assert adjudicated(line)["status"] == adjudicated(last)["status"] == "settled"


@pytest.mark.parametrize("size", [LONGEST_LINE + more for more in (-1, 0, 1, 2, 3)] + [2 * LONGEST_LINE, 10_000_000])
@pytest.mark.parametrize("end", [b"\n", b""])
def test_a_long_line_is_one_line_whatever_its_length(size: int, end: bytes):
    before, long, *after = lines_of(b"{}\n" + padded(size) + (b"\n[]\n{}" if end else b""))
    assert before == b"{}"
    assert after == ([b"[]", b"{}"] if end else [])
    assert adjudicated(long)["status"] == ("void" if size <= LONGEST_LINE else "refused")


def test_a_long_line_that_begins_with_a_mebibyte_of_spaces_is_a_line_too():
    data = b"{}\n" + b" " * (LONGEST_LINE + 10) + json.dumps(HOLDEM).encode() + b"\n[]\n"
    first, long, last = lines_of(data)
    assert (first, last) == (b"{}", b"[]")
    unreadable(long)


def test_a_file_without_line_ends_does_not_fill_memory():
    class Endless(io.RawIOBase):
        left = 100 * LONGEST_LINE

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            count = min(len(buffer), self.left)
            buffer[:count] = b"[" * count
            self.left -= count
            return count

    (line,) = read_lines(io.BufferedReader(Endless()))
    assert len(line) <= LONGEST_LINE + 2
    unreadable(line)


def test_adjudicate_answers_every_line_of_a_file_full_of_bad_ones(tmp_path: Path):
    """Through the installed command: a bad line is one result, and the line after it is adjudicated."""
    good = json.dumps(HOLDEM).encode()
    bad = [line for line in NOT_JSON.values() if line.strip() and b"\n" not in line]
    bad += [line.encode() for line in NO_OBJECT]
    bad += [padded(LONGEST_LINE + 1), padded(10_000_000), b"[" * 100_000, b'{"a":' * 100_000]
    bad += [nest(depth).encode() for nest in NESTS.values() for depth in range(900, 1000, 7)]
    bad += [json.dumps({**HOLDEM, "actions": bets(501)}).encode(), b'{"\\ud800": 1}', b'{"round": "\\ud800"}']
    bad += [with_key_twice(HOLDEM, at, "the same value").encode() for at in every_object(HOLDEM)]
    bad += [spoiled(GOOD[name], at, token) for name, at, tokens in FIELDS for token in tokens[:3]]
    file = tmp_path / "rounds.jsonl"
    file.write_bytes(b"\n\r\n" + b"\n".join(part for line in bad for part in (line, good)) + b"\r\n\n" + good)
    command = Path(sys.executable).with_name("roundledger")
    run = subprocess.run([command, "adjudicate", file], capture_output=True, check=False)
    assert (run.returncode, run.stderr) == (0, b"")
    assert run.stdout.endswith(b"\n")
    results = [strict(line) for line in run.stdout[:-1].split(b"\n")]
    assert len(results) == 2 * len(bad) + 1
    expected = strict(encode_result(adjudicate(good)))
    assert all(answer == expected for answer in [*results[1::2], results[-1]])
    assert expected["status"] == "settled"
    for line, answer in zip(bad, results[:-1:2], strict=True):
        assert (answer["status"], answer["error"]["code"]) == ("refused", "bad_document"), line[:300]
        assert answer.keys() == RESULT_KEYS


# ---- fuzz

KEYS = [
    *(
        "ruleset",
        "terms",
        "player_dealer",
        "players",
        "actions",
        "round",
        "table",
        "seat",
        "wager",
        "bettor",
        "declined",
    ),
    *(
        "do",
        "spot",
        "amount",
        "kind",
        "to",
        "cards",
        "hand",
        "of",
        "choice",
        "times",
        "pure",
        "reason",
        "detail",
        "trips",
    ),
    *("dealing", "decks", "schedule", "chip", "limits", "coverage", "progressive", "meter", "tiers", "1", "x"),
]
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(0, 9),
    st.floats(),
    st.text(st.characters(exclude_categories=())),
    st.sampled_from(
        [*KEYS, *RULESETS, "bet", "settle", "5.00", "0.00", "As", "ante", "game", "dealer", "raise", "void"]
    ),
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.one_of(st.sampled_from(KEYS), st.text(max_size=3)), inner, max_size=5),
    ),
    max_leaves=20,
)


def readable(line: bytes) -> bool:
    """Whether a careful reader takes the line for JSON; digits are not counted."""
    try:
        json.loads(line.decode("utf-8"), object_pairs_hook=_distinct, parse_constant=_refuse, parse_int=len)
    except (ValueError, RecursionError):
        return False
    return True


def _distinct(pairs: list[tuple[str, Any]]) -> Json:
    if len({name for name, _ in pairs}) != len(pairs):
        raise ValueError("a key twice")
    return dict(pairs)


def _refuse(name: str) -> None:
    raise ValueError(name)


def check_any(line: bytes) -> Json:
    answer = adjudicated(line)
    if not readable(line):
        assert answer["error"] is not None
        assert answer["error"]["code"] == "bad_document"
        assert (answer["round"], answer["ruleset"], answer["error"]["action"]) == (None, None, None)
    return answer


@laws(300)
@given(VALUES)
def test_fuzz_any_json_value(value: Any):
    check_any(json.dumps(value).encode())


@laws(300)
@given(st.fixed_dictionaries({"ruleset": st.sampled_from(RULESETS), "actions": st.lists(VALUES, max_size=4)}, optional={
    "terms": VALUES, "players": VALUES, "player_dealer": VALUES, "round": LEAVES, "table": LEAVES,
}))  # fmt: skip
def test_fuzz_any_json_value_in_the_place_of_a_part(document: Json):
    check_any(json.dumps(document).encode())


@laws(200)
@given(st.binary(max_size=200))
def test_fuzz_any_bytes(line: bytes):
    check_any(line)


def spoil_bytes(roll: random.Random, line: bytes) -> bytes:
    data = bytearray(line)
    for _ in range(roll.randint(1, 3)):
        at, end = sorted(roll.randrange(len(data) + 1) for _ in range(2))
        end = min(end, at + roll.choice((1, 2, 40)))
        match roll.randrange(5):
            case 0:
                data[at:end] = roll.randbytes(roll.randint(0, 3))
            case 1:
                data[at:at] = roll.choice(
                    (b'"', b"\\", b"{", b"}", b"[", b",", b":", b"null", b"1e999", b"\\ud800", b"-0")
                )
            case 2:
                del data[at:end]
            case 3:
                data[at:at] = data[at:end]
            case _:
                data[at:end] = roll.choice(string.printable).encode() * (end - at)
    return bytes(data)


def spoil_structure(roll: random.Random, document: Json) -> Json:
    """Some part replaced by another part of the same document or by something strange, left out, or put in again."""
    document = copy.deepcopy(document)
    for _ in range(roll.randint(1, 2)):
        places = [at for at in every_place(document) if at]
        at = roll.choice(places)
        holder, step = inside(document, at[:-1]), at[-1]
        strange: Any = roll.choice(
            (None, True, 0, -1, 1.0, 10**30, "", "0.00", "\ud800", [], {}, float("inf"), "As", 2, "dealer", "seat-1")
        )
        other = copy.deepcopy(inside(document, roll.choice(places)))
        match roll.randrange(6):
            case 0:
                holder[step] = strange
            case 1:
                holder[step] = other
            case 2:
                del holder[step]
            case 3 if isinstance(holder, dict):
                holder[roll.choice(KEYS)] = roll.choice((strange, other))
            case 4 if isinstance(holder, list):
                holder.insert(roll.randint(0, len(holder)), roll.choice((strange, other, copy.deepcopy(holder[0]))))
            case 5 if isinstance(holder, list):
                holder[:] = roll.sample(holder, len(holder))
            case _:
                actions = document.get("actions")
                if isinstance(actions, list) and actions:
                    moved = actions.pop(roll.randrange(len(actions)))
                    actions.insert(roll.randint(0, len(actions)), moved)
        if not document:
            break
    return document


@laws(300)
@given(documents(), dice())
def test_fuzz_legal_documents_with_spoiled_bytes(document: Json, roll: random.Random):
    line = json.dumps(document, ensure_ascii=roll.random() < 0.5).encode()
    check_any(spoil_bytes(roll, line))


@laws(600)
@given(documents(), dice())
def test_fuzz_legal_documents_with_spoiled_parts(document: Json, roll: random.Random):
    """Whatever was refused, everything before the refused action is accepted by itself."""
    document = spoil_structure(roll, document)
    answer = check_any(json.dumps(document).encode())
    if answer["error"] is not None and answer["error"]["action"] is not None:
        at = answer["error"]["action"]
        before = adjudicated(json.dumps({**document, "actions": document["actions"][:at]}).encode())
        assert before["error"] is None

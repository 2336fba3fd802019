"""Every mistake in a rule-set file is reported at once, each with its line."""

from __future__ import annotations

import re
from datetime import date

import pytest

from domain.rules.loader import load
from domain.rules.mistakes.report import mistakes
from tests.domain.rules.broken_files import broken_variants
from tests.domain.rules.damaged_files import DAMAGES, damaged
from tests.domain.rules.own_rules import IDS, own_text

FAMILIES = ("uth-sd", "tcp-casino-club", "p215-casino-club")
KEY = re.compile(r"(?P<key>[a-z_]+) = \S")
VARIANTS = 12  # of each file


def mistakes_in(text: str, ruleset: str) -> list[tuple[int, str]]:
    return [(error.line, error.message) for error in mistakes(text, f"{ruleset}.toml")]


@pytest.mark.parametrize("ruleset", FAMILIES)
def test_a_right_file_has_none(ruleset: str):
    assert mistakes_in(load(ruleset).text, ruleset) == []


def test_mistakes_of_every_kind_are_reported_together_from_the_first_line_down():
    text = load("tcp-casino-club").text
    for before, after in (
        ('held_by = "player-dealer"', 'held_by = "nobody"'),
        ("count = 7", 'count = "seven"\nchairs = 7'),
        ('pays = "1:1"', 'pays = "even"'),
    ):
        assert before in text
        text = text.replace(before, after, 1)
    found = mistakes_in(text, "tcp-casino-club")
    assert {message for _, message in found} == {
        "`chairs` is not known in `seats`",
        "`seats.count` must be a whole number; it is text in quotes",
        "`bank.held_by` must be 'player-dealer' or 'house', not 'nobody'",
        '`odds[0].pays` must be odds like "3:2"',
    }
    assert [line for line, _ in found] == sorted(line for line, _ in found)


def test_wrong_meanings_do_not_hide_each_other():
    text = load("p215-casino-club").text
    for before, after in (
        ('spot = "buster"', 'spot = "booster"'),
        ('share = "1:2"', 'share = "half"'),
        ("usual = 6", "usual = 9"),
        ('clause = "p215/dealing/10"', 'clause = "p215/dealing/99"'),
        ('name = "game"', 'name = "gamble"'),
        ('points = ["dealer_bust"]', "points = []"),
    ):
        assert before in text
        text = text.replace(before, after, 1)
    found = " | ".join(message for _, message in mistakes_in(text, "p215-casino-club"))
    for words in ("'booster'", "'half'", "number of decks", "'p215/dealing/99'", "'gamble'", "'dealer_bust'"):
        assert words in found


def mistyped_variants(ruleset: str) -> list[tuple[int, str]]:
    """The file with the value of one line replaced by one of a type that no key has, and the number of that line."""
    lines = load(ruleset).text.split("\n")
    whole = [number for number, line in enumerate(lines) if KEY.match(line) and not line.endswith(("[", "{"))]
    chosen = whole[:: max(1, len(whole) // VARIANTS)]
    return [
        (number + 1, "\n".join([*lines[:number], KEY.sub(r"\g<key> = 1.5 #", lines[number]), *lines[number + 1 :]]))
        for number in chosen
    ]


@pytest.mark.parametrize("ruleset", FAMILIES)
def test_a_wrong_value_is_reported_on_its_own_line(ruleset: str):
    variants = mistyped_variants(ruleset)
    assert len(variants) >= VARIANTS
    for line, text in variants:
        assert line in [found for found, _ in mistakes_in(text, ruleset)]


def test_what_cannot_be_read_does_not_hide_the_rest():
    found = mistakes_in('id = "x"\nseats = [', "x")
    assert (2, "a bracket is opened and not closed") in found
    assert any("`family` is missing" in message for _, message in found)


def test_mistakes_of_syntax_type_and_meaning_are_reported_together():
    text = own_text("tcp-fen", date(2026, 12, 1))
    for before, after in (
        ('title = "', "title = "),  # syntax
        ("[seats]", "[seats"),
        ('\n]\nclause = "tcp/dealing/2"', '\nclause = "tcp/dealing/2"'),
        ("most = 1\n", "most = 1\nmost = 1\n"),
        ('usual = "0.50"', "usual = 50"),  # type
        ("rounds = 3", "round = 3"),
        ("option = 2", "option = 1"),  # meaning
        ('fee = "4.00"', 'fee = "0.40"'),
        ('at_least = "pair"', 'at_least = "pears"'),
    ):
        assert before in text, before
        text = text.replace(before, after, 1)
    found = " | ".join(f"{line}: {message}" for line, message in mistakes_in(text, "tcp-fen"))
    for words in (
        "3: this is no value",
        "12: a bracket is opened and not closed",
        "62: a bracket is opened and not closed",
        "the bracket that is opened on line 62 is not closed before this line",
        "`most` is there twice",
        "`chip.usual` must be text in quotes; it is a whole number",
        "`round` is not known in `rotation`; perhaps `rounds`",
        "`rounds` is missing in `rotation`",
        "schedule 1 occurs twice",
        "the fee 0.40 is below that of the tier before",
        "'pears' is not a hand of this game",
    ):
        assert words in found, (words, found)
    assert "title` is missing" not in found


def test_brackets_in_brackets_are_refused_and_not_followed():
    assert mistakes_in("x = " + "[" * 20_000, "x") == [(1, "brackets are nested too deeply")]


# ---- rule sets that nobody has seen, and hundreds of broken variants of them


@pytest.mark.parametrize("ruleset", DAMAGES)
def test_a_damaged_file_is_refused_with_the_line_that_is_wrong(ruleset: str):
    text = own_text(ruleset, date(2026, 12, 1))
    for damage in DAMAGES[ruleset]:
        line, broken = damaged(text, damage)
        found = mistakes_in(broken, ruleset)
        assert line in [number for number, _ in found], f"{line}: {damage}: {found}"


def test_hundreds_of_files_are_damaged():
    assert sum(map(len, DAMAGES.values())) > 200


@pytest.mark.parametrize(("ruleset", "number"), list(zip(IDS, (17, 17, 17, 17, 16, 16), strict=True)))
def test_a_broken_variant_is_refused_with_the_line_that_is_wrong(ruleset: str, number: int):
    text = own_text(ruleset, date(2026, 12, 1))
    assert mistakes_in(text, ruleset) == []
    for broken in broken_variants(text, number, seed=22):
        found = mistakes_in(broken.text, ruleset)
        assert broken.line in [line for line, _ in found], f"{broken.line}: {broken.what}: {found}"


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [  # {line}: the one that was changed, or the first after one that was taken away
        ('id = "tcp/deck/2"', 'id = "tcp/dcek/2"', "{line}: perhaps 'tcp/deck/2'"),
        (
            'id = "tcp/round/3b"',
            'id = "tcp/wins/2b"',
            "{line}: clause 'tcp/wins/2b' occurs twice; this is the first one",
        ),
        ('points = ["deck"]\n', "", "'deck' is answered by 'tcp/deck/2' in tcp-casino-club"),
        ('\n[[paytable]]\nid = "TCB-6B4"', '\nid = "TCB-6B4"', "{line}: 'id' is not a line of a table"),
        ('\n[[paytable]]\nid = "TCB-6B4"', '\nid = "TCB-6B4"', "perhaps a line [[paytable]] is missing"),
        ('"full house" = "20:1"', '"full house" = "2:1"', "{line}: 'full house' pays less than 'flush'"),
        ('fee = "2.00"', 'fee = "20.00"', "{line}: the fee 20.00 is above that of the next tier"),
        ('up_to = "50.00"', 'up_to = "150.00"', "{line}: the next bound is not above 150.00"),
        ('usual = "0.50"', 'usual = "90.00"', "{line}: with a usual chip of 90.00 nothing can be wagered on some"),
        ("multiples = [1, 2, 3]", "multiples = [1, 9]", "{line}: a cent on 'ante' can be owed up to 10 cents"),
        ('{ to = "burn", count = 2 }', '{ to = "burn", count = 40 }', "{line}: 76 cards are dealt to a full table"),
        ('id = "TCB-6B4"', 'id = "TCB 6B4"', "{line}: 'TCB 6B4' is not the id of a table"),
        ("most = 1\n", "most = 100\n", "{line}: nobody deals from 100 decks"),
        ('family = "tcp"', 'Family = "tcp"', "{line}: `Family` is not known; perhaps `family`"),
        ("[chip]", "[CHIP]", "{line}: `CHIP` is not known; perhaps `chip`"),
    ],
)
def test_what_may_be_wrong_is_named_on_both_lines(before: str, after: str, words: str):
    text = own_text("tcp-fen", date(2026, 12, 1))
    assert before in text
    line = text[: text.index(before)].count("\n") + 1 + before.startswith("\n")
    broken = text.replace(before, after, 1)
    found = [f"{number}: {message}" for number, message in mistakes_in(broken, "tcp-fen")]
    assert any(words.format(line=line) in one for one in found), found


def test_a_broken_section_brings_no_mistakes_that_are_none():
    text = own_text("tcp-fen", date(2026, 12, 1)).replace("most_tiers = 5", "most_tears = 5", 1)
    assert [message for _, message in mistakes_in(text, "tcp-fen")] == [
        "`most_tiers` is missing in `collection`",
        "`most_tears` is not known in `collection`; perhaps `most_tiers`",
    ]


def without_each_line(text: str) -> list[tuple[int, int, str]]:
    """The text without one of its lines, for each: its number, that of the header of its section, and the rest."""
    lines, header, found = text.split("\n"), 1, []
    for number, line in enumerate(lines, start=1):
        header = number if line.startswith("[") else header
        if line and not line.startswith("#"):
            found.append((number, header, "\n".join([*lines[: number - 1], *lines[number:]])))
    return found


@pytest.mark.parametrize(("ruleset", "first"), [("uth-fen", 0), ("tcp-fen", 3), ("p215-fen", 7)])
def test_a_line_that_is_missing_is_noticed_where_it_was_or_may_be_left_out(ruleset: str, first: int):
    every, noticed = without_each_line(own_text(ruleset, date(2026, 12, 1)))[first::23], 0
    for number, header, text in every:
        found = [line for line, _ in mistakes_in(text, ruleset)]
        assert not found or any(header <= line <= number + 3 for line in found), (number, found)
        noticed += bool(found)
    assert noticed > 20


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("version = 1\n", "", "`version` is missing"),
        ('limits = ["10.00", "300.00"]\n', "", "the limits of 'ante' are missing"),
        ("most = 1\n", "most = 0\n", "at least 1"),
    ],
)
def test_what_is_missing_is_named(before: str, after: str, words: str):
    text = own_text("uth-hill", date(2026, 12, 1))
    assert before in text
    found = mistakes_in(text.replace(before, after, 1), "uth-hill")
    assert any(words in message for _, message in found), found

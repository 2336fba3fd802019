"""Statistics worked out a second time, from round documents, their results and published counts of hands."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from math import comb, sqrt
from typing import Any

import pytest
from msgspec.structs import replace

from domain.cards import DECK
from domain.errors import BadChoice
from domain.floor.table_sessions import ChipsBought, ChipsCashed
from domain.hands.poker import three_card
from domain.round.corrections import Entry
from domain.round.events import LineSettled, RoundOpened
from domain.rules import rulesets
from infra.ledger.floor import Floor
from infra.ledger.ledger import Actor, Ledger
from projections.engine.runner import Runner
from projections.engine.table import FAR_MS
from projections.reports.report import Filters
from projections.reports.report_query import rows
from projections.reports.statistics_reports import SUMS
from projections.statistics.expectation import MILLIONTHS, expectations
from projections.statistics.explanation import Question
from tests.projections.simulated_floor import NOON_MS, record, simulated

DAY_MS = 86_400_000
THREE_CARDS = {
    "mini royal": 4,
    "straight flush": 44,
    "three of a kind": 52,
    "straight": 720,
    "flush": 1_096,
    "pair": 3_744,
}
SEVEN_CARDS = {
    "royal flush": 4_324,
    "straight flush": 37_260,
    "four of a kind": 224_848,
    "full house": 3_473_184,
    "flush": 4_047_644,
    "straight": 6_180_020,
    "three of a kind": 6_461_620,
}  # as every book on poker has them
PRIZES = ("progressive", "envy")  # some come off the meter, others out of the tray
Stakes = dict[Any, list[tuple[Decimal, Decimal]]]  # of each hand: stakes and what the bank won


def level(url: str) -> None:
    with Runner(url) as runner:
        runner.catch_up()


def expected(pays: dict[str, Any], counts: dict[str, int], hands: int) -> tuple[Fraction, Fraction]:
    """Mean and variance of what the bank wins with a wager of 1."""
    outcomes = [(Fraction(counts[hand], hands), -Fraction(odds.to, odds.per)) for hand, odds in pays.items()]
    outcomes.append((1 - sum((chance for chance, _ in outcomes), Fraction()), Fraction(1)))
    mean = sum((chance * won for chance, won in outcomes), Fraction())
    return mean, sum((chance * (won - mean) ** 2 for chance, won in outcomes), Fraction())


@pytest.mark.parametrize(
    ("ruleset", "spot", "counts", "cards"),
    [("tcp-casino-club", "pair_plus", THREE_CARDS, 3), ("uth-casino-club", "trips", SEVEN_CARDS, 7)],
)
def test_edge_and_variance_are_those_of_the_published_counts(
    ruleset: str, spot: str, counts: dict[str, int], cards: int
):
    rules = rulesets.load(ruleset)
    (edge,) = [edge for edge in rules.game.house_edges(rules) if edge.spot == spot]
    (table,) = rules.tables_for(spot).values()
    assert (edge.edge, edge.variance) == expected({**table.pays}, counts, comb(52, cards))


def test_wagers_have_the_edge_of_the_decks_in_play():
    rules = rulesets.changed(rulesets.load("p215-casino-club"), {"decks.fewest": 6, "decks.most": 6})
    rulesets.keep(rules)
    line = LineSettled(1, "p-1", 1, "buster", 100_00, "lose", None, 100_00, 0, 100_00, "bank", "", "")
    usual = rulesets.load("p215-casino-club")
    known = {edge.decks: edge.edge for edge in usual.game.house_edges(usual) if edge.spot == "buster"}
    for decks, terms in ((6, {}), (6, {"decks": 6})):  # the first as it was stored before terms had a fixed number
        opened = RoundOpened(None, None, rules.id, rules.content_hash, terms, {})
        (found,) = expectations(opened, [line])
        assert found.theoretical == round(100_00 * known[decks] * MILLIONTHS)


def test_hands_out_of_one_deck_are_all_but_independent():
    """Pair plus wagers at several seats are added up as if they were; by how much that is off is computed here."""
    rules = rulesets.load("tcp-casino-club")
    (table,) = rules.tables_for("pair_plus").values()
    won = {hand: Fraction(-table.pays[name].to) if name in table.pays else Fraction(1) for hand, name in _three_cards()}
    # Two hands are disjoint: sums over what they could have in common, in turn added and taken away.
    together = Fraction()
    for size, sign in ((0, 1), (1, -1), (2, 1), (3, -1)):
        sums: dict[tuple[str, ...], Fraction] = defaultdict(Fraction)
        for hand, amount in won.items():
            for common in combinations(hand, size):
                sums[common] += amount
        together += sign * sum((amount * amount for amount in sums.values()), Fraction())
    mean = sum(won.values(), Fraction()) / len(won)
    variance = sum((amount * amount for amount in won.values()), Fraction()) / len(won) - mean * mean
    covariance = together / (len(won) * comb(49, 3)) - mean * mean
    assert abs(covariance / variance) < Fraction(1, 100)


def _three_cards() -> Iterator[tuple[tuple[str, ...], str]]:
    for hand in combinations(DECK, 3):
        yield hand, three_card(hand).name


# ---- against documents and results


@pytest.fixture
def played(url: str, ledger: Ledger) -> tuple[str, list[dict[str, Any]], list[dict[str, Any]]]:
    documents = simulated(30)
    results = record(ledger, documents)
    level(url)
    return url, documents, results


def test_the_figures_are_those_of_the_rounds(played: Any):
    url, documents, results = played
    figures: dict[str, dict[str, Any]] = defaultdict(lambda: defaultdict(Decimal))
    with_prizes: set[str] = set()
    for document, result in zip(documents, results, strict=True):
        of = figures[document["table"]]
        if result["fee"] is not None:
            of["fees"] += Decimal(result["fee"]["amount"])
        if result["status"] != "settled":
            continue
        of["rounds"] += 1
        for line in result["lines"]:
            of["wagered"] += Decimal(line["wager"])
            if document.get("player_dealer") is None:
                of["win"] += Decimal(line["collected"]) - Decimal(line["paid"])
                with_prizes.update([document["table"]] if line["spot"] in PRIZES and Decimal(line["paid"]) else [])
    found = rows(url, "statistics-by-table")
    assert {row["table"] for row in found} == set(figures)
    for table in with_prizes:
        del figures[table]["win"]
    for row in found:
        assert {name: Decimal(row[name]) for name in figures[row["table"]]} == dict(figures[row["table"]]), row
        assert row["drop"] == row["fees"]  # nobody bought chips at a table
        per_round = Decimal(row["fees"]) / row["rounds"]
        assert abs(Decimal(row["fees_per_round"]) - per_round) <= Decimal("0.005")
    for other in ("statistics", "statistics-by-game", "statistics-by-shift", "statistics-by-day"):
        parts = rows(url, other)
        for name in ("rounds", "wagered", "win", "fees", "staked", "theoretical", "result"):
            off = sum((Decimal(row[name] or 0) for row in found), Decimal(0))
            off -= sum((Decimal(row[name] or 0) for row in parts), Decimal(0))
            assert abs(off) <= Decimal("0.30"), (other, name)  # each theoretical win is rounded to a cent


def test_what_was_expected_and_what_chance_explains(played: Any):
    url, documents, results = played
    spots: dict[tuple[str, str], Stakes] = defaultdict(lambda: defaultdict(list))
    priced = {"pair_plus": (THREE_CARDS, 3), "trips": (SEVEN_CARDS, 7)}
    terms: dict[str, tuple[str, Any]] = {}
    for document, result in zip(documents, results, strict=True):
        for line in result["lines"] if result["status"] == "settled" else ():
            if line["spot"] in priced:
                won = line["outcome"] == "win" or "would have won" in line["reason"]
                owed = Decimal(line["owed"])
                shared = line["spot"] == "trips"  # the board is everybody's
                hand = (result["round"], None if shared else line["seat"])
                spots[document["table"], line["spot"]][hand].append((Decimal(line["wager"]), -owed if won else owed))
                terms[document["table"]] = (document["ruleset"], (document.get("terms") or {}).get("trips"))
    found = {(row["table"], row["spot"]): row for row in rows(url, "statistics-by-wager") if row["spot"] in priced}
    assert found.keys() == spots.keys()
    for key, hands in spots.items():
        rules = rulesets.load(terms[key[0]][0])
        name: Any = terms[key[0]][1] or rules.usual_trips
        pays = (rules.tables_for("trips")[name] if key[1] == "trips" else rules.paytable_of[key[1]]).pays
        counts, cards = priced[key[1]]
        mean, variance = expected({**pays}, counts, comb(52, cards))
        staked = sum(stake for hand in hands.values() for stake, _ in hand)
        result = sum(won for hand in hands.values() for _, won in hand)
        spread = 1.959964 * sqrt(sum(float(sum(stake for stake, _ in hand)) ** 2 for hand in hands.values()) * variance)
        row = found[key]
        assert (Decimal(row["staked"]), Decimal(row["result"])) == (staked, result)
        assert float(row["theoretical"]) == pytest.approx(float(staked * Decimal(float(mean))), abs=0.01)
        assert float(row["low"]) == pytest.approx(float(row["theoretical"]) - spread, abs=0.02)
        assert float(row["high"]) == pytest.approx(float(row["theoretical"]) + spread, abs=0.02)
        assert row["outside"] == (not float(row["low"]) <= result <= float(row["high"]))


def test_live_rows_are_those_of_the_past_and_a_window_has_its_rounds_alone(played: Any):
    url, _, _ = played
    for name in ("statistics", "statistics-by-wager", "statistics-to-date"):
        assert rows(url, name, Filters(as_of=datetime(2200, 1, 1, tzinfo=UTC))) == rows(url, name)
    assert rows(url, "statistics", Filters(until=datetime.fromtimestamp(NOON_MS / 1000 - 60, UTC))) == []


# ---- a house table, and periods


def test_the_drop_is_what_was_dropped_and_the_hold_is_the_win_in_a_hundred_of_it(url: str, ledger: Ledger):
    documents = simulated(6, tables=1, only="uth-house")
    results = record(ledger, documents)
    table = documents[0]["table"]
    floor, at = Floor(ledger), Actor("f-1", NOON_MS + 10 * 60_000)
    floor.move_chips(table, ChipsBought("p-1", 400_00), at)
    floor.move_chips(table, ChipsBought("p-2", 100_00), at)
    floor.move_chips(table, ChipsCashed("p-1", 50_00), at)
    settled = next(result for result in results if result["status"] == "settled")
    line = settled["lines"][0]
    entry = Entry(line["seat"], line["bettor"], line["spot"], 7_00, "tray")
    ledger.correct(settled["round"], "Paid short.", "f-2", [entry], at)
    level(url)
    (row,) = rows(url, "statistics-by-table")
    lines = [line for result in results if result["status"] == "settled" for line in result["lines"]]
    win = sum((Decimal(line["collected"]) - Decimal(line["paid"]) for line in lines), Decimal("-7.00"))
    assert (row["drop"], Decimal(row["win"])) == ("500.00", win)
    assert row["hold"] == f"{100 * win / 500:.3f}"
    assert row["hours"] == f"{5 / 60:.3f}"  # six rounds, a minute apart
    assert (row["fees"], row["fees_per_hour"]) == ("0.00", "0.00")


def test_periods_to_date_are_compared_with_the_same_periods_before(url: str, ledger: Ledger):
    today = date(2026, 3, 31)
    days = [today, date(2026, 3, 30), date(2026, 3, 24), date(2026, 2, 28), date(2026, 1, 1), date(2025, 3, 31)]
    days += [date(2025, 4, 1), date(2026, 2, 1)]
    documents = iter(simulated(len(days), tables=1, only="uth-casino-club"))
    for day in sorted(days):
        noon = datetime(day.year, day.month, day.day, 20, tzinfo=UTC)
        record(ledger, [next(documents)], round(noon.timestamp() * 1000))
    level(url)
    by_day = {date.fromisoformat(row["gaming_day"]): row for row in rows(url, "statistics-by-day")}
    assert by_day.keys() == set(days)
    found = {row["period"]: row for row in rows(url, "statistics-to-date", Filters(gaming_day=today))}
    ranges = {
        "day": (today, today),
        "day before": (date(2026, 3, 30), date(2026, 3, 30)),
        "same day of the week before": (date(2026, 3, 24), date(2026, 3, 24)),
        "month to date": (date(2026, 3, 1), today),
        "month before, to the same day": (date(2026, 2, 1), date(2026, 2, 28)),
        "year to date": (date(2026, 1, 1), today),
        "year before, to the same day": (date(2025, 1, 1), date(2025, 3, 31)),
    }
    assert {name: (row["first"], row["last"]) for name, row in found.items()} == {
        name: (first.isoformat(), last.isoformat()) for name, (first, last) in ranges.items()
    }
    for name, (first, last) in ranges.items():
        within = [row for day, row in by_day.items() if first <= day <= last]
        assert found[name]["rounds"] == sum(row["rounds"] for row in within), name
        for amount in ("wagered", "fees", "drop", "staked"):
            assert Decimal(found[name][amount]) == sum(Decimal(row[amount]) for row in within), (name, amount)
    assert rows(url, "statistics-to-date", Filters(table="nowhere", gaming_day=today))[0]["rounds"] == 0


def test_an_explanation_keeps_the_figures_that_were_explained(url: str, ledger: Ledger):
    documents = simulated(12, tables=1, only="uth-bgc")
    record(ledger, documents[:8])
    level(url)
    (row,) = rows(url, "statistics-by-wager")
    (day,) = (date.fromisoformat(found["gaming_day"]) for found in rows(url, "statistics-by-day"))
    question = Question(row["table"], row["game"], row["spot"], day, day)
    ledger.explain_result(question.explained(url, "Một ván bài lớn."), Actor("acct-1", NOON_MS + DAY_MS))
    record(ledger, documents[8:], NOON_MS + DAY_MS // 8)  # the same day
    level(url)
    (explained,) = rows(url, "statistics-explanations")
    for name in ("table", "game", "spot", "staked", "theoretical", "result", "low", "high"):
        assert explained[name] == row[name]
    assert (explained["explanation"], explained["explained_by"]) == ("Một ván bài lớn.", "acct-1")
    assert explained["first"] == explained["last"] == day.isoformat()
    assert rows(url, "statistics-by-wager")[0]["staked"] != row["staked"]
    again = ledger.explain_result(question.explained(url, "And another."), Actor("acct-1", NOON_MS + DAY_MS))
    level(url)
    assert len(rows(url, "statistics-explanations")) == 2
    for wrong in (replace(again, text=" "), replace(again, text="x" * 2001), replace(again, first=date(2100, 1, 1))):
        with pytest.raises(BadChoice):
            ledger.explain_result(wrong, Actor("acct-1", NOON_MS + DAY_MS))
    with pytest.raises(BadChoice, match="Nothing was staked on pair plus"):
        replace(question, spot="pair_plus").explained(url, "Why?")


def test_the_far_day_is_the_same_in_both_places():
    assert str(FAR_MS) in SUMS

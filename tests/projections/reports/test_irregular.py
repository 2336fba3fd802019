"""Disputes, payments that differ, cards, shortfalls, voids, waivers: figures worked out by hand, equal to a rebuild."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, date, datetime
from decimal import Decimal
from random import Random
from typing import Any

import pytest

from domain.cards import DECK
from domain.disputes import disputes
from domain.disputes.disputes import Claim
from domain.moments import DAY_MS
from domain.round.actions import TakeBack
from domain.round.corrections import Entry
from domain.round.events import CardsDealt, CardsTurned, DecisionMade, PaymentReported
from infra.ledger.disputes.disputes import Disputes
from infra.ledger.floor import Floor
from infra.ledger.ledger import Actor, Contradicted, Ledger
from projections.export.formats import WRITERS
from projections.reports.chi_square import p_value
from projections.reports.irregularity_reports import IRREGULAR
from projections.reports.report import BadFilter, Filters
from projections.reports.report_query import rows
from tests.projections.models.test_floor import balances, level, one, rebuilt_is_the_same
from tests.projections.simulated_floor import NOON_MS, record, simulated
from tests.rules.hold_em import HoldEm
from tests.tables_in_play import bank_round, document

OPENER, ARBITER, LATER = (Actor(by, NOON_MS + 240_000) for by in ("floor-1", "floor-2", "floor-4"))
BEFORE, AFTER = datetime(2140, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)
DEADLINE = round(datetime(2150, 1, 1, tzinfo=UTC).timestamp() * 1000)  # whoever runs the tests, it has not come yet


def claim(spot: str = "ante", kind: Any = "payout", amount: int = 5_00) -> Claim:
    return Claim(1, spot, kind, amount, "Paid short.", DEADLINE)


@pytest.fixture
def played(url: str, ledger: Ledger) -> Ledger:
    """Five rounds at two tables: t-1 dealt by dealer-7 (three settled), t-2 by nobody (one settled, one void)."""
    record(ledger, [bank_round("t-1", round_id="r-0", end="void")])
    Floor(ledger).tap_in("t-1", "dealer-7", OPENER)
    for number, banker in enumerate(("a", "a", "b"), start=1):
        record(ledger, [bank_round("t-1", banker, round_id=f"r-{number}")], NOON_MS + number * 60_000)
    record(ledger, [bank_round("t-2", round_id="r-4")])
    return ledger


@pytest.fixture
def disputed(played: Ledger) -> Ledger:
    """d-1 upheld for 5.00 of two accounts, appealed and given 1.00 more; d-2 open; d-3 at t-2 denied and closed."""
    file = Disputes(played)
    file.open("r-1", claim(), OPENER, "d-1")
    file.open("r-2", claim(kind="card", amount=20_00), OPENER, "d-2")
    file.open("r-4", claim("blind", amount=7_00), OPENER, "d-3")
    paid = [Entry(1, "seat-1", "ante", 3_00, "house"), Entry(1, "seat-1", "ante", 2_00, "player-dealer")]
    file.rule("d-1", "upheld", "Short.", "floor-3", paid, DEADLINE, ARBITER)
    file.add("d-1", lambda it: disputes.appeal(it, "seat-1", "More.", DEADLINE + DAY_MS, NOON_MS), OPENER)
    more = [Entry(1, "seat-1", "blind", 1_00, "house")]
    file.rule_appeal("d-1", "partly upheld", "A dollar more.", "floor-5", more, LATER)
    file.rule("d-3", "denied", "It was right.", None, [], DEADLINE, ARBITER)
    file.add("d-3", lambda it: disputes.close(it, "accepted", "He agrees.", NOON_MS), OPENER)
    return played


def test_every_dispute_with_where_it_stands_and_what_it_came_to(url: str, disputed: Ledger):
    level(url)
    found = rows(url, "disputes")
    assert [(row["dispute"], row["status"], row["outcome"], row["awarded"]) for row in found] == [
        ("d-1", "decided", "partly upheld", "6.00"),
        ("d-2", "open", None, "0.00"),
        ("d-3", "closed", "denied", "0.00"),
    ]
    first, second, third = found
    assert (first["round"], first["table"], first["dealer"], first["player_dealer"]) == ("r-1", "t-1", "dealer-7", "a")
    assert (first["ruled_by"], first["decided_by"], first["closed"]) == ("floor-2", "floor-4", None)
    assert (third["dealer"], third["closed"], third["ruled_at"] is None) == ("nobody", "accepted", False)
    assert (second["kind"], second["claimed"], second["opened_by"]) == ("card", "20.00", "floor-1")
    rebuilt_is_the_same(url)


def test_overdue_is_what_waits_past_its_deadline_at_the_moment_of_the_report(url: str, disputed: Ledger):
    level(url)

    def overdue(**filters: Any) -> list[str]:
        return [row["dispute"] for row in rows(url, "disputes", Filters(**filters)) if row["overdue"]]

    assert overdue() == overdue(as_of=BEFORE) == []
    assert overdue(as_of=AFTER) == ["d-2"]
    asked = Filters(status="overdue", as_of=AFTER)
    assert [row["dispute"] for row in rows(url, "disputes", asked)] == ["d-2"]
    assert rows(url, "disputes", Filters(status="overdue")) == []


def test_disputes_by_dealer_by_table_and_by_kind_of_error(url: str, disputed: Ledger):
    level(url)
    assert rows(url, "disputes-by-dealer") == [
        {
            "dealer": "dealer-7",
            "disputes": 2,
            "open": 1,
            "overdue": 0,
            "upheld": 0,
            "partly_upheld": 1,
            "denied": 0,
            "claimed": "25.00",
            "awarded": "6.00",
            "rounds": ["r-1", "r-2"],
        },
        {
            "dealer": "nobody",
            "disputes": 1,
            "open": 0,
            "overdue": 0,
            "upheld": 0,
            "partly_upheld": 0,
            "denied": 1,
            "claimed": "7.00",
            "awarded": "0.00",
            "rounds": ["r-4"],
        },
    ]
    assert [(row["table"], row["disputes"]) for row in rows(url, "disputes-by-table")] == [("t-1", 2), ("t-2", 1)]
    kinds = {row["kind"]: (row["disputes"], row["claimed"], row["rounds"]) for row in rows(url, "disputes-by-kind")}
    assert kinds == {"payout": (2, "12.00", ["r-1", "r-4"]), "card": (1, "20.00", ["r-2"])}


def test_disputes_narrowed(url: str, disputed: Ledger):
    level(url)
    wanted: list[tuple[dict[str, Any], list[str]]] = [
        ({"table": "t-1"}, ["d-1", "d-2"]),
        ({"dealer": "nobody"}, ["d-3"]),
        ({"dealer": "dealer-7", "kind": "card"}, ["d-2"]),
        ({"status": "open"}, ["d-2"]),
        ({"status": "closed"}, ["d-3"]),
        ({"round": "r-4"}, ["d-3"]),
        ({"bettor": "seat-2"}, []),
    ]
    for filters, found in wanted:
        assert [row["dispute"] for row in rows(url, "disputes", Filters(**filters))] == found


def test_filters_that_a_report_does_not_have_or_does_not_know(url: str):
    level(url)
    for filters in (Filters(kind="weather"), Filters(status="lost")):
        with pytest.raises(BadFilter, match="none of"):
            rows(url, "disputes", filters)
    with pytest.raises(BadFilter, match="dealer"):
        rows(url, "bankroll", Filters(dealer="dealer-7"))


def test_a_disputed_round_says_so(url: str, disputed: Ledger):
    level(url)
    assert {row["round"]: row["disputed"] for row in rows(url, "hands")} == {
        "r-0": 0,
        "r-1": 1,
        "r-2": 1,
        "r-3": 0,
        "r-4": 1,
    }


def test_the_entries_of_a_ruling_are_a_source_of_their_own_that_sums_to_zero(url: str, disputed: Ledger):
    level(url)
    posted = [row for row in rows(url, "journal") if row["source"].startswith("dispute:")]
    assert {row["source"] for row in posted} == {"dispute:d-1"}
    assert {row["round"] for row in posted} == {"r-1"}
    moved: Counter[str] = Counter()
    for row in posted:
        moved[row["account"]] += int(Decimal(row["debit"]) * 100) - int(Decimal(row["credit"]) * 100)
    assert moved == {"player:seat-1": 6_00, "house": -4_00, "player-dealer:a": -2_00}
    assert balances(url)["house"] == -4
    rebuilt_is_the_same(url)


def test_payments_beside_what_the_rules_say(url: str, played: Ledger):
    """r-1: the ante of 10.00 wins 10.00 and was paid 15.00; of seat 2's 20.00, which are lost, 5.00 were not collected;
    the blind pushes and nothing moved. Then 4.00 of the 5.00 are taken back."""
    reports = [
        PaymentReported(1, "seat-1", 1, "ante", 15_00, 0),
        PaymentReported(1, "seat-1", 1, "blind", 0, 0),
        PaymentReported(2, "seat-2", 1, "ante", 0, 15_00),
    ]
    played.dealer_paid("r-1", reports, Actor("dealer-7", NOON_MS + 90_000))
    played.correct("r-1", "Overpaid", "floor-2", [Entry(1, "seat-1", "ante", -4_00, "player-dealer")], OPENER)
    level(url)
    assert [row["spot"] for row in rows(url, "payments")] == ["ante", "blind", "ante"]
    over, left_lying = rows(url, "irregular-payments")
    assert (over["round"], over["dealer"], over["reported_by"], over["seat"]) == ("r-1", "dealer-7", "dealer-7", 1)
    assert (over["due_paid"], over["paid"], over["difference"], over["corrected"], over["left"]) == (
        "10.00",
        "15.00",
        "5.00",
        "-4.00",
        "1.00",
    )
    assert (left_lying["due_collected"], left_lying["collected"], left_lying["difference"], left_lying["left"]) == (
        "20.00",
        "15.00",
        "5.00",
        "5.00",
    )
    assert over["clause"]
    assert rows(url, "irregular-payments", Filters(dealer="nobody")) == []
    assert len(rows(url, "irregular-payments", Filters(dealer="dealer-7", round="r-1"))) == 2
    rebuilt_is_the_same(url)


def guess_at_a_hidden_card(ledger: Ledger, round_id: str, by: str) -> None:
    """The aces of seat 1 are face down, and one of them is named again at seat 2."""
    with pytest.raises(Contradicted) as refused:
        ledger.act(round_id, [{"do": "deal", "to": 2, "cards": ["As", None]}], Actor(by, NOON_MS + 360_000))
    assert (refused.value.code, refused.value.action) == ("duplicate_card", None)


def deal_to_seat_1(ledger: Ledger, table: str, round_id: str) -> None:
    raw = bank_round(table, "b", round_id=round_id, end="open")
    at = next(at for at, action in enumerate(raw["actions"]) if action.get("to") == 2)
    record(ledger, [{**raw, "actions": raw["actions"][:at]}], NOON_MS + 300_000)


def test_contradictions_of_hidden_cards_with_who_posted_them(url: str, played: Ledger):
    """Two in a round of dealer-7, and one at a table without a dealer."""
    deal_to_seat_1(played, "t-1", "r-5")
    deal_to_seat_1(played, "t-2", "r-6")
    for round_id, by in (("r-5", "eve"), ("r-5", "eve"), ("r-6", "mal")):
        guess_at_a_hidden_card(played, round_id, by)
    level(url)
    found = rows(url, "hidden-card-contradictions")
    assert [(row["round"], row["table"], row["dealer"], row["posted_by"], row["in_round"]) for row in found] == [
        ("r-5", "t-1", "dealer-7", "eve", 2),
        ("r-5", "t-1", "dealer-7", "eve", 2),
        ("r-6", "t-2", "nobody", "mal", 1),
    ]
    assert {row["code"] for row in found} == {"duplicate_card"}
    assert "As" not in str(found)
    assert len(rows(url, "hidden-card-contradictions", Filters(dealer="dealer-7", round="r-5"))) == 2
    assert rows(url, "hidden-card-contradictions", Filters(table="t-3")) == []
    rebuilt_is_the_same(url)


def test_voids_and_waivers_per_dealer(url: str, played: Ledger):
    """r-0 was void before dealer-7 came. One of their own is voided and its fee waived."""
    record(played, [bank_round("t-1", "b", round_id="r-5", end="void")], NOON_MS + 300_000)
    played.waive_fee("r-5", "refunded", "Misdeal.", OPENER)
    played.waive_fee("r-0", "not dropped", "Misdeal.", OPENER)
    level(url)
    voids = {
        row["dealer"]: (row["rounds"], row["voided"], row["percent"], row["misdeal"]) for row in rows(url, "voids")
    }
    assert voids == {"nobody": (2, 1, "50.000", 1), "dealer-7": (4, 1, "25.000", 1)}
    waivers = rows(url, "waivers")
    assert [(row["dealer"], row["rounds"], row["fees"], row["waivers"], row["waived"]) for row in waivers] == [
        ("dealer-7", 4, "4.00", 1, "1.00"),
        ("nobody", 2, "2.00", 1, "1.00"),
    ]
    assert (one(waivers, dealer="dealer-7")["refunded"], one(waivers, dealer="nobody")["not_dropped"]) == (
        "1.00",
        "1.00",
    )
    assert one(waivers, dealer="dealer-7")["hands"] == "/v1/rounds?dealer=dealer-7&waived=true"
    assert one(rows(url, "voids"), dealer="nobody")["hands"] == "/v1/rounds?dealer=nobody&voided=true"
    assert rows(url, "voids", Filters(dealer="dealer-7"))[0]["rounds"] == 4


def test_shortfalls_per_player_dealer(url: str, ledger: Ledger):
    """A bank of 20.00 faces a win of 50.00 at seat 1 (ante 10.00, play 40.00): 30.00 stay unpaid."""
    short = HoldEm.at("uth-casino-club", banker=7, wager=20, players={7: "poor"}).bet(1, ante=10, blind=10)
    short = short.deal_out({1: "AsAd"}, "QsQc").raise_(1, 4).reveal_all().settle()
    record(ledger, [document(short, "t-1", "r-1"), bank_round("t-1", "rich", round_id="r-2")])
    level(url)
    assert [{**row, "last_at": None} for row in rows(url, "shortfalls")] == [
        {
            "player_dealer": "poor",
            "rounds": 1,
            "short_rounds": 1,
            "shortfall": "30.00",
            "largest": "30.00",
            "last_at": None,
            "hands": "/v1/rounds?player_dealer=poor&shortfall=true",
        },
        {
            "player_dealer": "rich",
            "rounds": 1,
            "short_rounds": 0,
            "shortfall": "0.00",
            "largest": "0.00",
            "last_at": None,
            "hands": "/v1/rounds?player_dealer=rich&shortfall=true",
        },
    ]
    assert rows(url, "shortfalls", Filters(bettor="rich"))[0]["short_rounds"] == 0


# ---- cards


def counted(ledger: Ledger, round_ids: list[str]) -> tuple[Counter[str], list[int]]:
    """A second way: the board, and what is face up before anybody decides, from the stored events."""
    seen: Counter[str] = Counter()
    sizes = []
    for round_id in round_ids:
        shown: list[str] = []
        dealing = True
        for entry in ledger.entries(round_id):
            event = entry.event
            if isinstance(event, CardsDealt) and dealing:
                shown += [card for card in event.cards[event.face_down :] if card is not None]
            elif isinstance(event, CardsTurned):
                dealing = False
                shown += event.cards if event.of in ("flop", "turn_river") else ()
            elif isinstance(event, DecisionMade):
                dealing = False
        seen.update(shown)
        sizes.append(len(shown))
    return seen, sizes


@pytest.mark.parametrize(
    ("ruleset", "least", "most"), [("uth-club", 5, 5), ("tcp-casino-club", 1, 1), ("p215-casino-club", 3, 17)]
)
def test_card_frequencies_count_what_is_shown_whatever_it_is(
    url: str, ledger: Ledger, ruleset: str, least: int, most: int
):
    results = record(ledger, simulated(60, tables=1, only=ruleset))
    level(url)
    seen, sizes = counted(ledger, [result["id"] for result in results])
    settled = [size for size in sizes if size]
    assert least <= min(settled)
    assert max(settled) <= most
    frequencies = rows(url, "card-frequencies")
    assert sum(row["cards"] for row in frequencies) == sum(sizes)
    assert sum(row["rounds"] for row in frequencies) == len(settled)
    found: Counter[str] = Counter()
    for row in rows(url, "card-counts"):
        found[row["card"]] += row["seen"]
    assert found == seen
    days = {date.fromisoformat(row["gaming_day"]) for row in rows(url, "hands")}
    by_day = [row for day in days for row in rows(url, "card-frequencies", Filters(gaming_day=day))]
    assert sum(row["cards"] for row in by_day) == sum(sizes)
    assert sum(row["rounds"] for row in by_day) == len(settled)
    for row in frequencies:
        assert row["expected"] == f"{row['cards'] / 52:.3f}"
        assert row["hands"].startswith(f"/v1/rounds?table={ruleset}")
    rebuilt_is_the_same(url)


def test_the_statistic_is_that_of_cards_dealt_without_replacement(url: str, ledger: Ledger):
    """For rounds that show 5 cards of one deck, the variance of a count is less than that of a die by (52 - 5) / 51."""
    results = record(ledger, simulated(70, tables=1, only="uth-house"))
    level(url)
    (row,) = rows(url, "card-frequencies")
    seen, sizes = counted(ledger, [result["id"] for result in results])
    expected = sum(sizes) / 52
    variance = sum(size * (52 - size) / 51 / 52 for size in sizes)
    statistic = sum((seen[card] - expected) ** 2 for card in DECK) / variance
    assert row["chi_square"] == f"{statistic:.3f}"
    assert row["degrees"] == 51
    assert row["p_value"] == f"{p_value(statistic, 51):.4f}"
    assert (row["deck"], row["decks"], row["dealing"]) == (None, 1, "shuffler")
    assert (row["most_seen"], row["least_seen"]) == (max(seen.values()), min(seen[card] for card in DECK))


def test_too_few_cards_are_not_tested_and_two_decks_are_told_apart(url: str, ledger: Ledger):
    record(ledger, simulated(20, tables=1, only="uth-club"))
    level(url)
    found = rows(url, "card-frequencies")
    assert {row["deck"] for row in found} == {"blue", "red"}
    assert {row["p_value"] for row in found} == {None}


def test_fair_decks_are_not_found_odd_and_a_marked_card_is():
    """The test itself, on a thousand samples of 200 boards: about one in twenty below 0.05, and far below with a king
    that comes twice as often."""
    dice = Random(20_260_308)

    def p_of(boards: int, cards: list[str]) -> float:
        seen: Counter[str] = Counter()
        for _ in range(boards):
            board: set[str] = set()
            while len(board) < 5:
                board.add(dice.choice(cards))
            seen.update(board)
        expected, variance = boards * 5 / 52, boards * 5 * 47 / 51 / 52
        return p_value(sum((seen[card] - expected) ** 2 for card in DECK) / variance, 51)

    fair = [p_of(200, list(DECK)) for _ in range(300)]
    assert 3 <= sum(p < 0.05 for p in fair) <= 30
    assert 0.4 < sum(fair) / len(fair) < 0.6
    assert p_of(2000, [*DECK, "Kd"]) < 1e-6


def test_each_report_in_every_format_live_and_in_the_past(url: str, disputed: Ledger):
    disputed.dealer_paid("r-1", [PaymentReported(1, "seat-1", 1, "ante", 15_00, 0)], OPENER)
    deal_to_seat_1(disputed, "t-1", "r-5")
    guess_at_a_hidden_card(disputed, "r-5", "eve")
    disputed.act("r-5", [TakeBack("A slip of the finger.", "floor-1")], OPENER)
    level(url)
    before = Filters(until=datetime.fromtimestamp(NOON_MS / 1000 - 60, UTC))
    for name in (report.name for report in IRREGULAR):
        live = rows(url, name)
        assert live, name
        assert rows(url, name, Filters(as_of=BEFORE)) == live
        for format_, write in WRITERS.items():
            assert write(name, live), format_
        assert rows(url, name, before) == []


def _by(found: list[dict[str, Any]], who: str) -> dict[str, list[dict[str, Any]]]:
    grouped: dict[str, list[dict[str, Any]]] = {}
    for row in found:
        grouped.setdefault(row[who], []).append(row)
    return grouped


@pytest.mark.parametrize("within", [{}, {"since": datetime.fromtimestamp((NOON_MS + 1_200_000) / 1000, UTC)}])
def test_what_is_added_up_as_it_happens_is_the_sum_of_the_hands(url: str, ledger: Ledger, within: dict[str, Any]):
    """Voids, waivers and shortfalls have rows of their own, which have to say what the rounds one by one say."""
    record(ledger, simulated(12))
    level(url)
    filters = Filters(**within)
    hands = rows(url, "hands", filters)
    ended = _by([row for row in hands if row["status"] != "open"], "dealer")
    assert {row["dealer"]: (row["rounds"], row["voided"], row["last_at"]) for row in rows(url, "voids", filters)} == {
        dealer: (
            len(found),
            sum(row["voided"] is not None for row in found),
            max((row["opened_at"] for row in found if row["voided"] is not None), default=None),
        )
        for dealer, found in ended.items()
    }
    charged = _by([row for row in hands if row["fee"] != "0.00"], "dealer")
    assert {row["dealer"]: (row["rounds"], Decimal(row["fees"])) for row in rows(url, "waivers", filters)} == {
        dealer: (len(found), sum(Decimal(row["fee"]) for row in found)) for dealer, found in charged.items()
    }
    banked = _by([row for row in hands if row["status"] == "settled" and row["player_dealer"]], "player_dealer")
    short = {
        row["player_dealer"]: (row["rounds"], Decimal(row["shortfall"])) for row in rows(url, "shortfalls", filters)
    }
    assert short == {
        who: (len(found), sum(Decimal(row["shortfall"]) for row in found)) for who, found in banked.items()
    }
    assert banked
    assert any(row["voided"] for row in hands)

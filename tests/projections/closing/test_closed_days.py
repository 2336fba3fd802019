"""A closed day stays as it is, whatever is entered afterwards; what concerns it is posted on the next open day."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import date, timedelta
from decimal import Decimal
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from domain.audit.findings import Finding
from domain.books.cash import BoughtIn, CashedOut
from domain.books.closings import Balance
from domain.disputes.disputes import Claim
from domain.errors import BadChoice, Conflict, OutOfTurn, Refusal
from domain.floor.table_sessions import ChipsBought, ChipsCashed, TrayCount, TrayCredited, TrayFilled
from domain.round.corrections import Entry
from domain.round.events import PaymentReported
from infra.ledger.books import closings
from infra.ledger.books.cash import move_cash
from infra.ledger.books.slips import Slips
from infra.ledger.disputes.disputes import Disputes
from infra.ledger.floor import Floor
from infra.ledger.ledger import Actor, Ledger
from infra.ledger.regulation.explanations import explain_result
from projections.audit.run import Audit
from projections.closing.day_closing import DayClosing
from projections.engine.rebuild import rebuild
from projections.reports.report import Filters
from projections.reports.report_query import rows
from projections.statistics.explanation import Question
from projections.views.books.closing_views import Periods, period_of
from tests.projections.closing.closed_floor import (
    DAY,
    EXPLANATION,
    HOUR_MS,
    at,
    catch_up,
    closing_of,
    count_out,
    floor_of,
    money_reports,
    play_first_day,
)
from tests.projections.figures import banker, bankroll
from tests.projections.simulated_floor import everything, record, simulated
from tests.tables_in_play import bank_round

NEXT = DAY + timedelta(days=1)
FEWEST, MOST = 60, 120  # entries of an example


class Entered:
    """A ledger whose first day is closed, and everything that was entered in it since."""

    def __init__(self, url: str, ledger: Ledger) -> None:
        self.url, self.ledger, self.floor = url, ledger, Floor(ledger)
        self.rounds = floor_of()
        self.results = play_first_day(ledger, self.rounds)
        self.closing = closing_of(url, ledger)
        self.closed = self.closing.close(DAY, EXPLANATION, "a-2", at(30))
        self.before = money_reports(url, DAY)
        self.corrected: dict[str, int] = defaultdict(int)
        self.entered = 0
        self._more = iter(simulated(150, seed=99, tables=1))
        self._tables = sorted({one["table"] for one in self.rounds})

    def enter(self, kind: str, hours: float, choice: int) -> None:
        """One entry of the kind, dated so many hours after the day began; one that the rules refuse is left out."""
        with suppress(Refusal):
            getattr(self, f"_{kind}")(at(hours, late=True), Random(choice))
            self.entered += 1

    def _round(self, actor: Actor, random: Random) -> None:
        document = next(self._more)
        result = self.ledger.record(document, actor)
        assert result["status"] != "refused", result["error"]
        self.rounds.append(document)
        self.results.append(result)

    def _line(self, random: Random) -> tuple[str, dict[str, Any]]:
        settled = [one for one in self.results if one["status"] == "settled"]
        result = random.choice(settled)
        return result["round"], random.choice([line for line in result["lines"] if line["spot"] != "envy"])

    def _correction(self, actor: Actor, random: Random) -> None:
        round_id, line = self._line(random)
        amount, account = random.choice([1_00, 25_50, -3_00]), random.choice(["bank", "tray", "cage"])
        entry = Entry(line["seat"], line["bettor"], line["spot"], amount, account, line["hand"])
        self.ledger.correct(round_id, "Misread", "m-1", [entry], actor)
        self.corrected[line["bettor"]] += amount
        bank = self._bank_of(round_id)
        if account == "bank" and bank is not None:
            self.corrected[bank] -= amount

    def _bank_of(self, round_id: str) -> str | None:
        return banker(next(one for one in self.rounds if one["round"] == round_id))

    def _ruling(self, actor: Actor, random: Random) -> None:
        round_id, line = self._line(random)
        claim = Claim(line["seat"], line["spot"], "payout", 5_00, "Short", actor.at_ms + HOUR_MS, line["bettor"])
        disputes, name = Disputes(self.ledger), f"d-{self.entered}"
        disputes.open(round_id, claim, actor, name)
        entry = Entry(line["seat"], line["bettor"], line["spot"], 5_00, "cage", line["hand"])
        until = actor.at_ms + 10 * HOUR_MS
        disputes.rule(name, "upheld", "Underpaid", "m-2", [entry], until, actor)
        self.corrected[line["bettor"]] += 5_00

    def _waiver(self, actor: Actor, random: Random) -> None:
        void = [one["round"] for one in self.results if one["status"] == "void" and one["fee"] is not None]
        self.ledger.waive_fee(random.choice(void or ["r-none"]), "refunded", "Misdeal", actor)

    def _chips(self, actor: Actor, random: Random) -> None:
        move = ChipsBought("p-9", 100_00) if random.random() < 0.5 else ChipsCashed("p-9", 40_00)
        self.floor.move_chips(random.choice(self._tables), move, actor)

    def _tray(self, actor: Actor, random: Random) -> None:
        move = TrayFilled(500_00, "F-9") if random.random() < 0.5 else TrayCredited(50_00, "K-9")
        self.floor.move_chips(random.choice(self._tables), move, actor)

    def _slip(self, actor: Actor, random: Random) -> None:
        """A fill or a credit from the request to the issue, or to the void."""
        slips, table = Slips(self.ledger), random.choice(self._tables)
        number = slips.request("fill" if random.random() < 0.5 else "credit", table, {100_00: 2}, actor).number
        if random.random() < 0.8:
            slips.issue(number, "f-2", replace(actor, by="c-1"))
        if random.random() < 0.4:
            slips.void(number, "Brought twice.", "f-2", replace(actor, by="c-1"))

    def _slip_count(self, actor: Actor, random: Random) -> None:
        table, pieces = random.choice(self._tables), {5_00: random.randrange(900)}
        when: TrayCount = "opening" if random.random() < 0.5 else "closing"
        Slips(self.ledger).count_tray(table, when, pieces, "f-2", actor)

    def _cash(self, actor: Actor, random: Random) -> None:
        patron = f"p-{random.randrange(3)}"
        moves: list[BoughtIn | CashedOut] = [BoughtIn(patron, 6_000_00, "cash"), CashedOut(patron, 70_00, "other")]
        move_cash(self.ledger, random.choice(moves), actor)

    def _meter(self, actor: Actor, random: Random) -> None:
        for meter in {row["meter"] for row in rows(self.url, "meters")}:
            self.floor.adjust_meter(meter, random.randrange(9_000_00), 0, "Reset", "m-1", actor)

    def _payment(self, actor: Actor, random: Random) -> None:
        round_id, line = self._line(random)
        wager = line["seat"], line["bettor"], line["hand"], line["spot"]
        self.ledger.dealer_paid(round_id, [PaymentReported(*wager, random.randrange(50_00), 0)], actor)

    def _explanation(self, actor: Actor, random: Random) -> None:
        row = random.choice(rows(self.url, "statistics-by-wager", Filters(gaming_day=DAY)))
        question = Question(row["table"], row["game"], row["spot"], DAY, DAY)
        explain_result(self.ledger, question.explained(self.url, "A lucky night."), actor)

    def _tray_count(self, actor: Actor, random: Random) -> None:
        self.floor.count_tray(
            random.choice(self._tables), random.randrange(9_000_00), random.choice(["opening", "closing"]), actor
        )

    def _box(self, actor: Actor, random: Random) -> None:
        """As late as it happened; who swaps a box states no time before the table's last."""
        count_out(self.ledger, random.choice(self._tables), 40 + self.entered / 10)

    def _registration(self, actor: Actor, random: Random) -> None:
        bettor = random.choice([line["bettor"] for one in self.results for line in one["lines"]])
        self.floor.register_bettor(bettor, random.choice(["patron", "proposition"]), actor)

    def _note(self, actor: Actor, random: Random) -> None:
        self.ledger.note(self._line(random)[0], "other", "Looked at again.", None, actor)


@pytest.fixture(scope="module")
def entered(ledger_url: str) -> Iterator[Entered]:
    with closing(Ledger(ledger_url)) as ledger:
        yield Entered(ledger_url, ledger)


KINDS = (
    *("round", "correction", "ruling", "waiver", "payment", "note", "explanation", "registration"),
    *("chips", "cash", "tray", "tray_count", "slip", "slip_count", "box", "meter"),
)
operations = st.lists(
    st.tuples(st.sampled_from(KINDS), st.floats(0, 23, width=32), st.integers(0, 1 << 30)),
    min_size=FEWEST,
    max_size=MOST,
)


@settings(max_examples=15, suppress_health_check=list(HealthCheck))
@given(operations)
def test_whatever_is_entered_afterwards_a_closed_day_stays_byte_for_byte(
    entered: Entered, made: list[tuple[str, float, int]]
) -> None:
    """All examples go into one ledger: what one of them changed would be found with each later one."""
    for kind, hours, choice in made:
        entered.enter(kind, hours, choice)
    assert money_reports(entered.url, DAY) == entered.before


def test_the_sums_over_all_days_are_those_of_the_rounds(entered: Entered) -> None:
    assert entered.entered > 600
    url = entered.url
    days = sorted({date.fromisoformat(row["gaming_day"]) for row in rows(url, "journal")})
    assert days[0] == DAY
    assert len(days) > 1
    assert _added(url, "trial-balance", "account", ("debit", "credit"), days) == _added(
        url, "trial-balance", "account", ("debit", "credit"), [None]
    )
    figures = ("rounds", "wagered", "won", "lost", "fees")
    all_days = _added(url, "bankroll", "bettor", figures, [None])
    assert _added(url, "bankroll", "bettor", figures, days) == all_days
    expected = bankroll(zip(entered.rounds, entered.results, strict=True))
    for bettor, figure in expected.items():
        net = Decimal(figure["net"]) + Decimal(entered.corrected.get(bettor, 0)) / 100
        assert all_days[bettor]["rounds"] == figure["rounds"]
        assert all_days[bettor]["wagered"] == Decimal(figure["wagered"])
        assert all_days[bettor]["won"] - all_days[bettor]["lost"] == net
    assert {row["adjusts"] for row in rows(url, "adjustments")} >= {DAY.isoformat()}
    assert all(row["gaming_day"] > row["adjusts"] for row in rows(url, "adjustments"))


def _added(
    url: str, name: str, key: str, columns: tuple[str, ...], days: list[date] | list[None]
) -> dict[str, dict[str, Decimal]]:
    found: dict[str, dict[str, Decimal]] = defaultdict(lambda: dict.fromkeys(columns, Decimal(0)))
    for day in days:
        for row in rows(url, name, Filters(gaming_day=day)):
            for column in columns:
                found[row[key]][column] += Decimal(row[column])
    return dict(found)


def test_a_rebuild_posts_everything_on_the_same_day(entered: Entered) -> None:
    live = everything(entered.url)
    rebuild(entered.url, page=500)
    assert everything(entered.url) == live
    assert money_reports(entered.url, DAY) == entered.before


# ---- closing and reopening


def test_a_day_is_closed_by_two_people_once_it_is_over_and_complete(url: str, ledger: Ledger) -> None:
    record(ledger, [bank_round("t-1", round_id="r-1"), bank_round("t-1", round_id="r-2", bettor="b", end="open")])
    closing = closing_of(url, ledger)
    with pytest.raises(OutOfTurn, match=r"Round r-2 is still open at table t-1. Box t-1-box-1 .* still on the table"):
        closing.close(DAY, None, "a-2", at(30))
    ledger.act("r-2", [{"do": "void", "reason": "misdeal"}], at(1))
    count_out(ledger, "t-1", 2)
    with pytest.raises(BadChoice, match="Two different people"):
        closing.close(DAY, None, "a-1", at(30))
    with pytest.raises(OutOfTurn, match="is not over"):
        closing.close(closing.today, None, "a-2", at(30))
    closed = closing.close(DAY, None, "a-2", at(30))
    assert sum(balance.debit - balance.credit for balance in closed.balances) == 0
    assert {balance.account: balance.debit - balance.credit for balance in closed.balances} == {
        row["account"]: round(Decimal(row["balance"]) * 100) for row in rows(url, "trial-balance")
    }
    with pytest.raises(Conflict, match="already closed"):
        closing.close(DAY, None, "a-2", at(31))
    assert findings(url) == []


def test_a_reopened_day_takes_entries_again_and_what_went_elsewhere_stays_there(url: str, ledger: Ledger) -> None:
    record(ledger, [bank_round("t-1", round_id="r-1")])
    count_out(ledger, "t-1", 2)
    closing = closing_of(url, ledger)
    first = closing.close(DAY, None, "a-2", at(30))
    floor = Floor(ledger)
    floor.move_chips("t-1", ChipsBought("p-1", 10_00), at(3, late=True))
    closing.reopen(DAY, "A buy-in was forgotten.", "a-2", at(31))
    floor.move_chips("t-1", ChipsBought("p-1", 20_00), at(3, late=True))
    again = closing.close(DAY, None, "a-2", at(32))
    assert first.digest != again.digest
    posted = [(row["gaming_day"], row["debit"], row["adjusts"]) for row in buy_ins(url)]
    assert posted == [(NEXT.isoformat(), "10.00", DAY.isoformat()), (DAY.isoformat(), "20.00", None)]
    live = everything(url)
    rebuild(url, page=2)
    assert everything(url) == live
    assert findings(url) == []


def buy_ins(url: str) -> list[dict[str, Any]]:
    catch_up(url)
    return [row for row in rows(url, "journal") if row["what"] == "buy-in" and row["debit"] != "0.00"]


def test_a_closed_month_keeps_its_days_closed_and_empty_days_are_closed_with_it(url: str, ledger: Ledger) -> None:
    record(ledger, [bank_round("t-1", round_id="r-1")])
    closing, month = closing_of(url, ledger), DAY.replace(day=1)
    with pytest.raises(OutOfTurn, match="2026-09-21 are not closed"):
        closing.close_month(month, "a-2", at(30))
    shown = Periods(closing, ledger).shown(period_of("2026-09"))["missing"]
    assert [(one["kind"], one["address"]) for one in shown] == [("day", f"/close?period={DAY}")]
    count_out(ledger, "t-1", 2)
    closing.close(DAY, None, "a-2", at(31))
    closing.close_month(month, "a-2", at(32))
    with pytest.raises(OutOfTurn, match="reopened before one of its days"):
        closing.reopen(DAY, "Forgotten", "a-2", at(33))
    Floor(ledger).move_chips("t-1", ChipsBought("p-1", 10_00), at(3, late=True))
    assert [row["gaming_day"] for row in buy_ins(url)] == ["2026-10-01"]
    reported = {row["first_day"]: (row["period"], row["status"]) for row in rows(url, "close", Filters(gaming_day=DAY))}
    assert reported == {DAY.isoformat(): ("day", "closed")}
    closing.reopen_month(month, "Forgotten", "a-2", at(34))
    closing.reopen(DAY, "Forgotten", "a-2", at(35))
    assert findings(url) == []


def test_an_audit_finds_balances_that_the_entries_do_not_lead_to(url: str, ledger: Ledger) -> None:
    record(ledger, [bank_round("t-1", round_id="r-1")])
    count_out(ledger, "t-1", 2)
    closing = closing_of(url, ledger)
    with pytest.raises(Conflict, match="does not balance"):
        closings.close_day(_shut(ledger, closing), DAY, [Balance("cage", 1, 0)], None, None, "a-2", at(30))
    wrong = [Balance("cage", 1_00, 0), Balance("player:p-1", 0, 1_00)]
    closings.close_day(ledger, DAY, wrong, None, None, "a-2", at(30))
    catch_up(url)
    assert findings(url) == ["The gaming day 2026-09-21 was closed with other balances than its entries lead to."]


def _shut(ledger: Ledger, closing: DayClosing) -> Ledger:
    closings.shut_day(ledger, DAY, closing.today, [], None, "a-2", at(30))
    return ledger


def findings(url: str) -> list[str]:
    found: list[Finding] = []
    Audit(url, processes=1, without=("log",), report=found.append).run()
    return [finding.what for finding in found if not finding.is_note]

"""The demo's disputes: one settled, one appealed, and one that waits for a ruling."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from domain.disputes import disputes
from domain.disputes.disputes import Claim, Dispute, DisputeEvent
from domain.moments import DAY_MS
from domain.money import cents
from domain.round.corrections import Entry
from infra.demo.roster import ARBITERS, FLOOR, MINUTE_MS, dealer_at
from infra.demo.single_steps import Once
from infra.ledger.disputes.disputes import Disputes
from infra.ledger.ledger import Actor

SOONEST_SLOT = 1
WHERE = ("p215-1", "bgc-2", "tcp-2")  # on the first, second and third day


class Case:
    """A dispute, step by step."""

    def __init__(self, once: Once, name: str) -> None:
        self._once, self.name = once, name

    def do(self, step: str, work: Callable[[Disputes], Any]) -> None:
        self._once.do(f"{self.name}/{step}", lambda receipt: work(Disputes(self._once.ledger, receipt)))

    def add(self, step: str, decide: Callable[[Dispute], DisputeEvent], actor: Actor) -> None:
        self.do(step, lambda filed: filed.add(self.name, decide, actor))


class Claims:
    """One claim per day, on the first wager lost at that day's table with a hand that was played to its end. A folded
    hand has no reading to dispute."""

    def __init__(self, once: Once) -> None:
        self._once = once
        self._claimed: set[int] = set()  # days

    def after(self, day: int, slot: int, table: str, result: dict[str, Any], at_ms: int) -> None:
        if day in self._claimed or day >= len(WHERE) or table != WHERE[day]:
            return
        if slot < SOONEST_SLOT or result["status"] != "settled":
            return
        lost = [line for line in result["lines"] if line["outcome"] == "lose" and line["hand"] == 1]
        played = {(line["seat"], line["bettor"]) for line in lost if line["spot"] in ("play", "game")}
        shown = (line for line in lost if (line["seat"], line["bettor"]) in played)
        line = next((line for line in shown if line["spot"] in ("ante", "game")), None)
        if line is None:
            return
        self._claimed.add(day)
        case = Case(self._once, f"dispute-{day + 1}")
        _open(case, table, result["id"], line, at_ms)
        (_settle, _appeal, _leave_open)[day](case, line, at_ms + DAY_MS // 2)


def _open(case: Case, table: str, round_id: str, line: dict[str, Any], at_ms: int) -> None:
    deadline_ms = at_ms + disputes.DAYS_TO_RULE * DAY_MS
    text = "I had the better hand, and my cards were taken away before anybody had read them."
    claim = Claim(
        seat=line["seat"],
        spot=line["spot"],
        kind="hand reading",
        claimed=cents(line["wager"]),
        text=text,
        deadline_ms=deadline_ms,
    )
    actor = Actor(FLOOR, at_ms + 4 * MINUTE_MS)
    case.do("open", lambda filed: filed.open(round_id, claim, actor, case.name))
    dealer = dealer_at(table, at_ms)
    said = "I read the hand aloud, and nobody objected."
    case.add("dealer", lambda dispute: disputes.give_statement(dispute, dealer, "dealer", said), actor)
    camera, from_ms, to_ms = f"cam-{table}", at_ms - MINUTE_MS, at_ms + MINUTE_MS
    what = "The hand is turned over, read and collected."
    case.add("camera", lambda dispute: disputes.refer(dispute, camera, from_ms, to_ms, what), actor)


def _settle(case: Case, line: dict[str, Any], at_ms: int) -> None:
    """Uphold in part, because of how the hand was handled; the patron accepts."""
    actor = Actor(ARBITERS[0], at_ms)
    entry = Entry(
        seat=line["seat"],
        bettor=line["bettor"],
        spot=line["spot"],
        amount=min(cents(line["wager"]), 1_000),
        account="house",
    )
    reason = "The hand lost as it was read; the cards were collected too early, for which the house gives a courtesy."
    until_ms = at_ms + disputes.DAYS_TO_APPEAL * DAY_MS
    case.do("rule", lambda filed: filed.rule(case.name, "partly upheld", reason, ARBITERS[1], [entry], until_ms, actor))
    later = Actor(FLOOR, at_ms + 30 * MINUTE_MS)
    words = "The patron accepts the ruling."
    case.add("close", lambda dispute: disputes.close(dispute, "accepted", words, later.at_ms), later)


def _appeal(case: Case, line: dict[str, Any], at_ms: int) -> None:
    actor = Actor(ARBITERS[1], at_ms)
    reason = "The recording shows the hand turned over and read as it was recorded."
    until_ms = at_ms + disputes.DAYS_TO_APPEAL * DAY_MS
    case.do("rule", lambda filed: filed.rule(case.name, "denied", reason, None, [], until_ms, actor))
    later = Actor(FLOOR, at_ms + 60 * MINUTE_MS)
    grounds = "The recording does not show the second card."
    deadline_ms = later.at_ms + disputes.DAYS_TO_RULE * DAY_MS
    case.add(
        "appeal",
        lambda dispute: disputes.appeal(dispute, dispute.opened.bettor, grounds, deadline_ms, later.at_ms),
        later,
    )


def _leave_open(case: Case, line: dict[str, Any], at_ms: int) -> None:
    said = "They showed me their cards. I thought that they had won."
    actor = Actor(FLOOR, at_ms)
    case.add("witness", lambda dispute: disputes.give_statement(dispute, "guest-2", "witness", said), actor)

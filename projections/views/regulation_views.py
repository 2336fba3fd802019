"""Documents of postings, choices of the property and facts stated about rounds."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from msgspec import to_builtins
from msgspec.structs import asdict, replace

from domain.moments import format_ms
from domain.money import money
from domain.regulation.explanations import ResultExplained
from domain.regulation.postings import Posting, PostingTakenDown, TermsChosen
from domain.regulation.proposition_players import PropositionPlayer
from domain.regulation.round_facts import DeckSeen, HandsHeld, MisdealNoticed, RoundFact, SupervisorCalled
from infra.access.callers import Caller
from infra.ledger.ledger import Actor, CommandReceipt, Ledger
from projections.reports.report import Filters
from projections.statistics.explanation import Question
from projections.views.read_side import NotFound, ReadSide
from projections.views.report_views import report_rows


def posting_document(posting: Posting) -> dict[str, Any]:
    posted = posting.posted
    return {
        "table": posted.table,
        "ruleset": posted.ruleset,
        "terms": posted.terms,
        "begins": format_ms(posted.from_ms),
        "posted_at": format_ms(posting.at_ms),
        "posted_by": posting.by,
        "notice_minutes": posting.notice_ms // 60_000,
    }


def explain_result(
    read_side: ReadSide, question: Question, text: str, actor: Actor, receipt: CommandReceipt
) -> ResultExplained:
    """Explain a result with the figures that the report has of it now."""
    read_side.bring_up_to_date("statistics")
    return read_side.ledger.explain_result(question.explained(read_side.database, text), actor, receipt)


def ended_document(ended: PostingTakenDown) -> dict[str, Any]:
    return {"table": ended.table, "ends": format_ms(ended.from_ms)}


def choice_document(chosen: TermsChosen) -> dict[str, Any]:
    return {
        "ruleset": chosen.ruleset,
        "trips": chosen.trips,
        "schedules": None if chosen.schedules is None else list(chosen.schedules),
        "limits": {spot: [money(low), money(high)] for spot, (low, high) in chosen.limits.items()},
        "notice_minutes": chosen.notice_minutes,
    }


_FACTS: dict[type, str] = {
    SupervisorCalled: "supervisor",
    DeckSeen: "deck",
    MisdealNoticed: "misdeal",
    HandsHeld: "hands",
}


def fact_document(fact: RoundFact) -> dict[str, Any]:
    said = {name: to_builtins(value) for name, value in asdict(fact).items() if name not in ("round", "table")}
    return {"fact": _FACTS[type(fact)], "round": fact.round, "table": fact.table, "said": said}


def proposition_document(player: PropositionPlayer) -> dict[str, Any]:
    registrations = [to_builtins(asdict(one)) for one in player.registrations]
    return {
        "bettor": player.bettor,
        "registrations": [{name: one[name] for name in one if name != "bettor"} for one in registrations],
    }


def check_own_table(ledger: Ledger, caller: Caller, round_id: str) -> None:
    """Refuse a terminal facts about rounds of other tables."""
    entries = ledger.entries(round_id)
    if not entries:
        raise NotFound(f"There is no round {round_id}.")
    caller.check_table(entries[0].event.table)


def postings_of(read_side: ReadSide, caller: Caller, table: str, at: datetime | None) -> dict[str, Any]:
    """Return one table's postings, with what was posted at a moment; by default now."""
    of_table = Filters(table=table)
    then = replace(of_table, moment=at or datetime.now(UTC))
    now = report_rows(read_side, caller, "postings", then, f"table={table}")
    designation = report_rows(read_side, caller, "designations", then, f"table={table}")
    return {
        "table": table,
        "now": now[0] if now else None,
        "designation": designation[0] if designation else None,
        "postings": report_rows(read_side, caller, "postings", of_table, f"table={table}"),
        "designations": report_rows(read_side, caller, "designations", of_table, f"table={table}"),
    }

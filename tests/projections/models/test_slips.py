"""Slips over a real store: numbers under contention, chips that move once, reports, closing a day, and the audit."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any

import pytest

from domain.audit.findings import Finding
from domain.books.slips import Slip
from domain.errors import BadChoice, Conflict, OutOfTurn, Refusal
from domain.floor.table_sessions import TrayFilled
from domain.rules.terms import TermsDocument
from infra.aggregates.stored_slips import UnknownSlip
from infra.ledger.books.slips import Slips
from infra.ledger.floor import Floor
from infra.ledger.ledger import Actor, Ledger
from projections.audit.run import Audit
from projections.engine.rebuild import rebuild
from projections.reports.report import Filters
from projections.reports.report_query import rows
from tests.projections.closing.closed_floor import DAY, catch_up, closing_of
from tests.projections.simulated_floor import NOON_MS, everything
from tests.recorded_floor import Spoiler

PIECES = {100_00: 20, 25_00: 40}  # 3,000.00
WRITERS = 6


def by(who: str, minutes: int = 0) -> Actor:
    return Actor(who, NOON_MS + minutes * 60_000)


def open_tables(ledger: Ledger, *tables: str) -> None:
    for table in tables:
        Floor(ledger).open_session(table, "uth-house", TermsDocument(), {}, by("floor-1"))


def a_day(ledger: Ledger) -> list[Slip]:
    """A tray from its opener to its closer; of three fills one is voided after it was issued, one before."""
    open_tables(ledger, "t1")
    slips = Slips(ledger)
    found = [slips.count_tray("t1", "opening", {100_00: 50}, "floor-2", by("floor-1", 1))]
    asked = [slips.request("fill", "t1", PIECES, by("floor-1", 2)) for _ in range(3)]
    found.append(slips.issue(asked[0].number, "floor-2", by("cage-1", 3)))
    slips.issue(asked[1].number, "floor-2", by("cage-1", 3), {500_00: 6})
    found.append(slips.void(asked[1].number, "Brought twice.", "cage-1", by("floor-1", 4)))
    found.append(slips.void(asked[2].number, "Not needed.", "cage-1", by("floor-1", 4)))
    credit = slips.request("credit", "t1", {100_00: 5}, by("floor-1", 5))
    found.append(slips.issue(credit.number, "floor-2", by("cage-1", 6)))
    found.append(slips.count_tray("t1", "closing", {100_00: 65, 25_00: 40}, "cage-1", by("floor-1", 7)))
    return found


def audited(url: str) -> list[Finding]:
    found: list[Finding] = []
    Audit(url, processes=1, without=("projections", "log"), report=found.append).run()
    return [finding for finding in found if not finding.is_note]


def test_chips_move_by_slips_as_they_did_without_and_a_day_is_closed_with_them(url: str, ledger: Ledger):
    opener, fill, voided, unused, credit, closer = a_day(ledger)
    assert [slip.number for slip in (opener, fill, voided, unused, credit, closer)] == [1, 2, 3, 4, 5, 6]
    assert fill.signers == ("floor-1", "cage-1", "floor-2")
    assert (voided.status, voided.session, unused.session) == ("void", 1, None)
    Floor(ledger).close_session("t1", by("floor-1", 8))
    catch_up(url)
    (stretch,) = [row for row in rows(url, "inventory") if row["stretch"] == 1]
    assert (stretch["opening"], stretch["closing"]) == ("5000.00", "7500.00")
    assert (stretch["fills"], stretch["credits"]) == ("6000.00", "3500.00")
    assert (stretch["win"], stretch["difference"]) == ("0.00", "0.00")
    journal = rows(url, "journal")
    assert sum(Decimal(row["debit"]) - Decimal(row["credit"]) for row in journal) == 0
    assert {row["what"] for row in journal} >= {"fill, slip 000002", "credit, slip 000003 void", "credit, slip 000005"}
    numbers = rows(url, "slip-numbers")
    assert [(row["number"], row["kind"], row["status"]) for row in numbers] == [
        ("000001", "opener", "issued"),
        ("000002", "fill", "issued"),
        ("000003", "fill", "void"),
        ("000004", "fill", "void"),
        ("000005", "credit", "issued"),
        ("000006", "closer", "issued"),
    ]
    assert numbers[1]["pieces"] == "100.00 × 20, 25.00 × 40"
    live = everything(url)
    rebuild(url, ["slips"])
    assert everything(url) == live
    assert audited(url) == []
    assert closing_of(url, ledger).missing(DAY) == []


def test_refusals_leave_no_number_behind(ledger: Ledger):
    opener, *_ = a_day(ledger)
    slips = Slips(ledger)
    refused: list[tuple[type[Exception], Callable[[], Any]]] = [
        (OutOfTurn, lambda: slips.request("fill", "t9", PIECES, by("floor-1", 9))),
        (BadChoice, lambda: slips.request("fill", "t1", {}, by("floor-1", 9))),
        (OutOfTurn, lambda: slips.count_tray("t1", "closing", {}, "floor-2", by("floor-1", 9))),
        (BadChoice, lambda: slips.count_tray("t1", "opening", {}, "floor-1", by("floor-1", 9))),
        (UnknownSlip, lambda: slips.issue(99, "floor-2", by("cage-1", 9))),
        (Conflict, lambda: slips.issue(2, "floor-2", by("cage-1", 9))),
        (OutOfTurn, lambda: slips.void(2, "Too late.", "floor-2", by("cage-1", 9))),
        (BadChoice, lambda: slips.void(opener.number, "Wrong.", "floor-2", by("cage-1", 9))),
    ]
    for refusal, command in refused:
        with pytest.raises(refusal):
            command()
    Floor(ledger).open_session("p1", "uth-casino-club", TermsDocument(), {}, by("floor-1"))
    with pytest.raises(BadChoice, match="house-banked"):
        slips.request("fill", "p1", PIECES, by("floor-1", 9))
    assert slips.count_tray("t1", "opening", {}, "floor-2", by("floor-1", 9)).number == 7
    swapped = Floor(ledger).swap_box("p1", "p1-box-2", "S-1", "floor-2", by("floor-1", 9))
    assert swapped.box == "p1-box-2"
    assert slips.request("fill", "t1", PIECES, by("floor-1", 10)).number == 9


def test_writers_at_once_get_every_number_once(url: str, open_ledger: Callable[[str], Ledger]):
    """Each with a ledger of its own, as processes have; one of three gives up after it was refused."""
    tables = [f"t{number}" for number in range(WRITERS)]
    ledgers = [open_ledger(url) for _ in tables]
    open_tables(ledgers[0], *tables)

    def ask(ledger: Ledger, table: str) -> list[int]:
        slips, numbers = Slips(ledger), []
        for number in range(6):
            try:
                numbers.append(slips.request("fill", table, {} if number % 3 == 2 else PIECES, by("floor-1", 1)).number)
            except Refusal:
                continue
        return numbers

    with ThreadPoolExecutor(WRITERS) as pool:
        given = sorted(number for some in pool.map(ask, ledgers, tables) for number in some)
    assert given == list(range(1, len(given) + 1))
    assert len(given) >= WRITERS * 3
    catch_up(url, "slips")
    assert [row["status"] for row in rows(url, "slip-numbers", Filters(status="requested"))] == ["requested"] * len(
        given
    )
    assert audited(url) == []


def test_an_audit_finds_slips_that_were_changed_or_taken_out(url: str, ledger: Ledger):
    a_day(ledger)
    Floor(ledger).move_chips("t1", TrayFilled(1_00, "000001"), by("cage-1", 9))  # free words are no slip
    assert audited(url) == []
    with Spoiler(url) as spoiler:
        position, _, _, state = spoiler.rows("slip.issued.v1", "[2,")[0]
        spoiler.write(position, [[*state[0][:5], state[0][5] + 100, *state[0][6:]], *state[1:]])
        (gone,) = [row for row in spoiler.rows("slip.numbered.v1") if row[3][0] == [4]]
        spoiler.delete(gone[0])
        (tray,) = spoiler.rows("table.tray_credited.v1", '"000005"')
        spoiler.write(tray[0], [[1, *tray[3][0][1:]], *tray[3][1:]])
    said = {finding.what for finding in audited(url) if finding.kind == "slip"}
    assert said == {
        "The pieces of slip 000002 are worth 3000.00, and its amount is 3001.00.",
        "What is stored of slip 000002 does not follow what was stored before.",
        "Slip 000004 comes next, and 000005 is stored.",
        "Slip 000005 comes next, and 000006 is stored.",
        "Slip 000005 was issued, and table t1 has no such movement.",
    }

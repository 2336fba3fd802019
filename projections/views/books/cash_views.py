"""Cash of a gaming day by patron, as the cage, accounting and auditors see it, and the alert of a move."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import date
from typing import Any, LiteralString

from msgspec import Struct

from domain.books import cash
from domain.books.cash import COUNTED, BoughtIn, CashedOut, Level, Means, Way
from domain.floor.table_sessions import ChipsBought, ChipsCashed
from domain.money import money
from infra.access.callers import Caller
from infra.ledger.actor import Actor
from infra.ledger.application import CommandReceipt, LedgerApplication, Overtaken
from infra.ledger.books.cash import (
    cash_version,
    erase_patron,
    move_cash,
    name_patron,
    patron_names,
    thresholds,
    unknown_patron,
)
from projections.reports.report import Filters
from projections.views.read_side import BadQuestion, ReadSide
from projections.views.report_views import report_rows

MOST_MOVES = 50
SO_FAR: LiteralString = (
    "SELECT coalesce(sum(amount), 0)::bigint FROM projections.cash_moves"
    " WHERE gaming_day = %s AND bettor = %s AND way = %s AND means = ANY(%s)"
)


class CashMoved(Struct, frozen=True):
    """`total_cents` is all cash of the patron on the gaming day, in this direction."""

    bettor: str
    way: Way
    means: Means
    amount_cents: int
    day: date
    total_cents: int
    level: Level | None
    alert: str | None


def cash_shown(read_side: ReadSide, caller: Caller, day: date) -> dict[str, Any]:
    """Patrons of a day with the largest amounts first, and its last moves."""
    asked = f"gaming_day={day}"
    rows = report_rows(read_side, caller, "cash-log", Filters(gaming_day=day), asked)
    moves = report_rows(read_side, caller, "cash-moves", Filters(gaming_day=day, sort="-at", limit=MOST_MOVES), asked)
    names = patron_names(read_side.database, [row["bettor"] for row in (*rows, *moves)])
    limits = thresholds(read_side.ledger)
    return {
        "gaming_day": day.isoformat(),
        "log_from": money(limits.log),
        "report_over": money(limits.report),
        "patrons": [{**row, "name": names.get(row["bettor"])} for row in rows],
        "moves": [{**row, "name": names.get(row["bettor"])} for row in moves],
    }


def take_cash(
    read_side: ReadSide,
    way: Way,
    bettor: str | None,
    description: str | None,
    amount_cents: int,
    means: Means,
    actor: Actor,
    receipt: CommandReceipt = None,
) -> CashMoved:
    """A buy-in or a cash-out at the cage, by a patron's id or, for somebody unknown, by a description."""
    if (bettor is None) == (description is None):
        raise BadQuestion("Give either the patron's id or, for somebody unknown, a description.")
    day = read_side.clock.days().of(actor.at_ms).day
    patron = bettor or unknown_patron()
    move = day, way, patron, description, amount_cents, means
    return store_cash(read_side.ledger, lambda: read_side.bring_up_to_date("cash_log"), *move, actor, receipt)


def store_cash(
    ledger: LedgerApplication,
    catch_up: Callable[[], None],
    day: date,
    way: Way,
    patron: str,
    description: str | None,
    amount_cents: int,
    means: Means,
    actor: Actor,
    receipt: CommandReceipt = None,
) -> CashMoved:
    """`day` is the actor's gaming day; `catch_up` brings the cash log up to date.

    Somebody else may take cash of the same patron meanwhile. Then it is added up again, so that of two moves that are
    over a threshold together one says so."""
    event = (BoughtIn if way == "in" else CashedOut)(patron, amount_cents, means)
    if description is not None:  # before the move, so that a description is never lost; and not without it
        name_patron(ledger, patron, description, actor.by)
    try:
        while True:
            version = cash_version(ledger, patron)
            catch_up()
            moved = _moved(ledger, day, way, patron, amount_cents, means)
            with suppress(Overtaken):
                move_cash(ledger, event, actor, receipt, moved, version)
                return moved
    except BaseException:
        if description is not None:
            erase_patron(ledger, patron)
        raise


def alert_at_table(read_side: ReadSide, move: ChipsBought | ChipsCashed, actor: Actor) -> str | None:
    """Return what whoever takes or pays cash at a table is shown."""
    read_side.bring_up_to_date("cash_log")
    day = read_side.clock.days().of(actor.at_ms).day
    way: Way = "in" if isinstance(move, ChipsBought) else "out"
    return _moved(read_side.ledger, day, way, move.bettor, move.amount, move.means).alert


def _moved(ledger: LedgerApplication, day: date, way: Way, bettor: str, amount_cents: int, means: Means) -> CashMoved:
    ((so_far,),) = ledger.database.rows(SO_FAR, [day, bettor, way, list(COUNTED)])
    counts = means in COUNTED
    total = so_far + (amount_cents if counts else 0)
    limits = thresholds(ledger)
    return CashMoved(
        bettor=bettor,
        way=way,
        means=means,
        amount_cents=amount_cents,
        day=day,
        total_cents=total,
        level=cash.level(total, limits) if counts else None,
        alert=cash.alert(bettor, way, total, limits) if counts else None,
    )


def moved_shown(moved: CashMoved) -> dict[str, Any]:
    return {
        "bettor": moved.bettor,
        "way": moved.way,
        "means": moved.means,
        "amount": money(moved.amount_cents),
        "gaming_day": moved.day.isoformat(),
        "cash_of_day": money(moved.total_cents),
        "level": moved.level,
        "alert": moved.alert,
    }

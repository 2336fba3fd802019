"""Bettors and player-dealers: lists to find them in, a bankroll day by day, and the rounds that somebody banked.

Every query walks an index of the projections' tables, by bettor or by bettor and time; no events are read.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, LiteralString

from msgspec import Struct

from infra.store.database import Database
from projections.reports.named_rows import Rows, select, select_all
from projections.reports.report import OF_BETTOR

MOST_DAYS = 366
MOST_MOVES = 5_000
SUMS: LiteralString = (
    "sum(rounds)::bigint AS rounds, sum(wagered)::bigint AS wagered, sum(won)::bigint AS won, "
    "sum(lost)::bigint AS lost, sum(fees)::bigint AS fees, sum(won - lost)::bigint AS net, "
    "sum(buy_ins)::bigint AS buy_ins, sum(cash_outs)::bigint AS cash_outs"
)
KIND: LiteralString = (
    "coalesce((SELECT k.kind FROM projections.bankroll_kinds k WHERE k.bettor = b.bettor), "
    "CASE WHEN sum(tips) > 0 THEN 'toke' ELSE 'patron' END) AS kind"
)
BANKED: LiteralString = (
    "player_dealer AS bettor, rounds, settled, action, liability, paid, collected, collected - paid AS net, "
    "short_rounds, shortfall, last_at"
)


# ---- lists, by id


def bettors(database: Database, like: str, after: str, limit: int) -> Rows:
    """Those whose id begins with `like`, in the order of ids, after one of them."""
    return select(
        database,
        f"SELECT b.bettor, {KIND}, {SUMS}, (SELECT max(gaming_day) FROM projections.bankroll d "
        "WHERE d.bettor = b.bettor) AS last_day FROM projections.bankroll_totals b "
        "WHERE b.bettor > %(after)s AND b.bettor >= %(like)s AND starts_with(b.bettor, %(like)s) "
        "GROUP BY b.bettor ORDER BY b.bettor LIMIT %(limit)s",
        {"like": like, "after": after, "limit": limit},
    )


def player_dealers(database: Database, like: str, after: str, limit: int) -> Rows:
    return select(
        database,
        f"SELECT {BANKED} FROM projections.exposure_banked "
        "WHERE player_dealer > %(after)s AND player_dealer >= %(like)s AND starts_with(player_dealer, %(like)s) "
        "ORDER BY player_dealer LIMIT %(limit)s",
        {"like": like, "after": after, "limit": limit},
    )


# ---- a bankroll

BY_DAY: LiteralString = (
    f"SELECT gaming_day, b.bettor, {KIND}, {SUMS}, max(gaming_day) AS last_day FROM projections.bankroll b "
    "WHERE b.bettor = %(bettor)s GROUP BY GROUPING SETS ((b.bettor), (b.bettor, gaming_day)) "
    "ORDER BY gaming_day DESC NULLS FIRST LIMIT %(most_days)s"
)
HELD: LiteralString = (
    "SELECT gaming_day, sum(moved)::bigint AS moved FROM (SELECT gaming_day, debit - credit AS moved "
    f"FROM projections.journal_balances WHERE {OF_BETTOR} UNION ALL SELECT gaming_day, cash_outs - buy_ins "
    "FROM projections.bankroll WHERE bettor = %(bettor)s AND (buy_ins > 0 OR cash_outs > 0)) moves "
    "GROUP BY gaming_day ORDER BY gaming_day"
)
LATELY: LiteralString = (
    "gaming_day > (SELECT max(gaming_day) FROM projections.bankroll WHERE bettor = %(bettor)s) - %(last_days)s::int"
)
# Two lines of one account at most come of one event.
LINES: LiteralString = (
    f"(SELECT * FROM projections.journal WHERE account = '{{}}:' || %(bettor)s AND {LATELY} "
    "ORDER BY at DESC, position DESC LIMIT 2 * %(limit)s)"
)
LINES_OF_ALL: LiteralString = " UNION ALL ".join([LINES.format(part) for part in ("player", "player-dealer", "toke")])
MOVES: LiteralString = (
    "SELECT min(at) AS at, source, min(round) AS round, min(table_id) AS table_id, min(what) AS what, "
    f"sum(debit - credit)::bigint AS change FROM ({LINES_OF_ALL}) lines "
    "GROUP BY source, position ORDER BY 1 DESC, position DESC LIMIT %(limit)s"
)
CHIPS: LiteralString = (
    "SELECT at, source, round, table_id, what, debit - credit AS change FROM projections.journal "
    f"WHERE account = 'player:' || %(bettor)s AND what IN ('buy-in', 'cash-out') AND {LATELY} "
    "ORDER BY at DESC, position DESC LIMIT %(limit)s"
)


class BankrollHistory(Struct, frozen=True):
    """`days`: the last one first, a year of days at most. `held`: what was won and lost on each gaming day, in cents,
    with fees but without chips bought and cashed. `moves`: everything that moved the bettor's chips on their last
    gaming days, and `chips`: what they bought and cashed, both by time, up to a limit."""

    total: dict[str, Any]
    days: Rows
    held: Rows
    moves: Rows
    chips: Rows


def bankroll(database: Database, bettor: str, last_days: int, limit: int) -> BankrollHistory | None:
    values = {"bettor": bettor, "most_days": MOST_DAYS + 1, "last_days": last_days, "limit": limit}
    found, held, moves, chips = select_all(database, values, BY_DAY, HELD, MOVES, CHIPS)
    if not found:
        return None
    total, *days = found
    del total["gaming_day"]
    for day in days:
        for name in ("bettor", "kind", "last_day"):
            del day[name]
    return BankrollHistory(total=total, days=days, held=held, moves=moves[::-1], chips=chips[::-1])


# ---- banking


def banked(database: Database, bettor: str, before: datetime | None, limit: int) -> tuple[dict[str, Any], Rows] | None:
    """Totals of all rounds that somebody banked; and rounds, the last one first, each with the seat and its number in a
    row."""
    earlier: LiteralString = "" if before is None else "AND at < %(before)s "
    sums, rounds = select_all(
        database,
        {"bettor": bettor, "before": before, "limit": limit},
        f"SELECT {BANKED} FROM projections.exposure_banked WHERE player_dealer = %(bettor)s",
        "SELECT e.round, e.table_id, e.at, e.status, r.seat, r.turn, r.breach, e.wager, e.action, e.liability, e.paid, "
        "e.collected, e.collected - e.paid AS net, e.shortfall FROM "
        # By the bettor's index, which does not order rounds of one moment; the index of all rounds would read others'.
        f"(SELECT * FROM projections.exposure WHERE player_dealer = %(bettor)s {earlier}"
        "ORDER BY at DESC FETCH FIRST %(limit)s ROWS WITH TIES) e "
        "LEFT JOIN projections.rotation r ON r.round = e.round ORDER BY e.at DESC, e.round DESC LIMIT %(limit)s",
    )
    return (sums[0], rounds) if sums else None

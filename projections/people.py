"""Bettors and player-dealers one by one: lists to find them in, a bankroll day by day, and how somebody banked.

Every question walks an index of the projections' tables, by bettor or by bettor and time; nothing is asked of events.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, LiteralString

from infra.database import Database

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
ACCOUNTS: LiteralString = "account IN ('player:' || %(bettor)s, 'player-dealer:' || %(bettor)s, 'toke:' || %(bettor)s)"


def _rows(database: Database, statement: LiteralString, values: dict[str, Any]) -> list[dict[str, Any]]:
    def ask(cursor: Any) -> list[dict[str, Any]]:
        found = cursor.execute(statement, values)
        names = [column.name for column in found.description]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]

    return database.read(ask)


# ---- lists, by id


def bettors(database: Database, like: str, after: str, limit: int) -> list[dict[str, Any]]:
    """Whose id begins so, in the order of ids, after one of them."""
    return _rows(
        database,
        f"SELECT b.bettor, {KIND}, {SUMS}, (SELECT max(gaming_day) FROM projections.bankroll d "
        "WHERE d.bettor = b.bettor) AS last_day FROM projections.bankroll_totals b "
        "WHERE b.bettor > %(after)s AND b.bettor >= %(like)s AND starts_with(b.bettor, %(like)s) "
        "GROUP BY b.bettor ORDER BY b.bettor LIMIT %(limit)s",
        {"like": like, "after": after, "limit": limit},
    )


def player_dealers(database: Database, like: str, after: str, limit: int) -> list[dict[str, Any]]:
    return _rows(
        database,
        f"SELECT {BANKED} FROM projections.exposure_banked "
        "WHERE player_dealer > %(after)s AND player_dealer >= %(like)s AND starts_with(player_dealer, %(like)s) "
        "ORDER BY player_dealer LIMIT %(limit)s",
        {"like": like, "after": after, "limit": limit},
    )


# ---- a bankroll


def bankroll(database: Database, bettor: str) -> tuple[dict[str, Any], list[dict[str, Any]]] | None:
    """What he has come to, and the same by gaming day, the last one first; a year of days at most."""
    found = _rows(
        database,
        f"SELECT gaming_day, b.bettor, {KIND}, {SUMS}, max(gaming_day) AS last_day FROM projections.bankroll b "
        "WHERE b.bettor = %(bettor)s GROUP BY GROUPING SETS ((b.bettor), (b.bettor, gaming_day)) "
        "ORDER BY gaming_day DESC NULLS FIRST LIMIT %(limit)s",
        {"bettor": bettor, "limit": MOST_DAYS + 1},
    )
    if not found:
        return None
    total, *days = found
    del total["gaming_day"]
    for day in days:
        for name in ("bettor", "kind", "last_day"):
            del day[name]
    return total, days


def held_by_day(database: Database, bettor: str) -> list[dict[str, Any]]:
    """What he won and lost on each gaming day, in cents, with fees; chips bought and cashed are not that."""
    return _rows(
        database,
        "SELECT gaming_day, sum(moved)::bigint AS moved FROM (SELECT gaming_day, debit - credit AS moved "
        f"FROM projections.journal_balances WHERE {ACCOUNTS} UNION ALL SELECT gaming_day, cash_outs - buy_ins "
        "FROM projections.bankroll WHERE bettor = %(bettor)s AND (buy_ins > 0 OR cash_outs > 0)) moves "
        "GROUP BY gaming_day ORDER BY gaming_day",
        {"bettor": bettor},
    )


def moves(database: Database, bettor: str, day: date, limit: int) -> list[dict[str, Any]]:
    """Everything that moved his chips from a gaming day on, in the order of its time; the last so many."""
    # Two lines of one account at most come of one event.
    last: LiteralString = (
        "(SELECT * FROM projections.journal WHERE account = '{}:' || %(bettor)s AND gaming_day >= %(day)s "
        "ORDER BY at DESC, position DESC LIMIT 2 * %(limit)s)"
    )
    accounts: LiteralString = " UNION ALL ".join(
        [last.format("player"), last.format("player-dealer"), last.format("toke")]
    )
    found = _rows(
        database,
        "SELECT min(at) AS at, source, min(round) AS round, min(table_id) AS table_id, min(what) AS what, "
        f"sum(debit - credit)::bigint AS change FROM ({accounts}) lines "
        "GROUP BY source, position ORDER BY 1 DESC, position DESC LIMIT %(limit)s",
        {"bettor": bettor, "day": day, "limit": limit},
    )
    return found[::-1]


def chips(database: Database, bettor: str, day: date, limit: int) -> list[dict[str, Any]]:
    """Those that he bought and cashed from a gaming day on; the last so many."""
    found = _rows(
        database,
        "SELECT at, source, round, table_id, what, debit - credit AS change FROM projections.journal "
        "WHERE account = 'player:' || %(bettor)s AND what IN ('buy-in', 'cash-out') AND gaming_day >= %(day)s "
        "ORDER BY at DESC, position DESC LIMIT %(limit)s",
        {"bettor": bettor, "day": day, "limit": limit},
    )
    return found[::-1]


# ---- banking


def banked(database: Database, bettor: str) -> dict[str, Any] | None:
    found = _rows(
        database,
        f"SELECT {BANKED} FROM projections.exposure_banked WHERE player_dealer = %(bettor)s",
        {"bettor": bettor},
    )
    return found[0] if found else None


def turns(database: Database, bettor: str, before: datetime | None, limit: int) -> list[dict[str, Any]]:
    """The rounds that he banked, the last one first, with his seat and the how manieth it was in a row."""
    earlier: LiteralString = "" if before is None else "AND e.at < %(before)s "
    return _rows(
        database,
        "SELECT e.round, e.table_id, e.at, e.status, r.seat, r.turn, r.breach, e.wager, e.action, e.liability, e.paid, "
        "e.collected, e.collected - e.paid AS net, e.shortfall, e.player_dealer FROM "
        # By his own index, which knows no order of rounds of one moment; by that of all rounds others' would be read.
        f"(SELECT * FROM projections.exposure e WHERE player_dealer = %(bettor)s {earlier}"
        "ORDER BY at DESC FETCH FIRST %(limit)s ROWS WITH TIES) e "
        "LEFT JOIN projections.rotation r ON r.round = e.round ORDER BY e.at DESC, e.round DESC LIMIT %(limit)s",
        {"bettor": bettor, "before": before, "limit": limit},
    )

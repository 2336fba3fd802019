"""Views of bettors and player-dealers: lists, a bankroll over time, and banking turn by turn.

Every query uses an index of the projections' tables, by bettor or by bettor and time; no events are read."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import LiteralString

from domain.money import money
from infra.access.callers import Caller
from projections.reports.report import OF_BETTOR
from projections.views.named_rows import Row, select, select_all, shown
from projections.views.read_side import NotFound, ReadSide

MOST_DAYS = 366
MOST_MOVES = 5_000
AMOUNTS = frozenset(
    {
        *("wagered", "won", "lost", "fees", "net", "buy_ins", "cash_outs"),
        *("wager", "action", "liability", "paid", "collected", "shortfall", "change"),
    }
)
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

BETTORS: LiteralString = (
    f"SELECT b.bettor, {KIND}, {SUMS}, (SELECT max(gaming_day) FROM projections.bankroll d "
    "WHERE d.bettor = b.bettor) AS last_day FROM projections.bankroll_totals b "
    "WHERE b.bettor > %(after)s AND b.bettor >= %(like)s AND starts_with(b.bettor, %(like)s) "
    "GROUP BY b.bettor ORDER BY b.bettor LIMIT %(limit)s"
)
PLAYER_DEALERS: LiteralString = (
    f"SELECT {BANKED} FROM projections.exposure_banked "
    "WHERE player_dealer > %(after)s AND player_dealer >= %(like)s AND starts_with(player_dealer, %(like)s) "
    "ORDER BY player_dealer LIMIT %(limit)s"
)


def find_bettors(read_side: ReadSide, caller: Caller, like: str, after: str, limit: int, asked: str) -> Row:
    """Return those whose id begins with `like`, after one of them; `asked` is recorded as what was looked at."""
    read_side.bring_up_to_date("bankroll")
    found = select(read_side.database, BETTORS, {"like": like, "after": after, "limit": limit + 1})
    read_side.record_look(caller, "bettors", asked)
    return _page("bettors", found, limit)


def find_player_dealers(read_side: ReadSide, caller: Caller, like: str, after: str, limit: int, asked: str) -> Row:
    read_side.bring_up_to_date("exposure")
    found = select(read_side.database, PLAYER_DEALERS, {"like": like, "after": after, "limit": limit + 1})
    read_side.record_look(caller, "player dealers", asked)
    return _page("player_dealers", found, limit)


def _page(what: str, found: list[Row], limit: int) -> Row:
    page = _shown(found[:limit])
    return {what: page, "cursor": page[-1]["bettor"] if len(found) > limit else None}


def _shown(rows: list[Row]) -> list[Row]:
    return [shown(row, AMOUNTS) for row in rows]


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
# One event makes at most two lines of one account.
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


def bankroll_for(read_side: ReadSide, caller: Caller, bettor: str, last_days: int, limit: int) -> Row:
    """Return all days, a year at most, and what moved the bettor's chips on the last of them, each with the balance
    after it: with fees, but without chips bought and cashed."""
    read_side.bring_up_to_date("bankroll", "journal")
    values = {"bettor": bettor, "most_days": MOST_DAYS + 1, "last_days": last_days, "limit": limit + 1}
    found, by_day, moved, chips = select_all(read_side.database, values, BY_DAY, HELD, MOVES, CHIPS)
    if not found:
        raise NotFound(f"Nobody has played as {bettor}.")
    read_side.record_look(caller, "bankroll", bettor)
    total, *days = found
    since = total["last_day"] - timedelta(days=last_days - 1)
    before = held = sum(row["moved"] for row in by_day if row["gaming_day"] < since)
    ends = []
    for row in by_day:
        if row["gaming_day"] >= since:
            held += row["moved"]
            ends.append({"gaming_day": row["gaming_day"].isoformat(), "net": money(held)})
    moves = []
    for row in moved[:limit]:
        moves.append({**shown(row, AMOUNTS), "net": money(held)})
        if row["what"] not in ("buy-in", "cash-out"):
            held -= row["change"]
    return {
        **_without(total, "gaming_day"),
        "days": [_without(day, "bettor", "kind", "last_day") for day in days],
        "since": since.isoformat(),
        "before": money(before),
        "ends": ends,
        "moves": moves[::-1],
        "more": len(moved) > limit,
        "chips": _shown(chips[:limit])[::-1],
    }


def _without(row: Row, *names: str) -> Row:
    return shown({name: value for name, value in row.items() if name not in names}, AMOUNTS)


# ---- banking


def banking_for(read_side: ReadSide, caller: Caller, bettor: str, before: datetime | None, limit: int) -> Row:
    """Return totals of all rounds that somebody banked; and rounds by turn, the last one first."""
    read_side.bring_up_to_date("exposure", "rotation")
    earlier: LiteralString = "" if before is None else "AND at < %(before)s "
    sums, rounds = select_all(
        read_side.database,
        {"bettor": bettor, "before": before, "limit": limit + 1},
        f"SELECT {BANKED} FROM projections.exposure_banked WHERE player_dealer = %(bettor)s",
        "SELECT e.round, e.table_id, e.at, e.status, r.seat, r.turn, r.breach, e.wager, e.action, e.liability, e.paid, "
        "e.collected, e.collected - e.paid AS net, e.shortfall FROM "
        # By the bettor's index, which does not order rounds of one moment; the index of all rounds would read others'.
        f"(SELECT * FROM projections.exposure WHERE player_dealer = %(bettor)s {earlier}"
        "ORDER BY at DESC FETCH FIRST %(limit)s ROWS WITH TIES) e "
        "LEFT JOIN projections.rotation r ON r.round = e.round ORDER BY e.at DESC, e.round DESC LIMIT %(limit)s",
    )
    if not sums:
        raise NotFound(f"{bettor} has not banked.")
    read_side.record_look(caller, "banking", bettor)
    cursor = rounds[limit - 1]["at"].astimezone(UTC).isoformat() if len(rounds) > limit else None
    return {**shown(sums[0], AMOUNTS), "turns": _turns(rounds[:limit]), "cursor": cursor}


def _turns(rounds: list[Row]) -> list[Row]:
    """Group consecutive rounds at one table into turns; a first round begins one. What a page cuts off is on the next
    one."""
    turns: list[list[Row]] = []
    at_table: dict[str, list[Row]] = {}
    for row in rounds:
        turn = at_table.get(row["table_id"])
        if turn is None or (turn[-1]["turn"] or 1) == 1:  # the later one began its turn
            turn = at_table[row["table_id"]] = []
            turns.append(turn)
        turn.append(row)
    return [_turn(turn) for turn in turns]


def _turn(rounds: list[Row]) -> Row:
    sums = {name: money(sum([row[name] for row in rounds])) for name in ("paid", "collected", "net", "shortfall")}
    rows = _shown(rounds)
    first = rows[-1]
    return {"table": first["table"], "at": first["at"], "seat": first["seat"], "rounds": rows, **sums}

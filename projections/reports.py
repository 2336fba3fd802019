"""Reports: rows of plain values, money as text and times with their offset, from the projections' tables.

A report on the past is not read from today's rows: the events up to then are folded again into temporary tables, by the
same code, and the same query is asked of those.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from functools import lru_cache
from typing import Any, LiteralString

import psycopg
from msgspec import Struct
from psycopg.sql import SQL, Composed, Identifier

from domain.money import money
from infra.database import Cursor, Database, ask_together
from infra.migrate import READER_ROLE
from infra.recorder import LedgerRecorder
from projections import storage
from projections.applier import gaming_days
from projections.catalogue import ALL
from projections.chi_square import p_value
from projections.feed import Feed
from projections.fold import Fold
from projections.gaming_days import GamingDays
from projections.irregular import CARD_DEGREES, IRREGULAR, KINDS, STATUSES
from projections.projection import Projection, Window
from projections.report import ALWAYS, BY_DAY, BY_DEALER, BY_TABLE, CHOSEN, DAYS, IN_RANGE, OF_ALL, WHERE, Report
from projections.runner import connect
from projections.storage import LIVE, TEMPORARY, Connection, Writer

REPLAY_PAGE = 20_000


class BadFilter(ValueError):
    """A filter that this report does not have."""


class Filters(Struct, frozen=True):
    """`as_of`: what the ledger held at that moment. `since` and `until`: what belongs to that time, from the one to
    just before the other. Any of the three makes the report be worked out from events. `first` and `last` are gaming
    days, both included, and `limit` the number of rows after which it ends."""

    table: str | None = None
    bettor: str | None = None
    gaming_day: date | None = None
    shift: str | None = None
    box: str | None = None
    as_of: datetime | None = None
    since: datetime | None = None
    until: datetime | None = None
    dealer: str | None = None
    kind: str | None = None
    status: str | None = None
    round: str | None = None
    account: str | None = None
    first: date | None = None
    last: date | None = None
    limit: int | None = None

    @property
    def on_the_past(self) -> bool:
        return self.as_of is not None or self.since is not None or self.until is not None

    @property
    def window(self) -> Window:
        return Window(_milliseconds(self.since), _milliseconds(self.until))


REPORTS: dict[str, Report] = {
    report.name: report
    for report in (
        Report(
            "bankroll",
            ALL["bankroll"],
            {
                "bettor": "",
                "kind": "",
                "rounds": "",
                "wagered": "money",
                "won": "money",
                "lost": "money",
                "fees": "money",
                "net": "money",
                "buy_ins": "money",
                "cash_outs": "money",
            },
            "SELECT bettor, coalesce(k.kind, CASE WHEN sum(tips) > 0 THEN 'toke' ELSE 'patron' END),"
            " sum(rounds)::bigint, sum(wagered)::bigint, sum(won)::bigint, sum(lost)::bigint,"
            " sum(fees)::bigint, sum(won - lost)::bigint,"
            " sum(buy_ins)::bigint, sum(cash_outs)::bigint"
            " FROM {schema}.bankroll{of_all} LEFT JOIN {schema}.bankroll_kinds k USING (bettor)",
            {**BY_TABLE, **BY_DAY, "bettor": "bettor = %(bettor)s"},
            "bettor",
            group="bettor, k.kind",
            totals=frozenset({"bettor"}),
            sums=("wagered", "won", "lost", "fees", "net", "buy_ins", "cash_outs"),
        ),
        Report(
            "exposure",
            ALL["exposure"],
            {
                "round": "",
                "table": "",
                "at": "at",
                "player_dealer": "",
                "wager": "money",
                "action": "money",
                "liability": "money",
                "paid": "money",
                "collected": "money",
                "net": "money",
                "shortfall": "money",
                "status": "",
                "gaming_day": "",
                "shift": "",
            },
            "SELECT round, table_id, at, player_dealer, wager, action, liability, paid, collected, collected - paid,"
            " shortfall, status, gaming_day, shift FROM {schema}.exposure",
            {**BY_TABLE, **BY_DAY, "bettor": "player_dealer = %(bettor)s"},
            "at, round",
            windowed="opened_at",
            sums=("action", "paid", "collected", "net", "shortfall"),
        ),
        Report(
            "collections",
            ALL["collections"],
            {
                "gaming_day": "",
                "shift": "",
                "table": "",
                "schedule": "schedule",
                "tier": "",
                "rounds": "",
                "action": "money",
                "fees": "money",
                "waived": "money",
                "net": "money",
            },
            "SELECT gaming_day, shift, table_id, schedule, tier, rounds, action, fees, waived, fees - waived"
            " FROM {schema}.collections",
            {**BY_TABLE, **BY_DAY},
            "gaming_day, array_position(%(shifts)s::text[], shift), table_id, schedule, tier",
            sums=("rounds", "action", "fees", "waived", "net"),
        ),
        Report(
            "drops",
            ALL["drops"],
            {
                "box": "",
                "table": "",
                "installed_at": "at",
                "removed_at": "at",
                "expected": "money",
                "counted": "money",
                "variance": "money",
                "status": "",
                "fees": "",
                "seal": "",
                "gaming_day": "",
                "shift": "",
                "signed_by": "",
                "explanation": "",
            },
            "SELECT box, table_id, installed_at, removed_at, expected, counted, variance, status, fees, seal,"
            " gaming_day, shift, signed_by, explanation FROM {schema}.drops",
            {**BY_TABLE, **BY_DAY, "box": "box = %(box)s"},
            "installed_at, box",
            windowed="coalesce(removed_at, installed_at)",
            sums=("expected", "counted", "variance", "fees"),
        ),
        Report(
            "journal",
            ALL["journal"],
            {
                "source": "",
                "at": "at",
                "account": "",
                "debit": "money",
                "credit": "money",
                "round": "",
                "table": "",
                "what": "",
                "gaming_day": "",
                "position": "",
            },
            "SELECT source, at, account, debit, credit, round, table_id, what, gaming_day, position"
            " FROM {schema}.journal",
            {
                **BY_TABLE,
                **BY_DAY,
                "bettor": "account IN ('player:' || %(bettor)s, 'player-dealer:' || %(bettor)s, 'toke:' || %(bettor)s)",
                "account": "account = %(account)s",
            },
            "position, line",
            windowed="at",
            sums=("debit", "credit"),
        ),
        Report(
            "trial-balance",
            ALL["journal"],
            {"account": "", "debit": "money", "credit": "money", "balance": "money"},
            "SELECT account, sum(debit)::bigint, sum(credit)::bigint, sum(debit - credit)::bigint"
            " FROM {schema}.journal_balances",
            {**DAYS, "account": "account = %(account)s"},
            "account",
            group="account",
            sums=("debit", "credit", "balance"),
        ),
        Report(
            "hands",
            ALL["hands"],
            {
                "round": "",
                "table": "",
                "ruleset": "",
                "opened_at": "at",
                "gaming_day": "",
                "shift": "",
                "status": "",
                "player_dealer": "",
                "seats": "list",
                "bettors": "list",
                "dealer_hand": "",
                "made": "list",
                "action": "money",
                "wagered": "money",
                "paid": "money",
                "collected": "money",
                "shortfall": "money",
                "fee": "money",
                "waived": "",
                "voided": "",
                "corrected": "",
                "disputed": "",
                "dealer": "",
            },
            "SELECT round, table_id, ruleset, opened_at, gaming_day, shift, status, player_dealer, seats, bettors,"
            " dealer_hand, made, action, wagered, paid, collected, shortfall, fee, waived, voided, corrected,"
            " disputed, coalesce(dealer, 'nobody') FROM {schema}.hands",
            {
                **BY_TABLE,
                **BY_DAY,
                **BY_DEALER,
                "bettor": "round IN (SELECT round FROM {schema}.hands_bettors WHERE bettor = %(bettor)s)",
            },
            "opened_at, round",
            windowed="opened_at",
            sums=("action", "wagered", "paid", "collected", "shortfall", "fee"),
        ),
        Report(
            "rotation",
            ALL["rotation"],
            {
                "round": "",
                "table": "",
                "at": "at",
                "seat": "",
                "bettor": "",
                "turn": "",
                "declined": "list",
                "passed_over": "list",
                "breach": "",
                "status": "",
            },
            "SELECT round, table_id, at, seat, bettor, turn, declined, passed_over, breach, status"
            " FROM {schema}.rotation",
            {**BY_TABLE, **BY_DAY, "bettor": "bettor = %(bettor)s"},
            "at, round",
            windowed="at",
        ),
        Report(
            "meters",
            ALL["meters"],
            {
                "meter": "",
                "at": "at",
                "what": "",
                "round": "",
                "bettor": "",
                "amount": "money",
                "shown": "money",
                "reserve": "money",
            },
            "SELECT meter, at, what, round, bettor, amount, shown, reserve FROM {schema}.meter_moves",
            {"bettor": "bettor = %(bettor)s"},
            "position",
            windowed="at",
        ),
        Report(
            "inventory",
            ALL["inventory"],
            {
                "table": "",
                "session": "",
                "stretch": "",
                "gaming_day": "",
                "shift": "",
                "began_at": "at",
                "ended_at": "at",
                "rounds": "",
                "opening": "money",
                "fills": "money",
                "credits": "money",
                "closing": "money",
                "drop": "money",
                "win": "money",
                "ledger_win": "money",
                "difference": "money",
            },
            # A stretch without both counts has no win of its own, and so no difference.
            "SELECT table_id, session, stretch, gaming_day, shift, began_at, ended_at, rounds, opening, fills,"
            " credits, closing, bought - cashed, win, ledger_win, win - ledger_win FROM (SELECT i.*,"
            " coalesce(p.rounds, 0) AS rounds, closing + credits - opening - fills + bought - cashed AS win,"
            " coalesce(p.won, 0) - coalesce(c.paid, 0) AS ledger_win"
            # What was corrected is added up for those stretches only that are asked for.
            " FROM (SELECT * FROM {schema}.inventory{where} ORDER BY began_at, table_id, session, stretch"
            " LIMIT %(limit)s) i LEFT JOIN {schema}.inventory_played p USING (table_id, session, stretch)"
            " LEFT JOIN LATERAL (SELECT sum(c.paid)::bigint AS paid FROM {schema}.inventory_corrections c"
            " WHERE c.table_id = i.table_id AND i.opening IS NOT NULL AND c.position > i.began_position"
            " AND (c.position < i.ended_position OR i.ended_position IS NULL)) c ON true) stretches",
            {**BY_TABLE, **BY_DAY},
            "began_at, table_id, session, stretch",
            windowed="began_at",
            sums=("rounds", "fills", "credits", "drop", "win", "ledger_win", "difference"),
        ),
        Report(
            "tray-counts",
            ALL["journal"],
            {
                "table": "",
                "session": "",
                "stretch": "",
                "when": "",
                "at": "at",
                "gaming_day": "",
                "shift": "",
                "expected": "money",
                "counted": "money",
                "difference": "money",
            },
            # What a tray holds when it is counted for the first time was not expected to be anything.
            "SELECT table_id, session, stretch, taken, at, gaming_day, shift, expected, counted, counted - expected"
            " FROM {schema}.journal_tray_counts",
            {**BY_TABLE, **BY_DAY},
            "at, position",
            windowed="at",
            sums=("difference",),
        ),
        Report(
            "slips",
            ALL["drops"],
            {
                "box": "",
                "round": "",
                "at": "at",
                "schedule": "schedule",
                "tier": "",
                "fee": "money",
                "dropped": "money",
                "waived": "",
                "matched": "",
            },
            # What the rounds say was taken beside what the box was told; a fee without a slip belongs to the box that
            # was on its table.
            "SELECT box, round, at, schedule, tier, fee, dropped, waived, matched FROM (SELECT d.box, s.round, s.at,"
            " coalesce(f.schedule, s.schedule) AS schedule, coalesce(f.tier, s.tier) AS tier, f.amount AS fee,"
            " s.amount AS dropped, f.waived, d.table_id,"
            " coalesce(s.amount, 0) = CASE WHEN f.waived = 'not dropped' THEN 0 ELSE coalesce(f.amount, 0) END"
            " AND f.amount IS NOT NULL AS matched"
            " FROM {schema}.drops d CROSS JOIN LATERAL (SELECT round, min(at) AS at,"
            " sum(amount)::bigint AS amount, max(schedule) AS schedule, max(tier) AS tier"
            " FROM {schema}.drop_slips WHERE box = d.box GROUP BY round) s"
            " LEFT JOIN {schema}.drop_fees f USING (round)"
            " UNION ALL SELECT d.box, f.round, f.at, f.schedule, f.tier, f.amount, NULL, f.waived, f.table_id, false"
            " FROM {schema}.drop_fees f JOIN {schema}.drops d ON d.table_id = f.table_id AND f.at >= d.installed_at"
            " AND (d.removed_at IS NULL OR f.at < d.removed_at)"
            " WHERE NOT EXISTS (SELECT FROM {schema}.drop_slips s WHERE s.round = f.round)) walked",
            {**BY_TABLE, "box": "box = %(box)s"},
            "box, at, round",
            windowed="at",
            sums=("fee", "dropped"),
        ),
        *IRREGULAR,
    )
}


def columns_of(name: str) -> list[str]:
    return list(report_named(name).columns)


class UnknownReport(LookupError):
    """There is no report of that name."""


def report_named(name: str) -> Report:
    try:
        return REPORTS[name]
    except KeyError:
        raise UnknownReport(f"There is no report {name}; there are {', '.join(REPORTS)}.") from None


def rows(database_url: str, name: str, filters: Filters = Filters()) -> list[dict[str, Any]]:  # noqa: B008
    """The rows of a report; today's are as far as the projection has come, those of the past are always exact."""
    report = report_named(name)
    _check(report, filters)
    with connect(database_url) as connection:
        if filters.on_the_past:
            with replayed(connection, database_url, [report.projection], filters):
                return ask(connection, report, filters, TEMPORARY)
        return ask(connection, report, filters, LIVE)


def rows_for(database: Database, name: str, filters: Filters, days: GamingDays) -> list[dict[str, Any]]:
    """The same by a connection that is there already: making one takes longer than most reports of today."""
    if filters.on_the_past:
        return rows(database.url, name, filters)
    report = report_named(name)
    _check(report, filters)
    return shaped(report, database.read(lambda cursor: raw(cursor, report, filters, LIVE, days)), days)


def _check(report: Report, filters: Filters) -> None:
    for name in CHOSEN:
        if getattr(filters, name) is not None and name not in report.filters:
            raise BadFilter(f"{report.name} cannot be asked for one {name.replace('_', ' ')}.")
    for value, words in ((filters.kind, KINDS), (filters.status, STATUSES)):
        if value is not None and value not in words:
            raise BadFilter(f"{value} is none of {', '.join(words)}.")


def ask(connection: Connection | Cursor, report: Report, filters: Filters, schema: str) -> list[dict[str, Any]]:
    """The rows of a report from one place: where it is live, or where the past was worked out."""
    days = gaming_days(connection)
    return shaped(report, raw(connection, report, filters, schema, days), days)


def raw(
    connection: Connection | Cursor, report: Report, filters: Filters, schema: str, days: GamingDays
) -> list[tuple[Any, ...]]:
    """The same as the tables have them: cents and moments."""
    # Planned for these values each time: a plan for any limit and any day reads whole tables.
    return connection.execute(*question(report, filters, schema, days.shifts), prepare=False).fetchall()


def raw_of_all(
    connection: Connection | Cursor, asked: Sequence[tuple[Report, Filters]], schema: str, days: GamingDays
) -> list[list[tuple[Any, ...]]]:
    """Of several reports of a day in one go. One day is as good as another, so these need not be planned each time."""
    whole = connection.connection if isinstance(connection, psycopg.Cursor) else connection
    questions = [question(report, filters, schema, days.shifts) for report, filters in asked]
    return [cursor.fetchall() for cursor in ask_together(whole, questions)]


def shaped(report: Report, found: Iterable[Sequence[Any]], days: GamingDays) -> list[dict[str, Any]]:
    shapes = [_SHAPES[shape] for shape in report.columns.values()]
    names = list(report.columns)
    return [{name: shape(value, days) for name, shape, value in zip(names, shapes, row, strict=True)} for row in found]


def question(
    report: Report, filters: Filters, schema: str, shifts: Sequence[str] = ()
) -> tuple[Composed, dict[str, Any]]:
    """The statement of a report, and the values of its conditions; `shifts` in the order in which they come."""
    asked = [name for name in report.filters if name == ALWAYS or getattr(filters, name) is not None]
    conditions: list[LiteralString] = [report.filters[name] for name in asked]
    if report.windowed and (filters.since or filters.until):
        conditions.append(IN_RANGE.format(report.windowed, report.windowed))
    where: LiteralString = " WHERE " + " AND ".join(conditions) if conditions else ""
    query = report.query.replace(WHERE, where) if WHERE in report.query else report.query + where
    query = query.replace(OF_ALL, "_totals" if report.totals.issuperset(asked) else "")
    if report.group:
        query += f" GROUP BY {report.group}"
    query += f" ORDER BY {report.order}"
    if filters.limit is not None:
        query += " LIMIT %(limit)s"
    values = {name: getattr(filters, name) for name in Filters.__struct_fields__}
    return _statement(query, schema), {"shifts": list(shifts), **values}


@lru_cache(256)  # the same few reports are asked for again and again
def _statement(query: LiteralString, schema: str) -> Composed:
    return SQL(query).format(schema=Identifier(schema))


# ---- plain values


def iso(at: datetime, days: GamingDays) -> str:
    """As the property's clocks showed it, with the offset."""
    return days.local(at).isoformat(timespec="milliseconds")


_SHAPES: Mapping[str, Callable[[Any, GamingDays], Any]] = {
    "": lambda value, days: value.isoformat() if isinstance(value, date) else value,
    "money": lambda value, days: None if value is None else money(value),
    "at": lambda value, days: None if value is None else iso(value, days),
    "schedule": lambda value, days: int(value) if value is not None and value.isdecimal() else value,
    "list": lambda value, days: value,
    "decimal": lambda value, days: None if value is None else f"{value:.3f}",
    "p_value": lambda value, days: None if value is None else f"{p_value(float(value), CARD_DEGREES):.4f}",
    "raw": lambda value, days: value,
}


def _milliseconds(at: datetime | None) -> int | None:
    return None if at is None else round(at.timestamp() * 1000)


# ---- the past


@contextmanager
def replayed(
    connection: Connection, database_url: str, projections: Sequence[type[Projection]], filters: Filters
) -> Iterator[None]:
    """Temporary tables of these projections as the events up to a moment make them; gone with the connection."""
    tables = [table for projection in projections for table in projection.tables]
    storage.create(connection, TEMPORARY, tables)
    writer = Writer(TEMPORARY)
    with LedgerRecorder(database_url, role=READER_ROLE, connections_at_most=2) as recorder:
        feed = Feed(recorder)
        fold = Fold(projections, feed, gaming_days(connection), filters.window)
        after = -1
        position = 0
        while position > after:
            after = position
            page, position = feed.page(after, REPLAY_PAGE, as_of=filters.as_of)
            fold.take_in(page)
            with connection.transaction():
                fold.write(connection, writer)
    try:
        yield
    finally:
        storage.drop(connection, TEMPORARY, tables)

"""Searches rounds among the projected hands, page by page, and counts them.

A page continues after the last row of the previous one (its time or amount, and its id), so that new rounds do not move
it. Every search uses an index: in the order of its pages if that is quick, or of what few rounds have. Decisions and
results of a round are searched once it is over, so no count reveals anything of a round in play."""

from __future__ import annotations

import csv
import io
from collections import Counter
from typing import Any, LiteralString, NamedTuple

import msgspec
from msgspec.structs import replace

from infra.access.callers import Caller
from projections.views.blindness import check_sight, table_of_round
from projections.views.named_rows import Row, filters_set, select, shown
from projections.views.paging import Cursor, cursor_at
from projections.views.read_side import ReadSide
from projections.views.search.round_filter import BY_TIME, RoundFilter

MOST_EXPORTED = 10_000
PAGE_EXPORTED = 500
AMOUNTS = frozenset({"action", "wagered", "paid", "collected", "shortfall", "fee"})
PERSONAL = frozenset({"wagered", "net"})
COLUMNS: LiteralString = (
    "round, table_id, ruleset, opened_at, ended_at, gaming_day, shift, status, player_dealer, seats, bettors, "
    "dealer_hand, made, outcomes, action, wagered, paid, collected, shortfall, fee, waived, voided, corrected, notes, "
    "late, disputed, dealer, happened"
)
SHOWN: LiteralString = "h." + COLUMNS.replace(", ", ", h.")
CONDITIONS: dict[str, LiteralString] = {
    "table": "h.table_id = %(table)s",
    "round": "h.round ~>=~ %(round)s AND h.round ~<~ %(round_end)s",
    "bettor": "b.bettor = %(bettor)s",
    "seat": "%(seat)s = ANY(h.seats)",
    "since": "h.opened_at >= %(since)s",
    "until": "h.opened_at < %(until)s",
    "day": "h.gaming_day = %(day)s",
    "weekday": "h.weekday = %(weekday)s",
    "clock": "h.minute >= %(clock_from)s AND h.minute < %(clock_to)s",
    "night": "(h.minute >= %(clock_from)s OR h.minute < %(clock_to)s)",
    "shift": "h.shift = %(shift)s",
    "ruleset": "h.ruleset = %(ruleset)s",
    "status": "h.status = %(status)s",
    "outcome": "h.outcomes @> ARRAY[%(outcome)s::text]",
    "happened": "h.happened @> %(happened)s::text[]",
    "made": "(h.made @> ARRAY[%(made)s::text] OR h.dealer_hand = %(made)s)",
    "least": "h.wagered >= %(least)s",
    "most": "h.wagered <= %(most)s",
    "dealer": "coalesce(h.dealer, 'nobody') = %(dealer)s",
    "player_dealer": "h.player_dealer = %(player_dealer)s",
}
# What most rounds have is compared in the rounds of a table: fetching all of the index would take longer.
COMMON = frozenset({"raise", "check", "play", "fold", "hit", "stand"})
AT_A_TABLE: LiteralString = "(h.happened @> %(happened)s::text[]) IS TRUE"  # no index fits this
# For one bettor, their own seats, outcomes, choices and result are compared, using the index of their rounds.
OF_A_BETTOR: dict[str, LiteralString] = {
    "seat": "%(seat)s = ANY(b.seats)",
    "since": "b.opened_at >= %(since)s",
    "until": "b.opened_at < %(until)s",
    "outcome": "b.outcomes @> ARRAY[%(outcome)s::text]",
    "happened": "b.happened @> %(happened)s::text[]",
    "net_least": "b.net >= %(net_least)s",
    "net_most": "b.net <= %(net_most)s",
}
OF_SOMEBODY = frozenset({"seat", "outcome", "happened", "net_least", "net_most"})  # all of them of the same person
# When it was is in the rows of bettors too, next to their net.
WHEN: dict[str, LiteralString] = {
    "weekday": "b.weekday = %(weekday)s",
    "clock": "b.minute >= %(clock_from)s AND b.minute < %(clock_to)s",
    "night": "(b.minute >= %(clock_from)s OR b.minute < %(clock_to)s)",
}
# Written out, not compared with a value, so that the planner sees that a partial index fits.
FLAGS: dict[str, dict[bool, LiteralString]] = {
    "shortfall": {True: "h.shortfall > 0", False: "h.shortfall <= 0"},
    "voided": {True: "h.status = 'void'", False: "h.status <> 'void'"},
    "corrected": {True: "h.corrected > 0", False: "h.corrected <= 0"},
    "noted": {True: "h.notes > 0", False: "h.notes <= 0"},
    "late": {True: "h.late", False: "NOT h.late"},
    "disputed": {True: "h.disputed > 0", False: "h.disputed <= 0"},
    "waived": {True: "h.waived IS NOT NULL", False: "h.waived IS NULL"},
}


class Sort(NamedTuple):
    """By what rounds, and a bettor's rounds, are ordered, before their id."""

    key: LiteralString
    of_a_bettor: LiteralString
    falls: bool


SORTS: dict[str, Sort] = {
    "newest": Sort("h.opened_at", "b.opened_at", falls=True),
    "oldest": Sort("h.opened_at", "b.opened_at", falls=False),
    "wagered": Sort("h.wagered", "b.wagered", falls=True),
    "won": Sort("h.most_net", "b.net", falls=True),
    "lost": Sort("h.least_net", "b.net", falls=False),
}


def find_rounds(
    read_side: ReadSide, caller: Caller, wanted: RoundFilter, limit: int, asked: str, *, counted: bool = False
) -> Row:
    """Search rounds; `asked` is recorded as what was looked at."""
    wanted = _of_own_table(caller, wanted)
    statement, values = statement_for(wanted)
    read_side.bring_up_to_date("hands")
    found = select(read_side.database, statement, {**values, "limit": limit + 1})
    read_side.record_look(caller, "search", asked)
    page = found[:limit]
    people = _people(read_side, wanted, [row["round"] for row in page])
    last = page[-1] if len(found) > limit else None
    counts = None
    if counted:  # what is on one page is counted there
        whole = last is None and wanted.after is None and wanted.bettor is None
        counts = _counts_of(page) if whole else _counts(read_side, wanted)
    return {
        "rounds": [{**_shown(row), "people": people.get(row["round"], [])} for row in page],
        "cursor": last and cursor_at(last["sort_key"], last["round"], "" if wanted.sort in BY_TIME else wanted.sort),
        "counts": counts,
    }


# ---- counts

MOST_COUNTED = 300
COUNTED_AT_MOST: LiteralString = "301"  # in the statement itself: a plan for any limit would read all that there is
MOST_ROUGHLY_COUNTED = 50  # of a search that nobody has asked for
ROUGHLY_COUNTED_AT_MOST: LiteralString = "51"
# `found` has a row for each bettor that fits, where a search is about one whom it does not name. `few` has the
# rounds, or none if there are too many.
COUNTED: LiteralString = (
    "WITH found AS MATERIALIZED (found), "
    "few AS (SELECT DISTINCT ON (round) * FROM found WHERE (SELECT count(*) FROM found) < %(limit)s) "
    "SELECT 'rows', '', count(*) FROM found UNION ALL "
    "SELECT 'rounds', '', count(DISTINCT round) FROM found UNION ALL "
    "SELECT 'tables', table_id, count(*) FROM few GROUP BY 2 UNION ALL "
    "SELECT 'days', gaming_day::text, count(*) FROM few GROUP BY 2 UNION ALL "
    "SELECT 'happened', what, count(*) FROM few, unnest(happened) what WHERE strpos(what, '/') = 0 GROUP BY 2"
)


def _counts(read_side: ReadSide, wanted: RoundFilter) -> Row:
    """Return how many rounds a search finds, up to a limit, and below it how many of each table, day and kind."""
    happened: LiteralString = "h.happened" if wanted.bettor is None else "b.happened"
    everything = replace(wanted, after=None, before=None)
    statement, values = statement_for(everything, f"h.round, h.table_id, h.gaming_day, {happened}", ordered=False)
    sums: dict[str, dict[str, int]] = {"rows": {}, "rounds": {}, "tables": {}, "days": {}, "happened": {}}
    statement = COUNTED.replace("(found)", f"({statement})").replace("%(limit)s", COUNTED_AT_MOST)
    for kind, value, number in read_side.database.rows(statement, values):
        sums[kind][value] = number
    rows, rounds = sums.pop("rows")[""], sums.pop("rounds")[""]
    if rows > MOST_COUNTED:  # the last row may be of a round that was counted
        return {"rounds": rounds - 1, "more": True, **{name: {} for name in sums}}
    return {"rounds": rounds, "more": False, **{name: dict(sorted(values.items())) for name, values in sums.items()}}


def _counts_of(rows: list[Row]) -> Row:
    """The same, of rounds that are all there."""
    sums = {
        "tables": Counter(row["table_id"] for row in rows),
        "days": Counter(row["gaming_day"].isoformat() for row in rows),
        "happened": Counter(what for row in rows for what in row["happened"] if "/" not in what),
    }
    return {"rounds": len(rows), "more": False, **{name: dict(sorted(found.items())) for name, found in sums.items()}}


def count_roughly(read_side: ReadSide, caller: Caller, wanted: RoundFilter) -> int:
    """Return how many rounds a search finds; one more than MOST_ROUGHLY_COUNTED stands for any more than that."""
    check_sight(read_side, caller, None if wanted.table is None else (wanted.table,))
    statement, values = statement_for(_of_own_table(caller, wanted), "h.round", ordered=False)
    statement = statement.replace("%(limit)s", ROUGHLY_COUNTED_AT_MOST)
    ((rows, rounds),) = read_side.database.rows(
        f"SELECT count(*), count(DISTINCT round) FROM ({statement}) found", values
    )
    return MOST_ROUGHLY_COUNTED + 1 if rows > MOST_ROUGHLY_COUNTED else int(rounds)


# ---- seen from a bettor

PEOPLE: LiteralString = (
    "SELECT b.round, b.bettor, b.seats, b.happened, b.banked, b.wagered, b.net, b.hands "
    "FROM projections.hands_bettors b WHERE b.round = ANY(%(rounds)s)"
)


def _people(read_side: ReadSide, wanted: RoundFilter, rounds: list[str]) -> dict[str, list[Row]]:
    """Return the bettors that a search is about, by round: their seats, hands and results."""
    if not wanted.of_somebody or not rounds:
        return {}
    values = _values(wanted)
    people: dict[str, list[Row]] = {}
    statement = PEOPLE + " AND " + " AND ".join(_somebodys(wanted, values)) + " ORDER BY b.round, b.seats, b.bettor"
    for row in select(read_side.database, statement, {**values, "rounds": rounds}):
        person = shown(row, PERSONAL)
        person["happened"] = [what for what in row["happened"] if "/" not in what]
        person["hands"] = msgspec.json.decode(row["hands"])
        people.setdefault(person.pop("round"), []).append(person)
    return people


def _somebodys(wanted: RoundFilter, values: Row) -> list[LiteralString]:
    """Return the conditions on the row of the bettor that a search is about."""
    conditions = [OF_A_BETTOR[name] for name in values if name in OF_SOMEBODY]
    return ["b.bettor = %(bettor)s" if wanted.bettor is not None else "NOT b.banked", *conditions]


# ---- files and neighbours


def export_rounds(read_side: ReadSide, caller: Caller, wanted: RoundFilter, format_: str, asked: str) -> bytes:
    """Export all rounds of a search as a file, newest first, as far as a file can sensibly go."""
    rows: list[Row] = []
    cursor: str | None = None
    while len(rows) < MOST_EXPORTED:
        page = wanted.after_cursor(None if cursor is None else Cursor.read(cursor))
        found = find_rounds(read_side, caller, page, PAGE_EXPORTED, asked)
        rows += found["rounds"]
        cursor = found["cursor"]
        if cursor is None:
            break
    read_side.record_look(caller, f"export as {format_}", asked)
    if format_ == "json":
        return msgspec.json.encode({"rounds": rows})
    file = io.StringIO()
    writer = csv.writer(file)
    rows = [{**row, "people": [_in_a_cell(person) for person in row["people"]]} for row in rows]
    writer.writerow(rows[0] if rows else ["round"])
    writer.writerows([_cell(value) for value in row.values()] for row in rows)
    return file.getvalue().encode()


def _cell(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    return " ".join([f'"{one}"' if isinstance(one, str) and " " in one else str(one) for one in value])


def _in_a_cell(person: Row) -> str:
    """Return a bettor's part in one line; a card that nobody has seen is a question mark."""
    hands = [" ".join(card or "?" for card in hand["cards"]) for hand in person["hands"]]
    return f"{person['bettor']} {person['net'] or 'open'}: {', '.join(hands)}"


def find_neighbours(read_side: ReadSide, caller: Caller, wanted: RoundFilter, round_id: str) -> dict[str, str | None]:
    """Return the rounds just after and just before one in time, among those that a search finds."""
    wanted, here = replace(_of_own_table(caller, wanted), sort="newest"), (None, round_id)
    for table in table_of_round(read_side.ledger, round_id) or ():
        caller.check_table(table)
    read_side.bring_up_to_date("hands")
    newer, newer_values = statement_for(replace(wanted, before=here), "'newer', h.round")
    older, older_values = statement_for(replace(wanted, after=here), "'older', h.round")
    statement: LiteralString = f"({newer}) UNION ALL ({older})"
    for unknown in ("%(before_at)s", "%(after_at)s"):
        statement = statement.replace(unknown, "(SELECT opened_at FROM projections.hands WHERE round = %(here)s)")
    found = dict(read_side.database.rows(statement, {**newer_values, **older_values, "here": round_id, "limit": 1}))
    return {"newer": found.get("newer"), "older": found.get("older")}


def _of_own_table(caller: Caller, wanted: RoundFilter) -> RoundFilter:
    if caller.role != "terminal":
        return wanted
    wanted = replace(wanted, table=wanted.table or caller.table)
    caller.check_table(wanted.table)
    return wanted


def _shown(row: Row) -> Row:
    found = shown({name: value for name, value in row.items() if name != "sort_key"}, AMOUNTS)
    return found | {name: [one for one in row[name] if "/" not in one] for name in ("outcomes", "happened")}


# ---- the statement


def statement_for(
    wanted: RoundFilter, columns: LiteralString | None = None, *, ordered: bool = True
) -> tuple[LiteralString, dict[str, Any]]:
    values, of_a_bettor = _values(wanted), wanted.bettor is not None
    conditions = [FLAGS[name][value] for name, value in values.items() if name in FLAGS]
    shapes = {**CONDITIONS, **(OF_A_BETTOR if of_a_bettor else {})}
    joined = of_a_bettor or (wanted.of_somebody and not ordered)
    if joined:
        shapes |= WHEN
    if wanted.table is not None and not of_a_bettor and COMMON.issuperset(wanted.happened or ()):
        shapes |= {"happened": AT_A_TABLE}
    conditions += [shapes[name] for name in values if name in shapes]
    source: LiteralString = "projections.hands h"
    if joined:  # with a limit and no order, the planner would merge all rounds with all bettors of any
        source += " JOIN projections.hands_bettors b ON b.round = h.round"
        conditions += [] if of_a_bettor else _somebodys(wanted, values)
    elif wanted.of_somebody:
        when = [WHEN[name] for name in values if name in WHEN]
        somebody: LiteralString = " AND ".join([*when, *_somebodys(wanted, values)])
        conditions.append(f"h.round IN (SELECT b.round FROM projections.hands_bettors b WHERE {somebody})")
    sort = SORTS[wanted.sort]
    key, round_ = (sort.of_a_bettor, "b.round") if of_a_bettor else (sort.key, "h.round")
    for name, falls in (("after", sort.falls), ("before", not sort.falls)):
        if name in values:
            values[f"{name}_at"], values[f"{name}_round"] = values.pop(name)
            conditions.append(f"({key}, {round_}) {'<' if falls else '>'} (%({name}_at)s, %({name}_round)s)")
    if ordered and wanted.sort in ("won", "lost"):
        conditions.append(f"{key} IS NOT NULL")
    statement: LiteralString = f"SELECT {columns or f'{SHOWN}, {key} AS sort_key'}"
    statement += f" FROM {source}"
    if conditions:
        statement += " WHERE " + " AND ".join(conditions)
    if ordered:
        way: LiteralString = "DESC" if sort.falls is (wanted.before is None) else "ASC"
        statement += f" ORDER BY {key} {way}, {round_} {way}"
    return statement + " LIMIT %(limit)s", values


def _values(wanted: RoundFilter) -> dict[str, Any]:
    """Return the values of the conditions; their names say which conditions apply."""
    values = filters_set(wanted)
    values.pop("sort")
    if wanted.seat is not None:
        if wanted.outcome is not None:
            values["outcome"] = f"{wanted.seat}/{wanted.outcome}"
        if wanted.happened is not None:
            values["happened"] = [f"{wanted.seat}/{what}" for what in wanted.happened]
    if wanted.happened is not None and wanted.seat is None:
        values["happened"] = list(wanted.happened)
    if wanted.round is not None:
        values["round_end"] = wanted.round[:-1] + chr(ord(wanted.round[-1]) + 1)
    if wanted.clock is not None:
        (since, until) = values["clock_from"], values["clock_to"] = values.pop("clock")
        values["clock" if since < until else "night"] = True
    return values

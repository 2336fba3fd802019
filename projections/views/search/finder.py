"""Finds anything by an id or its beginning, a name or a date: for the search box, and for suggestions.

People who may count boxes, while one is not counted, find only tables, boxes, rule sets and staff here: a round's
number reveals how many rounds a table has had."""

from __future__ import annotations

import re
from collections.abc import Collection
from contextlib import suppress
from datetime import date, datetime, timedelta
from typing import LiteralString

from domain.rules.description.contents import titles
from infra.access.callers import Caller
from infra.store.database import ask_together
from projections.views.blindness import sight_of
from projections.views.named_rows import Row
from projections.views.read_side import ReadSide
from projections.views.search.round_filter import WEEKDAYS

ABOUT_NO_ROUND = frozenset({"table", "box", "ruleset", "staff"})
PROJECTIONS = {
    "round": "hands",
    "dealer": "hands",
    "table": "tables",
    "bettor": "bankroll",
    "player_dealer": "exposure",
    "dispute": "disputes",
    "box": "drops",
}
LONGEST = 60
DATES = ("%Y-%m-%d", "%m/%d/%Y", "%d.%m.%Y", "%d %b %Y", "%d %B %Y", "%b %d %Y", "%B %d %Y")
DATES_OF_THE_YEAR = ("%d %b", "%d %B", "%b %d", "%B %d")
# Each has the id and a note; the first ones by id. An id that is looked up by an index is compared byte by byte.
FOUND: dict[str, LiteralString] = {
    "round": "SELECT round, table_id || ', ' || status FROM projections.hands WHERE round ~>=~ %(text)s "
    "AND round ~<~ %(end)s AND (%(table)s::text IS NULL OR table_id = %(table)s) "
    "ORDER BY round USING ~<~ LIMIT %(limit)s",
    "table": "SELECT table_id, ruleset || CASE WHEN open THEN ', open' ELSE ', closed' END FROM projections.tables "
    "WHERE starts_with(table_id, %(text)s) AND (%(table)s::text IS NULL OR table_id = %(table)s) "
    "ORDER BY table_id LIMIT %(limit)s",
    "bettor": "SELECT bettor, '' FROM projections.bankroll_totals WHERE bettor >= %(text)s "
    "AND starts_with(bettor, %(text)s) ORDER BY bettor LIMIT %(limit)s",
    "player_dealer": "SELECT player_dealer, '' FROM projections.exposure_banked WHERE player_dealer >= %(text)s "
    "AND starts_with(player_dealer, %(text)s) ORDER BY player_dealer LIMIT %(limit)s",
    "dealer": "WITH RECURSIVE each (dealer) AS (SELECT min(coalesce(dealer, 'nobody')) FROM projections.hands "
    "UNION ALL SELECT (SELECT coalesce(h.dealer, 'nobody') FROM projections.hands h "
    "WHERE coalesce(h.dealer, 'nobody') > each.dealer ORDER BY coalesce(h.dealer, 'nobody') LIMIT 1) FROM each "
    "WHERE each.dealer IS NOT NULL) SELECT dealer, '' FROM each WHERE starts_with(dealer, %(text)s) LIMIT %(limit)s",
    "dispute": "SELECT dispute, 'round ' || round || ', ' || status FROM projections.disputes "
    "WHERE dispute >= %(text)s AND starts_with(dispute, %(text)s) ORDER BY dispute LIMIT %(limit)s",
    "box": "SELECT box, 'table ' || table_id FROM projections.drops WHERE box >= %(text)s "
    "AND starts_with(box, %(text)s) ORDER BY box LIMIT %(limit)s",
    "staff": "SELECT staff_id, name FROM roundledger.people WHERE starts_with(staff_id, %(text)s) "
    "OR position(%(text)s IN lower(name)) > 0 ORDER BY staff_id LIMIT %(limit)s",
}
_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")


def find_things(read_side: ReadSide, caller: Caller, text: str, kinds: Collection[str], limit: int) -> list[Row]:
    """Return things of these kinds whose id begins like this or whose name contains it, and the gaming days that it
    names."""
    text = " ".join(text[:LONGEST].lower().split())
    if sight_of(read_side, caller).hidden:
        kinds = ABOUT_NO_ROUND & set(kinds)
    asked = [kind for kind in FOUND if kind in kinds and (kind == "staff" or _ID.fullmatch(text))]
    if not text:
        return []
    if projections := {PROJECTIONS[kind] for kind in asked if kind in PROJECTIONS}:
        read_side.bring_up_to_date(*projections)
    values = {"text": text, "end": text[:-1] + chr(ord(text[-1]) + 1), "table": caller.table, "limit": limit}
    answers = read_side.database.read(
        lambda cursor: [
            found.fetchall() for found in ask_together(cursor.connection, [(FOUND[kind], values) for kind in asked])
        ]
    )
    read_side.record_look(caller, "find", text)
    things = [
        {"kind": kind, "id": id_, "note": note} for kind, rows in zip(asked, answers, strict=True) for id_, note in rows
    ]
    if "ruleset" in kinds:
        book = read_side.ledger.rulebook.book()
        known = ((id_, title) for id_, title in titles(book) if id_.startswith(text) or text in title.lower())
        things += [{"kind": "ruleset", "id": id_, "note": title} for id_, title in known]
    if "day" in kinds:
        things += [
            {"kind": "day", "id": day.isoformat(), "note": f"{day:%A}"}
            for day in days_of(text, read_side.clock.now().day)
        ]
    return things


def days_of(text: str, today: date) -> list[date]:
    """Return the gaming days that somebody may mean: a date, `yesterday`, or the last two of a weekday."""
    plain = text.replace(",", "").lower()
    if plain in ("today", "yesterday"):
        return [today - timedelta(days=plain == "yesterday")]
    for weekday, name in enumerate(WEEKDAYS, start=1):
        if plain in (name, name[:3]):
            last = today - timedelta(days=(today.isoweekday() - weekday) % 7)
            return [last, last - timedelta(days=7)]
    for form in DATES:
        with suppress(ValueError):
            return [datetime.strptime(plain, form).date()]
    for form in DATES_OF_THE_YEAR:
        with suppress(ValueError):
            day = datetime.strptime(f"{plain} {today.year}", f"{form} %Y").date()
            return [day if day <= today else day.replace(year=today.year - 1)]
    return []

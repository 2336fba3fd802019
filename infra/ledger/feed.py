"""The events of one table or of all, in the order of positions, as outsiders may see them."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from msgspec import to_builtins

from domain.floor.drop_boxes import BOX_TOPICS, RETIRED_BOX_TOPICS, BoxCounted, BoxInstalled, CountSealed, CountsOpened
from domain.floor.meters import METER_TOPICS, MeterSeeded
from domain.floor.table_sessions import RETIRED_TABLE_TOPICS, TABLE_TOPICS, SessionOpened, TrayCounted
from domain.regulation.round_facts import FACT_TOPICS, DeckSeen, HandsHeld, MisdealNoticed, SupervisorCalled
from domain.round.events import RETIRED_ROUND_TOPICS, ROUND_TOPICS, RoundOpened
from domain.view.event_text import describe
from infra.ledger.application import LedgerApplication
from infra.store.encoding.mapper import Entry
from infra.store.encoding.topics import TOPICS
from infra.store.event_rows import LogRow

# Not for listeners: snapshots of sessions, and figures that somebody who still has to count must not know.
LEFT_OUT = frozenset({"table.session_noted.v1", "table.session_numbered.v1"})
BLIND = (BoxCounted, CountSealed, CountsOpened, TrayCounted)
MOST_PLACES = 10_000  # mostly finished rounds: some megabytes per listener
OF_ROUNDS = ROUND_TOPICS.keys() | RETIRED_ROUND_TOPICS.keys()
OF_TABLES = TABLE_TOPICS.keys() | RETIRED_TABLE_TOPICS.keys()
OF_BOXES = BOX_TOPICS.keys() | RETIRED_BOX_TOPICS.keys()
SHOWN = (OF_ROUNDS | OF_TABLES | OF_BOXES | METER_TOPICS.keys() | FACT_TOPICS.keys()) - LEFT_OUT


class FeedReader:
    """Reads for one listener, and remembers which table the aggregates belong to."""

    def __init__(self, ledger: LedgerApplication) -> None:
        self._ledger = ledger
        self._places: dict[UUID, dict[str, str | None]] = {}

    def read(self, after: int, limit: int, table: str | None) -> tuple[list[dict[str, Any]], int]:
        """Return the events after a position, and the position up to which that is all."""
        rows, decode = self._ledger.recorder.read(after, limit), self._ledger.mapper.decode
        items = []
        for row in rows:
            if row.topic not in SHOWN:
                continue
            entry = decode(row.topic, row.state)
            place = self._place(row, entry)
            if table is None or place["table"] == table:
                items.append(_item(row, entry, place))
        return items, rows[-1].position if rows else after

    def _place(self, row: LogRow, entry: Entry[Any]) -> dict[str, str | None]:
        place = self._places.get(row.originator_id)
        if place is None:
            event = entry.event
            if row.originator_version > 1:
                event = self._ledger.events.load(row.originator_id, lte=1)[0].event
            if len(self._places) >= MOST_PLACES:
                self._places.clear()
            place = self._places[row.originator_id] = _place_of(event)
        return place


def _place_of(opened: Any) -> dict[str, str | None]:
    match opened:
        case RoundOpened() | SupervisorCalled() | DeckSeen() | MisdealNoticed() | HandsHeld():
            return {"table": opened.table, "round": opened.round}
        case SessionOpened():
            return {"table": opened.table}
        case BoxInstalled():
            return {"table": opened.table, "box": opened.box}
        case MeterSeeded():
            return {"table": None, "meter": opened.meter}
    return {"table": None}


def _item(row: LogRow, entry: Entry[Any], place: dict[str, str | None]) -> dict[str, Any]:
    event = entry.event
    names = () if isinstance(event, BLIND) else event.__struct_fields__
    item: dict[str, Any] = {
        "position": row.position,
        **place,
        "version": row.originator_version,
        "event": TOPICS.topic_of(type(event)),  # of the decoded fields, which may be a later version
        "fields": {name: to_builtins(getattr(event, name)) for name in names},
        "by": entry.by,
        "at": entry.at.isoformat(),
        "late": entry.late,
        "recorded_at": row.recorded_at.isoformat(),
    }
    if row.topic in OF_ROUNDS:
        item["text"] = describe(event).what
    return item

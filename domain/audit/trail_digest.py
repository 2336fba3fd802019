"""Digests of the trail (reads, grants, sign-ins, audits, settings) as events.

A digest says which rows of each table it covers and their hash. Once it is sealed with the events, a row that is
changed, deleted or inserted afterwards no longer matches it."""

from __future__ import annotations

from domain.event import Event


class Covered(Event, frozen=True):
    """Rows of one table: those numbered after `after` up to `upto`, without `absent`, and `late` ones from before.

    Absent numbers belong to transactions that failed or had not ended, or to rows that were not final yet."""

    table: str
    columns: tuple[str, ...]
    after: int
    upto: int
    absent: tuple[int, ...]
    late: tuple[int, ...]
    digest: bytes  # of the hashes of all covered rows, by number
    marks: bytes  # the first bytes of each of these hashes, to distinguish rows
    open: tuple[int, ...]  # numbers up to `upto` that may still get a row


class TrailRecorded(Event, frozen=True):
    covered: tuple[Covered, ...]
    log: str  # the id of the transparency log
    place: str  # server and database: what follows is comparable only there
    horizon: int  # no transaction beyond this one had begun
    migrations: tuple[int, ...]
    triggers: dict[str, str]  # triggers that protect the record, with the version of their catalogue entry


TRAIL_TOPICS = {"trail.recorded.v1": TrailRecorded}

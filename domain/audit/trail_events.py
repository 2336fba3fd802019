"""The trail (looks, grants, sign-ins, audits, settings), which is no event, as a digest that is one.

A digest says which rows of each table it covers and what they hash to. Once it is sealed with the events, a row that is
changed, taken out or put in afterwards no longer fits it, whoever did it.
"""

from __future__ import annotations

from domain.event import Event


class Covered(Event, frozen=True):
    """Rows of one table: those with numbers beyond `after` up to `upto`, without `absent`, and `late` ones from before.

    Numbers that are absent belong to transactions that failed or had not ended, or to rows that were not final yet.
    """

    table: str
    columns: tuple[str, ...]
    after: int
    upto: int
    absent: tuple[int, ...]
    late: tuple[int, ...]
    digest: bytes  # of the hashes of all covered rows in the order of their numbers
    marks: bytes  # the first bytes of each of these hashes, which tell the rows apart
    open: tuple[int, ...]  # numbers of this table up to `upto` that may still get a row


class TrailRecorded(Event, frozen=True):
    covered: tuple[Covered, ...]
    log: str  # the id of the transparency log
    place: str  # server and database: what follows can be compared only there
    horizon: int  # no transaction beyond this one had begun
    migrations: tuple[int, ...]
    triggers: dict[str, str]  # what guards the record, and the version of each one's entry in the catalogue


TRAIL_TOPICS = {"trail.recorded.v1": TrailRecorded}

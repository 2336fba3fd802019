"""The log entry of a stored event: an unambiguous encoding of its row.

    1 byte    the form: 1, the state as it is stored, or 2, its SHA-256, if it has more than 60,000 bytes
    8 bytes   position
    8 bytes   recorded_at, in microseconds since 2000-01-01 00:00 UTC
    16 bytes  originator id
    4 bytes   originator version
    1 byte    length of the topic
    …         topic, UTF-8
    …         state, to the end

Numbers are big-endian; those of eight bytes are signed. No entry has more than 65,535 bytes, the limit in a bundle of
entries (tlog-tiles). The hash of a leaf is SHA-256 of a zero byte and the entry.

PostgreSQL computes the same hashes when events are sealed: `LEAF_SQL`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from hashlib import sha256
from struct import Struct
from uuid import UUID

from infra.log.merkle import LEAF
from infra.store.event_rows import LogRow

WHOLE, DIGEST = 1, 2
LONGEST_STATE = 60_000
LONGEST_TOPIC = 255
EPOCH = datetime(2000, 1, 1, tzinfo=UTC)

_HEAD = Struct(">Bqq16sIB")
_SECOND = 1_000_000
_DAY = 86_400 * _SECOND

# For `events e` with `o.id`, the bytes of the aggregate's id. Topics are an array by number, each with its length, made
# once per statement: picking from it costs less than a join.
LEAF_SQL = (
    "pg_catalog.sha256("
    "CASE WHEN pg_catalog.octet_length(e.state) <= 60000 THEN '\\x0001'::bytea ELSE '\\x0002'::bytea END"
    " || pg_catalog.int8send(e.position) || pg_catalog.timestamptz_send(e.recorded_at)"
    " || o.id || pg_catalog.int4send(e.originator_version)"
    " || (ARRAY(SELECT pg_catalog.substr(pg_catalog.int4send(pg_catalog.octet_length(topic)), 4)"
    " || pg_catalog.convert_to(topic, 'UTF8')"
    " FROM pg_catalog.generate_series(1, (SELECT max(topic_id) FROM roundledger.topics)) number"
    " LEFT JOIN roundledger.topics ON topic_id = number ORDER BY number))[e.topic_id]"
    " || CASE WHEN pg_catalog.octet_length(e.state) <= 60000 THEN e.state ELSE pg_catalog.sha256(e.state) END)"
)


class BadEntry(ValueError):
    """Bytes that are not an entry of this log."""


def entry_of(row: LogRow) -> bytes:
    long = len(row.state) > LONGEST_STATE
    topic = row.topic.encode()
    head = _HEAD.pack(
        DIGEST if long else WHOLE,
        row.position,
        microseconds(row.recorded_at),
        row.originator_id.bytes,
        row.originator_version,
        len(topic),
    )
    return head + topic + (sha256(row.state).digest() if long else row.state)


def leaf_hash_of(row: LogRow) -> bytes:
    return sha256(LEAF + entry_of(row)).digest()


def leaf_hashes(rows: Iterable[LogRow]) -> bytes:
    """Return the hashes of the rows, concatenated."""
    return b"".join(map(leaf_hash_of, rows))


_FROM_COLUMNS = Struct(">Bq8s16sI").pack
Columns = tuple[int, int, int, int, bytes, bytes]  # position, originator, version, topic_id, state, recorded_at as sent


def leaf_hashes_of(rows: Iterable[Columns], ids: Mapping[int, bytes], topics: Mapping[int, bytes]) -> bytes:
    """Return the same in half the time, from rows as they are read in bulk: the aggregate and the topic by number, the
    time as PostgreSQL sends it. `ids` has the bytes of aggregates' ids, `topics` those of `encoded_topic`."""
    pack, begin, hashes = _FROM_COLUMNS, sha256(LEAF).copy, list[bytes]()
    for position, originator, version, topic_id, state, recorded_at in rows:
        form = WHOLE
        if len(state) > LONGEST_STATE:
            form, state = DIGEST, sha256(state).digest()
        leaf = begin()  # a copy costs less than a new hash object
        leaf.update(pack(form, position, recorded_at, ids[originator], version) + topics[topic_id] + state)
        hashes.append(leaf.digest())
    return b"".join(hashes)


def row_of(entry: bytes) -> LogRow:
    """Return the row that an entry was made from. Of a long state only the digest is there; see `form_of`."""
    if len(entry) < _HEAD.size:
        raise BadEntry("an entry has at least 38 bytes")
    form, position, at, originator_id, version, length = _HEAD.unpack_from(entry)
    if form not in (WHOLE, DIGEST):
        raise BadEntry(f"there is no form {form} of an entry")
    topic, state = entry[_HEAD.size : _HEAD.size + length], entry[_HEAD.size + length :]
    if len(topic) < length or (form == DIGEST and len(state) != 32) or len(state) > LONGEST_STATE:
        raise BadEntry("an entry that ends too early or too late")
    try:
        name, recorded_at = topic.decode(), EPOCH + timedelta(microseconds=at)
    except (UnicodeDecodeError, OverflowError):
        raise BadEntry("an entry whose topic or time cannot be read") from None
    return LogRow(position, recorded_at, UUID(bytes=originator_id), version, name, state)


def form_of(entry: bytes) -> int:
    return entry[0]


def microseconds(at: datetime) -> int:
    since = at - EPOCH
    return since.days * _DAY + since.seconds * _SECOND + since.microseconds


@lru_cache(maxsize=1024)
def encoded_topic(topic: str) -> bytes:
    encoded = topic.encode()
    if len(encoded) > LONGEST_TOPIC:
        raise BadEntry(f"a topic has at most {LONGEST_TOPIC} bytes: {topic}")
    return bytes([len(encoded)]) + encoded

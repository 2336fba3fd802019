"""Seals events: reads what is settled, in order, adds it to the tree and signs the new root.

This is outside the write path: writers do not know of it and never wait for it. One process seals at a time, by an
advisory lock. PostgreSQL hashes the leaves over several connections at once, so that only 32 bytes per event are
transferred; the tree above them is hashed here meanwhile (decision 21)."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, NamedTuple

import psycopg

from infra.log.checkpoints import Checkpoint, sign
from infra.log.keys import KeyFile, KeyProblem, new_signer, origin_of
from infra.log.leaves import LEAF_SQL
from infra.log.merkle import HASH_BYTES
from infra.log.signed_notes import Signer, Verifier
from infra.log.stored_log import LogReader
from infra.log.tiles import Piece, Tree
from infra.schema.migrator import SERVICE_ROLE
from infra.standby.standby_state import flush_position, has_flushed
from infra.store.database import Database, Patience, take_role
from infra.store.encoding.topic_ids import TopicIds
from infra.store.errors import DATABASE_ERRORS
from infra.store.event_reader import EventReader

logger = logging.getLogger(__name__)

LOCK_KEY = 7_301_406_225_119_300  # of the advisory lock that lets one process seal at a time; any fixed number
CONNECTIONS = 2  # connections that hash leaves
PAGE = 8_192  # positions per statement: with more, the tree waits longer for the first result
AT_ONCE = 64 * PAGE  # positions that are sealed in one transaction, under one checkpoint
FOLLOW_SECONDS = 1.0
RETRY_SECONDS = 5.0
STANDBY_SECONDS = 5.0  # for the standby to receive what is to be signed

OF_PAGE = "e.position > %(after)b AND e.position <= %(upto)b"
# The ids of a page's own aggregates, so that pages do not cost more as history grows, picked by number from an array: a
# join would lose the order of the rows and require a sort. Where an id is missing, no leaf is hashed.
LEAVES = (
    "WITH page AS MATERIALIZED (SELECT ARRAY("
    f"SELECT DISTINCT e.originator FROM roundledger.events e WHERE {OF_PAGE} ORDER BY 1) AS numbers),"
    " known AS MATERIALIZED (SELECT ARRAY(SELECT originator_id FROM roundledger.originators"
    " WHERE originator = ANY((SELECT numbers FROM page)::int4[]) ORDER BY originator) AS ids),"
    " whole AS MATERIALIZED (SELECT ids FROM known, page WHERE cardinality(ids) = cardinality(numbers))"
    " SELECT count(*), min(position), string_agg(leaf, ''::bytea ORDER BY position) FROM ("
    f" SELECT e.position, {LEAF_SQL} AS leaf FROM roundledger.events e CROSS JOIN LATERAL (SELECT pg_catalog.uuid_send("
    "(SELECT ids FROM whole)[pg_catalog.width_bucket(e.originator, (SELECT numbers FROM page))]) AS id) o"
    f" WHERE {OF_PAGE}) sealed"
)
POSITIONS = f"SELECT e.position FROM roundledger.events e WHERE {OF_PAGE} ORDER BY e.position"
HASHES = "COPY roundledger.log_hashes (level, first, first_position, hashes) FROM STDIN (FORMAT BINARY)"


class AlreadySealing(Exception):
    """Another process seals this log."""


class BrokenLog(Exception):
    """The stored log contradicts itself, so nothing is signed on top of it. `roundledger audit` says more."""


class StandbyBehind(BrokenLog):
    """A standby is expected and lacks what was to be signed: if it took over, another history would be signed."""


class LogBehind(BrokenLog):
    """The ledger was restored without events that were published. Signing again would make a second history."""

    def __init__(self, size: int, published: Checkpoint) -> None:
        super().__init__(
            f"The log {published.origin} has {size} events here, and a checkpoint of {published.size} events was "
            "published. Two people continue it under a new name with `roundledger log succeed`."
        )
        self.published = published


_Rows = list[tuple[Piece, int | None]]  # at the level of leaves, with the position of the first event


class _Page(NamedTuple):
    """Leaf hashes of the events between two positions; their positions only if numbers are missing."""

    first_position: int
    hashes: bytes
    positions: list[int] | None

    def add_to(self, tree: Tree) -> _Rows:
        """Add the page to the tree; return what has to be stored."""
        first = tree.size
        return [
            (piece, None if piece.level else self._position(piece.first - first)) for piece in tree.add(self.hashes)
        ]

    def _position(self, at: int) -> int:
        return self.first_position + at if self.positions is None else self.positions[at]


class Sealer:
    """Use it in a with statement. Raises AlreadySealing if another process seals."""

    _connection: psycopg.Connection[tuple[Any, ...]]

    def __init__(self, database_url: str, key_folder: Path, *, allow_behind: bool = False) -> None:
        self._key_folder = key_folder
        self._allow_behind = allow_behind
        self._database = Database(database_url, connections_at_most=CONNECTIONS + 1)
        self._events = EventReader(self._database, TopicIds(self._database))
        self.log = LogReader(self._database)
        self._reading = ThreadPoolExecutor(CONNECTIONS, "roundledger-sealing")
        self._tree = Tree()
        self._position = 0
        self._extensions: tuple[str, ...] = ()
        self._signer: Signer | None = None

    def __enter__(self) -> Sealer:
        with ExitStack() as resources:
            resources.callback(self._database.close)
            resources.enter_context(self._reading)
            self._connection = resources.enter_context(psycopg.connect(self._database.url, autocommit=True))
            row = self._connection.execute("SELECT pg_try_advisory_lock(%s)", [LOCK_KEY]).fetchone()
            if row is None or not row[0]:
                raise AlreadySealing("Another process seals this log.")
            resources.callback(self._unlock)
            take_role(self._connection, SERVICE_ROLE)
            self._load()
            self._resources = resources.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._resources.close()

    def _unlock(self) -> None:
        """Release the lock now, not when the server notices that the connection is gone."""
        with suppress(psycopg.Error):
            self._connection.execute("SELECT pg_advisory_unlock(%s)", [LOCK_KEY])

    def _load(self) -> None:
        """Load the end of the log. Refuses a tree that does not have the root it was signed with."""
        size, latest = self.log.size(), self.log.latest()
        self._check_published(size)
        if latest is None:
            if size:
                raise BrokenLog(f"The log has {size} leaves and no checkpoint.")
            return
        try:
            self._tree = self.log.tree(size)
        except ValueError as error:
            raise BrokenLog(f"Hashes are missing from the log: {error}.") from None
        checkpoint = latest.parsed()
        if (checkpoint.size, checkpoint.root) != (size, self._tree.root()):
            raise BrokenLog(
                f"The stored hashes do not give the root of the last checkpoint, of {checkpoint.size} events."
            )
        if not checkpoint.trusted_by(self.log.keys()):
            raise BrokenLog(f"The last checkpoint, of {checkpoint.size} events, is not signed with a key of this log.")
        self._position = latest.last_position
        self._extensions = checkpoint.extensions

    def _check_published(self, size: int) -> None:
        keys = self.log.keys()
        published = self.log.published(keys[-1].name) if keys else None
        if published is not None and published.size > size and not self._allow_behind:
            raise LogBehind(size, published)

    # ---- sealing

    @property
    def size(self) -> int:
        return self._tree.size

    def seal(self, report: Callable[[int], None] = lambda sealed: None) -> int:
        """Seal everything that is settled; return the number of events. `report` gets that of each step."""
        signer = self.signer()
        upto, before = self._events.settle(), self._tree.size
        if self._position < upto:
            self._wait_for_standby()
        while self._position < upto:
            end = min(upto, self._position + AT_ONCE)
            tree = self._tree.copy()
            with self._connection.transaction(), self._connection.cursor() as cursor:
                self._insert_leaves(cursor, tree, end)
                if tree.size > self._tree.size:
                    _insert_checkpoint(cursor, self._signed(tree, [signer]), end)
            sealed = tree.size - self._tree.size
            self._tree, self._position = tree, end
            report(sealed)
        return self._tree.size - before

    def _wait_for_standby(self) -> None:
        """Wait until the standby has everything visible here on disk."""
        position, patience = flush_position(self._database), Patience(STANDBY_SECONDS)
        while not has_flushed(self._database, position):
            if not patience.wait():
                raise StandbyBehind("The standby lacks the newest events. They are sealed once it has them on disk.")

    def _insert_leaves(self, cursor: psycopg.Cursor[Any], tree: Tree, end: int) -> None:
        """Add events up to a position to the tree. A thread stores pages in order while the next are hashed."""
        starts = range(self._position, end, PAGE)
        with ThreadPoolExecutor(1, "roundledger-sealed") as writing:
            stored = [
                writing.submit(_insert_hashes, cursor, page.add_to(tree))
                for page in self._reading.map(lambda after: self._page(after, min(end, after + PAGE)), starts)
                if page is not None
            ]
        for future in stored:
            future.result()

    def _page(self, after: int, upto: int) -> _Page | None:
        page = {"after": after, "upto": upto}
        ((count, first, hashes),) = self._database.rows(LEAVES, page)
        if not count:
            return None
        if len(hashes or b"") != count * HASH_BYTES:
            raise BrokenLog(
                f"Between the positions {after + 1} and {upto} are events without an originator or a topic."
            )
        if first == after + 1 and count == upto - after:
            return _Page(first, hashes, None)
        return _Page(first, hashes, [position for (position,) in self._database.rows(POSITIONS, page)])

    def follow(self, stop: threading.Event, every_seconds: float = FOLLOW_SECONDS) -> None:
        """Seal new events until `stop` is set. Ends if the database is away for longer than its patience."""
        while not stop.is_set():
            started = time.monotonic()
            self.seal()
            stop.wait(max(0.05, every_seconds - (time.monotonic() - started)))

    # ---- keys

    def signer(self) -> Signer:
        """Return the signing key. It is created when first needed, and never again without being asked."""
        if self._signer is None:
            self._signer = self._known_signer() or self._first_signer(origin_of(self.log.log_id()))
        return self._signer

    def _file(self) -> KeyFile:
        return KeyFile.of_log(self._key_folder, self.log.log_id())

    def _known_signer(self) -> Signer | None:
        keys = self.log.keys()
        if not keys:
            return None
        file = self._file()
        signer, next_ = file.load(), file.successor.load()
        if next_ is not None and next_.verifier == keys[-1]:
            file.succeed()  # a rotation was killed before its end
            return next_
        if signer is None:
            raise KeyProblem(
                f"The log's key is not at {file.path}. Bring it there; if it is lost, "
                "`roundledger log key rotate --lost` makes another."
            )
        self._check_signs(signer)
        return signer

    def _first_signer(self, origin: str) -> Signer:
        file = self._file()
        signer = file.load()  # a process was killed before it stored the public half
        if signer is None:
            signer = new_signer(origin)
            file.save(signer)
        self._announce(signer.verifier, "first")
        return signer

    def create_key(self, origin: str | None = None) -> Verifier:
        """Create the log's first key, under a chosen name."""
        if self.log.keys():
            raise KeyProblem("The log already has a key; `roundledger log key rotate` makes another.")
        self._signer = self._first_signer(origin or origin_of(self.log.log_id()))
        return self._signer.verifier

    def rotate_key(self, *, lost: bool = False) -> Verifier:
        """Replace the signing key. The old one signs a last time, with the new one, unless it is lost."""
        keys, file = self.log.keys(), self._file()
        if not keys:
            raise KeyProblem("The log has no key yet.")
        old = None
        if not lost:
            old = self.signer()
            self.seal()
        elif file.load() is not None:
            raise KeyProblem(f"The key is at {file.path}: it is not lost. Set it aside first if it must not sign.")
        cosigners = [] if old is None else [old]
        return self._sign_with(new_signer(keys[-1].name), cosigners, "lost" if lost else "rotated")

    def rename(self, name: str, extensions: tuple[str, ...]) -> Verifier:
        """Continue the log under another name; every further checkpoint has these lines. The key stays the same if it
        is here, so that people who know it recognise the log; otherwise a new one is created."""
        old = self._file().load()
        if old is not None:
            self._check_signs(old)
        self._extensions = extensions
        return self._sign_with(new_signer(name) if old is None else old._replace(name=name), [], "succession")

    def _sign_with(self, key: Signer, cosigners: list[Signer], reason: str) -> Verifier:
        """Sign with this key from here on, or with the one that a killed attempt left."""
        file = self._file()
        new = file.successor.load()
        if new is None:
            new = key
            file.successor.save(new)
        self._announce(new.verifier, reason)
        file.succeed()
        self._signer = new
        if self._tree.size:
            self._store_checkpoint([new, *cosigners])
        return new.verifier

    def _check_signs(self, signer: Signer) -> None:
        current = self.log.keys()[-1]
        if signer.verifier != current:
            raise KeyProblem(f"{self._file().path} is not the key that signs this log, {current.text()}.")

    def _signed(self, tree: Tree, signers: list[Signer]) -> Checkpoint:
        return sign(signers[0].name, tree.size, tree.root(), signers, self._extensions)

    def _store_checkpoint(self, signers: list[Signer]) -> None:
        """Sign the log as it is once more, and store the checkpoint."""
        with self._connection.cursor() as cursor:
            _insert_checkpoint(cursor, self._signed(self._tree, signers), self._position)

    def _announce(self, key: Verifier, reason: str) -> None:
        self._connection.execute("INSERT INTO roundledger.log_keys (key, reason) VALUES (%s, %s)", [key.text(), reason])


def _insert_hashes(cursor: psycopg.Cursor[Any], rows: _Rows) -> None:
    with cursor.copy(HASHES) as copy:
        copy.set_types(["int2", "int8", "int8", "bytea"])
        for piece, position in rows:
            copy.write_row((piece.level, piece.first, position, piece.hashes))


def _insert_checkpoint(cursor: psycopg.Cursor[Any], checkpoint: Checkpoint, position: int) -> None:
    cursor.execute(
        "INSERT INTO roundledger.log_checkpoints (size, last_position, note) VALUES (%s, %s, %s)",
        [checkpoint.size, position, checkpoint.text()],
    )


def seal_now(database_url: str, key_folder: Path) -> int:
    """Seal once, unless another process seals; return the number of events."""
    try:
        with Sealer(database_url, key_folder) as sealer:
            return sealer.seal()
    except AlreadySealing:
        return 0


def run(database_url: str, key_folder: Path, stop: threading.Event, every_seconds: float = FOLLOW_SECONDS) -> None:
    """Seal until `stop` is set; while another process seals, wait for its place."""
    logged = ""
    while not stop.is_set():
        try:
            with Sealer(database_url, key_folder) as sealer:
                logged = ""
                sealer.follow(stop, every_seconds)
        except AlreadySealing:
            stop.wait(every_seconds * 2)
        except (BrokenLog, KeyProblem, *DATABASE_ERRORS) as error:
            if str(error) != logged:  # log it once, not every few seconds for a week
                logger.error("Events are not being sealed: %s", error)
            logged = str(error)
            stop.wait(RETRY_SECONDS)

"""An audit from beginning to end, in this process or in several, over the store.

Work is cut into tasks that know nothing of each other: stretches of positions, aggregates of the floor, groups of
projections. Their results come back in the order of the tasks, so that the same store gives the same findings in the
same order however many processes there are; and no more is held than a few results.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice
from typing import Any, NamedTuple, TypedDict, Unpack

from msgspec import Struct
from msgspec.structs import replace

from domain.findings import Finding
from domain.rulebooks import RuleSetAdopted
from domain.trips_tables import TripsTables
from infra.aggregates import stream
from infra.tlog.checkpoints import Checkpoint
from infra.tlog.notes import Verifier
from infra.topics import TOPICS
from projections.auditing import projected
from projections.auditing.database import DatabaseAudit
from projections.auditing.floor import FloorAudit
from projections.auditing.processes import how_many, stretches, workers
from projections.auditing.rounds import PartResult, RoundsAudit, Stretch, Wordings, add_wordings, merged
from projections.auditing.rulebook import Rulebook
from projections.auditing.scope import EVERYTHING, Scope
from projections.auditing.sealed_log import LogAudit
from projections.auditing.selected import SelectedRounds
from projections.auditing.source import Part, Store
from projections.auditing.tally import Tally

STREAMS_A_TASK = 16
CHECKS = ("rounds", "floor", "projections", "log", "trail")


class Progress(NamedTuple):
    """Events looked at and to be looked at; those of the projections count once more for each group of them."""

    done: int
    total: int
    rounds: int
    findings: int
    notes: int = 0


class Check(Struct, frozen=True):
    """One kind of check: what it covered, or why it was left out."""

    name: str
    done: bool
    told: str


class Summary(Struct):
    events: int = 0
    rounds: int = 0
    findings: int = 0
    by_kind: dict[str, int] = {}
    checks: list[Check] = []
    seconds: float = 0.0
    last_position: int = 0
    notes: int = 0
    notes_by_kind: dict[str, int] = {}

    @property
    def clean(self) -> bool:
        return self.findings == 0


class Stopped(Exception):
    """Somebody has asked the audit to stop."""


Tell = Callable[[Progress], None]
Report = Callable[[Finding], None]


# ---- tasks, as a process does them


class Task(NamedTuple):
    kind: str
    what: tuple[Any, ...]
    events: int  # how much of the whole it is


class TaskResult(NamedTuple):
    task: Task
    part: PartResult
    told: Any = None


class Worker:
    """Does tasks over one store. The next part is read while this one is audited."""

    def __init__(self, database_url: str, scope: Scope, last: int, with_leaves: bool) -> None:
        self._database_url = database_url
        self._store = Store(database_url, last)
        self._rulebook = Rulebook(self._adopted)
        audit = RoundsAudit if scope.whole else SelectedRounds
        self._rounds: Any = audit(self._store, self._rulebook, scope, with_leaves=with_leaves)
        self._floor = FloorAudit(self._store, self._rulebook)
        self._reading = ThreadPoolExecutor(1, "roundledger-audit")

    def close(self) -> None:
        self._reading.shutdown()
        self._store.close()

    def _adopted(self, content_hash: str) -> RuleSetAdopted | None:
        for row in self._store.stream(stream("rules", content_hash)):
            event = TOPICS.decoder(self._store.topic(row.topic_id))(row.state).event
            return event if isinstance(event, RuleSetAdopted) else None
        return None

    def do(self, task: Task) -> TaskResult:
        if task.kind == "rounds":
            return TaskResult(task, merged(self._parts(task.what)))
        if task.kind == "floor":
            found = [finding for stretch in task.what for finding in self._floor.audit(stretch)]
            return floor_result(task, found, self._floor)
        compared = projected.compare(self._database_url, task.what)
        return TaskResult(task, PartResult(0, 0, compared.findings, [], []), (compared.positions, compared.rows))

    def _parts(self, parts: Sequence[Part]) -> Iterator[PartResult]:
        waiting = None
        for part, following in zip(parts, [*parts[1:], None], strict=True):
            loaded = self._rounds.load(part) if waiting is None else waiting.result()
            waiting = None if following is None else self._reading.submit(self._rounds.load, following)
            yield self._rounds.audit(loaded)


def floor_result(task: Task, found: list[Finding], floor: FloorAudit) -> TaskResult:
    """And what the audit of the floor has gathered since the last task."""
    claims, floor.claims = floor.claims, []
    open_counts, floor.open_counts = floor.open_counts, 0
    return TaskResult(task, PartResult(0, 0, found, [(claim, -1) for claim in claims], []), open_counts)


# ---- the whole


class Options(TypedDict, total=False):
    """How an audit is made, of whatever. `outside`: checkpoints that were kept elsewhere; `keys`: the log's own, if
    those that come with it do not count."""

    processes: int | None
    without: Iterable[str]
    report: Report | None
    tell: Tell | None
    outside: Sequence[Checkpoint]
    keys: Sequence[Verifier]


class Audit:
    """`report` gets each finding and note, `tell` the progress; whoever wants it to stop raises from `tell`."""

    def __init__(self, database_url: str, scope: Scope = EVERYTHING, **options: Unpack[Options]) -> None:
        self._database_url = database_url
        self._scope = scope
        self._processes = options.get("processes")
        self._without = frozenset(options.get("without", ()))
        self._report, self._tell = options.get("report"), options.get("tell")
        self._outside, self._keys = options.get("outside", ()), options.get("keys", ())
        self._log: LogAudit | None = None
        self._summary = Summary(0, 0, 0, {}, [], 0.0, 0)
        self._tally = Tally()
        self._trips = TripsTables({})
        self._streams: dict[tuple[str, str], Stretch] = {}
        self._projected: list[str] = []
        self._wordings: Wordings = {}
        self._unmarked = 0
        self._outdated: list[str] = []
        self._rows = 0
        self._open_counts = 0
        self._done = self._total = 0

    def run(self) -> Summary:
        began = time.monotonic()
        summary = self._summary
        if self._wants("log"):  # before the last event is looked for: what is sealed is below it
            self._log = LogAudit.of(self._database_url, self._outside, self._keys, whole=self._scope.whole)
        store = Store(self._database_url)
        last = summary.last_position = store.last
        store.close()
        groups = self._groups(last)
        self._total = last + last * len(groups)
        try:
            with_leaves = self._log is not None
            make = partial(Worker, self._database_url, self._scope, last, with_leaves)
            with workers(make, self._how_many(last)) as do:
                # Projections take one process longest, so that several begin with them; they are told of afterwards.
                compared = do([*self._projection_tasks(groups, last)])
                for result in do(self._rounds_tasks(last)):
                    self._take(result)
                for result in compared:
                    self._take(result)
                for result in do(self._floor_tasks()):
                    self._take(result)
            self._finish()
        finally:
            if self._log is not None:
                self._log.close()
        summary.seconds = time.monotonic() - began
        return summary

    def _how_many(self, events: int) -> int:
        return how_many(self._processes, events)

    def _wants(self, check: str) -> bool:
        return check not in self._without

    # ---- what there is to do

    def _rounds_tasks(self, last: int) -> Iterator[Task]:
        if self._scope.round is not None and (opened := self._opened_at(self._scope.round, last)) is not None:
            yield Task("rounds", (Part(opened, opened),), last)
            return
        for parts in stretches(last, self._how_many(last)):
            yield Task("rounds", parts, parts[-1].last - parts[0].first + 1)

    def _opened_at(self, round_id: str, last: int) -> int | None:
        """Where the round opens. Without its opening it is looked for in what its table says of all rounds."""
        store = Store(self._database_url, last)
        try:
            found = store.openings([stream("round", round_id)])
        finally:
            store.close()
        return next((row.position for row in found.values() if row.position <= last), None)

    def _groups(self, last: int) -> list[list[str]]:
        """Projections that are compared together: each group decodes all events once, so there are few of them, and
        some processes are left for the rounds."""
        if not self._wants("projections") or not self._scope.whole:
            return []
        names, self._outdated = projected.there(self._database_url)
        count = min(max(1, self._how_many(last) // 2), 3, len(names))
        return [names[at::count] for at in range(count)]

    def _projection_tasks(self, groups: list[list[str]], last: int) -> Iterator[Task]:
        for names in groups:
            yield Task("projections", tuple(names), last)

    def _floor_tasks(self) -> Iterator[Task]:
        streams = iter(self._floor_streams())
        while some := tuple(islice(streams, STREAMS_A_TASK)):
            yield Task("floor", some, 0)

    def _floor_streams(self) -> list[Stretch]:
        """All of the floor, or what the rounds that are meant touch of it; of one table all sessions."""
        if not self._wants("floor"):
            return []
        found = list(self._streams.values())
        if self._scope.table is None or not self._scope.whole_tables:
            return found
        return [Stretch("table", self._scope.table), *(it for it in found if it.kind not in ("session", "table"))]

    # ---- what came of it

    def _take(self, result: TaskResult) -> None:
        summary, part = self._summary, result.part
        summary.events += part.events
        summary.rounds += part.rounds
        for stretch in part.streams:
            self._touches(stretch)
        self._trips.merge(part.trips)
        if self._has_all:
            self._tally.merge(part.claims)
        for finding in part.findings:
            self._found(finding)
        add_wordings(self._wordings, part.wordings)
        self._unmarked += part.unmarked
        if self._log is not None and part.positions:
            self._log.take(part.positions, part.leaves)
        if result.task.kind == "projections":
            positions, rows = result.told
            self._projected += list(positions)
            self._rows += rows
        elif result.task.kind == "floor":
            self._open_counts += result.told
        self._done += result.task.events
        if self._tell is not None:
            self._tell(Progress(self._done, self._total, summary.rounds, summary.findings, summary.notes))

    def _touches(self, stretch: Stretch) -> None:
        known = self._streams.get(stretch[:2], stretch)
        first, last = min(known.first, stretch.first), max(known.last, stretch.last)
        self._streams[stretch[:2]] = Stretch(stretch.kind, stretch.name, first, last)

    def _found(self, finding: Finding) -> None:
        summary, kind = self._summary, finding.kind
        if finding.is_note:
            summary.notes += 1
            summary.notes_by_kind[kind] = summary.notes_by_kind.get(kind, 0) + 1
        else:
            summary.findings += 1
            summary.by_kind[kind] = summary.by_kind.get(kind, 0) + 1
        if self._report is not None:
            self._report(finding)

    def _finish(self) -> None:
        for finding in self._trips.findings():
            self._found(finding)
        if self._has_all and self._wants("floor"):
            for finding in self._tally.findings():
                self._found(finding)
        if self._log is not None:
            for finding in self._log.findings():
                self._found(finding)
        trail = self._trail_check()
        for (ruleset, engine), (rounds, first) in sorted(self._wordings.items()):
            self._found(_worded(ruleset, engine, rounds, first))
        summary = self._summary
        summary.checks = [
            self._rounds_check(),
            self._floor_check(),
            self._projections_check(),
            self._log_check(),
            trail,
        ]

    def _rounds_check(self) -> Check:
        told = f"{self._summary.rounds:,} rounds decided again"
        if self._unmarked:
            late = "recorded more than two minutes after they happened and not marked as late"
            told = f"{told}; {self._unmarked:,} of their events were {late}"
        return Check("rounds", True, told)

    @property
    def _has_all(self) -> bool:
        """Whether both sides of every claim of the rounds that are meant have been heard."""
        return True

    def _floor_check(self) -> Check:
        if not self._wants("floor"):
            return Check("floor", False, "left out")
        touched = len(self._streams)
        if self._scope.whole:
            told = f"{touched:,} tables, boxes, meters and others followed and matched with the rounds"
        else:
            told = (
                f"{touched:,} sessions, boxes, meters and others that these rounds touch followed and matched with them"
            )
        if self._scope.table is not None and self._scope.whole_tables:
            told = f"all sessions of table {self._scope.table}, {told}"
        return Check("floor", True, told + self._counts_told())

    def _counts_told(self) -> str:
        """No finding: counts were stored like this until they were sealed."""
        if not self._open_counts:
            return ""
        many = self._open_counts > 1
        return (
            f"; {self._open_counts:,} blind count{'s' if many else ''} {'were' if many else 'was'} stored open, "
            "before counts were sealed"
        )

    def _projections_check(self) -> Check:
        if not self._wants("projections"):
            return Check("projections", False, "left out")
        if not self._scope.whole:
            return Check("projections", False, "only an audit of everything can tell")
        outdated = ", ".join(self._outdated)
        not_yet = "not compared, because their tables are of an earlier version and have not been rebuilt since"
        if not self._projected:
            return Check("projections", False, f"{not_yet}: {outdated}" if outdated else "no report has been made yet")
        told = f"{self._rows:,} rows of {', '.join(self._projected)} held against the events"
        return Check("projections", True, f"{told}; {not_yet}: {outdated}" if outdated else told)

    def _log_check(self) -> Check:
        if not self._wants("log"):
            return Check("log", False, "left out")
        if self._log is None:
            return Check("log", False, "nothing has been sealed")
        return Check("log", True, self._log.told())

    def _trail_check(self) -> Check:
        """Made here, not by a process of its own: it reads little."""
        if not self._wants("trail"):
            return Check("trail", False, "left out")
        if not self._scope.whole:
            return Check("trail", False, "only an audit of everything checks it")
        audit = DatabaseAudit(self._database_url)
        for finding in audit.findings():
            self._found(finding)
        return Check("trail", True, audit.told())


def _worded(ruleset: str, engine: int, rounds: int, first: Finding) -> Finding:
    """One note for all rounds of a rule set and an engine version, with the first of them as the example."""
    if rounds == 1:
        return first
    what = (
        f"{rounds:,} rounds of {ruleset}, opened under engine version {engine}, have sentences that this version of "
        f"the program words differently. The first is {first.round}: {first.what}"
    )
    return replace(first, what=what)

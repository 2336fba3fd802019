"""An audit of the store from beginning to end, in this process or in several.

Work is divided into independent tasks: ranges of positions, aggregates of the floor, groups of projections. Results
come in the order of the tasks, so that the same store gives the same findings in the same order with any number of
processes, and only a few results are kept at a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple, TypedDict, Unpack, get_args

from msgspec import Struct
from msgspec.structs import replace

from domain.audit.findings import Finding
from domain.floor.trips_tables import TripsTables
from infra.log.checkpoints import Checkpoint
from infra.log.signed_notes import Verifier
from infra.store.streams import stream_id
from projections.audit.checks import projection_check
from projections.audit.checks.claim_tally import Tally
from projections.audit.checks.database_check import DatabaseCheck
from projections.audit.checks.floor_check import FloorCheck
from projections.audit.checks.log_check import LogCheck
from projections.audit.checks.round_check import PartResult, RoundCheck, StreamRange, Wordings, add_wordings, merged
from projections.audit.checks.selected_round_check import SelectedRoundCheck
from projections.audit.event_source import Part, Store
from projections.audit.processes import batches, how_many, part_tasks, workers
from projections.audit.rulebook import Rulebook
from projections.audit.scope import EVERYTHING, Check, Scope
from projections.engine.rebuild import shares
from projections.models.registry import ALL

STREAMS_A_TASK = 16
MOST_GROUPS = 3  # projections that are compared together
CHECKS = ("rounds", *get_args(Check))


class Progress(NamedTuple):
    """Events read and to be read; they count once more for each group of projections."""

    done: int = 0
    total: int = 0
    rounds: int = 0
    findings: int = 0
    notes: int = 0


class CheckOutcome(Struct, frozen=True):
    """One kind of check: what it covered, or why it was left out."""

    name: str
    done: bool
    text: str


Outcome = tuple[bool, str]  # of a check: whether it was done, and the text of its CheckOutcome


class Summary(Struct):
    events: int = 0
    rounds: int = 0
    findings: int = 0
    by_kind: dict[str, int] = {}
    checks: list[CheckOutcome] = []
    seconds: float = 0.0
    last_position: int = 0
    notes: int = 0
    notes_by_kind: dict[str, int] = {}

    @property
    def clean(self) -> bool:
        return self.findings == 0


class Stopped(Exception):
    """The audit was asked to stop."""


# ---- tasks


class Task(NamedTuple):
    kind: str
    what: tuple[Any, ...]
    events: int  # how many of all events it covers


class TaskResult(NamedTuple):
    """`more` is what only tasks of that kind report: compared projections, or counts of boxes stored open."""

    task: Task
    part: PartResult
    more: Any = None


class AuditWorker:
    """Does tasks on one store. The next part is read while this one is audited."""

    def __init__(self, database_url: str, scope: Scope, last: int, with_leaves: bool) -> None:
        self._database_url = database_url
        self._store = Store(database_url, last)
        self._rulebook = Rulebook(self._store)
        check = RoundCheck if scope.whole else SelectedRoundCheck
        self._rounds: Any = check(self._store, self._rulebook, scope, with_leaves=with_leaves)
        self._floor = FloorCheck(self._store, self._rulebook)
        self._reading = ThreadPoolExecutor(1, "roundledger-audit")

    def close(self) -> None:
        self._reading.shutdown()
        self._store.close()

    def do(self, task: Task) -> TaskResult:
        if task.kind == "rounds":
            return TaskResult(task, merged(self._parts(task.what)))
        if task.kind == "floor":
            found = [finding for range_ in task.what for finding in self._floor.audit(range_)]
            return floor_result(task, found, self._floor)
        compared = projection_check.compare(self._database_url, task.what)
        return TaskResult(task, PartResult(findings=compared.findings), (compared.positions, compared.rows))

    def _parts(self, parts: Sequence[Part]) -> Iterator[PartResult]:
        waiting = None
        for part, following in zip(parts, [*parts[1:], None], strict=True):
            loaded = self._rounds.load(part) if waiting is None else waiting.result()
            waiting = None if following is None else self._reading.submit(self._rounds.load, following)
            yield self._rounds.audit(loaded)


def floor_result(task: Task, found: list[Finding], floor: FloorCheck) -> TaskResult:
    """Return the result with what the check of the floor gathered since the last task."""
    claims, floor.claims = floor.claims, []
    open_counts, floor.open_counts = floor.open_counts, 0
    return TaskResult(task, PartResult(findings=found, claims=[(claim, -1) for claim in claims]), open_counts)


# ---- the audit


class Options(TypedDict, total=False):
    """How to audit a database or an archive. `outside` are checkpoints kept elsewhere; `keys` those of the log, if not
    the ones that come with it."""

    processes: int | None
    without: Iterable[str]
    report: Callable[[Finding], None] | None
    progress: Callable[[Progress], None] | None
    outside: Sequence[Checkpoint]
    keys: Sequence[Verifier]


class Audit:
    """`report` gets each finding and note, `progress` the progress; raise from `progress` to stop the audit."""

    def __init__(self, database_url: str, scope: Scope = EVERYTHING, **options: Unpack[Options]) -> None:
        self._database_url = database_url
        self._scope = scope
        self._processes = options.get("processes")
        self._without = frozenset(options.get("without", ()))
        self._report, self._progress = options.get("report"), options.get("progress")
        self._outside, self._keys = options.get("outside", ()), options.get("keys", ())
        self._log: LogCheck | None = None
        self._summary = Summary()
        self._tally = Tally()
        self._trips = TripsTables({})
        self._streams: dict[tuple[str, str], StreamRange] = {}
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
        if self._wants("log"):  # before the last event is read: what is sealed is below it
            self._log = LogCheck.of(self._database_url, self._outside, self._keys, whole=self._scope.whole)
        with Store(self._database_url) as store:
            last = summary.last_position = store.last
        groups = self._groups(last)
        self._total = last + last * len(groups)
        try:
            with_leaves = self._log is not None
            make = partial(AuditWorker, self._database_url, self._scope, last, with_leaves)
            with workers(make, self._how_many(last)) as do:
                # Projections take longest, so several processes begin with them.
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

    # ---- tasks to do

    def _rounds_tasks(self, last: int) -> Iterator[Task]:
        if self._scope.round is not None and (opened := self._opened_at(self._scope.round, last)) is not None:
            yield Task("rounds", (Part(opened, opened),), last)
            return
        for parts in part_tasks(last, self._how_many(last)):
            yield Task("rounds", parts, parts[-1].last - parts[0].first + 1)

    def _opened_at(self, round_id: str, last: int) -> int | None:
        """Return where the round opens; without its opening, everything that its table says of rounds is read."""
        with Store(self._database_url, last) as store:
            found = store.openings([stream_id("round", round_id)])
        return next((row.position for row in found.values() if row.position <= last), None)

    def _groups(self, last: int) -> list[list[str]]:
        """Group projections that are compared in one pass. Each group decodes all events once, so there are few, and
        some processes are left for the rounds."""
        if not self._wants("projections") or not self._scope.whole:
            return []
        names, self._outdated = projection_check.comparable(self._database_url)
        if not names:
            return []
        groups = shares([ALL[name] for name in names], min(self._how_many(last) // 2, MOST_GROUPS))
        return [[projection.name for projection in group] for group in groups]

    def _projection_tasks(self, groups: list[list[str]], last: int) -> Iterator[Task]:
        for names in groups:
            yield Task("projections", tuple(names), last)

    def _floor_tasks(self, streams_a_task: int = STREAMS_A_TASK) -> Iterator[Task]:
        return (Task("floor", some, 0) for some in batches(self._floor_streams(), streams_a_task))

    def _floor_streams(self) -> list[StreamRange]:
        """Return all of the floor, or what the rounds in scope touch; of one table all sessions."""
        if not self._wants("floor"):
            return []
        found = list(self._streams.values())
        if self._scope.table is None or not self._scope.whole_tables:
            return found
        return [StreamRange("table", self._scope.table), *(it for it in found if it.kind not in ("session", "table"))]

    # ---- results

    def _take(self, result: TaskResult) -> None:
        summary, part = self._summary, result.part
        summary.events += part.events
        summary.rounds += part.rounds
        for range_ in part.streams:
            self._touches(range_)
        self._trips.merge(part.trips)
        if self._has_all:
            self._tally.merge(part.claims)
        self._found_all(part.findings)
        add_wordings(self._wordings, part.wordings)
        self._unmarked += part.unmarked
        if self._log is not None and part.positions:
            self._log.take(part.positions, part.leaves)
        if result.task.kind == "projections":
            positions, rows = result.more
            self._projected += list(positions)
            self._rows += rows
        elif result.task.kind == "floor":
            self._open_counts += result.more
        self._done += result.task.events
        if self._progress is not None:
            self._progress(
                Progress(
                    done=self._done,
                    total=self._total,
                    rounds=summary.rounds,
                    findings=summary.findings,
                    notes=summary.notes,
                )
            )

    def _touches(self, range_: StreamRange) -> None:
        key = range_.kind, range_.name
        known = self._streams.get(key, range_)
        first, last = min(known.first, range_.first), max(known.last, range_.last)
        self._streams[key] = range_._replace(first=first, last=last)

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

    def _found_all(self, findings: Iterable[Finding]) -> None:
        for finding in findings:
            self._found(finding)

    def _finish(self) -> None:
        self._found_all(self._trips.findings())
        if self._has_all and self._wants("floor"):
            self._found_all(self._tally.findings())
        if self._log is not None:
            self._found_all(self._log.findings())
        outcomes = {
            "rounds": self._rounds_check,
            "floor": self._floor_check,
            "projections": self._projections_check,
            "log": self._log_check,
            "trail": self._trail_check,
        }
        for name, outcome in outcomes.items():
            done, text = outcome() if self._wants(name) else (False, "left out")
            self._summary.checks.append(CheckOutcome(name, done, text))
        for (ruleset, engine), (rounds, first) in sorted(self._wordings.items()):
            self._found(_worded(ruleset, engine, rounds, first))

    # ---- what each check covered, or why it was left out

    def _rounds_check(self) -> Outcome:
        text = f"{self._summary.rounds:,} rounds decided again"
        if self._unmarked:
            late = "recorded more than two minutes after they happened and not marked as late"
            text = f"{text}; {self._unmarked:,} of their events were {late}"
        return True, text

    @property
    def _has_all(self) -> bool:
        """Return whether both sides of every claim of the rounds in scope have been read."""
        return True

    def _floor_check(self) -> Outcome:
        touched = len(self._streams)
        if self._scope.whole:
            text = f"{touched:,} tables, boxes, meters and others followed and matched with the rounds"
        else:
            text = (
                f"{touched:,} sessions, boxes, meters and others that these rounds touch followed and matched with them"
            )
        if self._scope.table is not None and self._scope.whole_tables:
            text = f"all sessions of table {self._scope.table}, {text}"
        return True, text + self._open_counts_text()

    def _open_counts_text(self) -> str:
        """Return a remark, not a finding: counts were stored like this until they were sealed."""
        if not self._open_counts:
            return ""
        many = self._open_counts > 1
        return (
            f"; {self._open_counts:,} blind count{'s' if many else ''} {'were' if many else 'was'} stored open, "
            "before counts were sealed"
        )

    def _projections_check(self) -> Outcome:
        if not self._scope.whole:
            return False, "only an audit of everything compares them"
        outdated = ", ".join(self._outdated)
        not_yet = "not compared, because their tables are of an earlier version or incomplete, until they are rebuilt"
        if not self._projected:
            return False, f"{not_yet}: {outdated}" if outdated else "no report has been made yet"
        text = f"{self._rows:,} rows of {', '.join(self._projected)} compared with the events"
        return True, f"{text}; {not_yet}: {outdated}" if outdated else text

    def _log_check(self) -> Outcome:
        return (False, "nothing has been sealed") if self._log is None else (True, self._log.text())

    def _trail_check(self) -> Outcome:
        """Check the trail in this process: it reads little."""
        if not self._scope.whole:
            return False, "only an audit without filters compares it, and the schema"
        check = DatabaseCheck(self._database_url)
        self._found_all(check.findings())
        return True, check.text()


def _worded(ruleset: str, engine: int, rounds: int, first: Finding) -> Finding:
    """Return one note for all rounds of a rule set and an engine version, with the first of them as an example."""
    if rounds == 1:
        return first
    what = (
        f"{rounds:,} rounds of {ruleset}, opened under engine version {engine}, have sentences that this version of "
        f"the program words differently. The first is {first.round}: {first.what}"
    )
    return replace(first, what=what)

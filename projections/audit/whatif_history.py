"""What-if over history: past rounds are settled as they were and under other rules, and totalled by gaming day, table,
wager, bettor and box. Nothing is stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, NamedTuple

from msgspec import Struct, field

from domain.disputes.whatif import RuleChanges, Totals, changed_rules, changed_terms, totals_as_settled, totals_under
from domain.errors import Refusal
from domain.floor.drop_boxes import BoxInstalled
from domain.money import money
from domain.round.events import RoundOpened
from domain.round.state import start
from domain.rules.ruleset import RuleSet
from infra.store.compact_rows import EventRow
from infra.store.encoding.topics import TOPICS
from projections.audit.event_source import Part, Store, decoded
from projections.audit.processes import how_many, part_tasks, workers
from projections.audit.rulebook import NoRules, Rulebook
from projections.audit.scope import Scope
from projections.calendar.gaming_day_settings import gaming_days
from projections.calendar.gaming_days import GamingDays
from projections.engine.connection import connect

FIGURES = ("fees", "paid", "collected", "net")
FEE_DROPPED = "box.fee_dropped.v1"
OPENINGS = TOPICS.topics_of(RoundOpened)
MOST_LISTED = 10_000  # rounds that could not have been played; further ones are counted

Progress = Callable[[int, int, int], None]  # events done, all events, rounds settled


class Figures(Struct):
    """Rounds that could have been played, and their cents by name, as they were and under the other rules."""

    rounds: int = 0
    changed: int = 0
    was: Counter[str] = field(default_factory=Counter)
    then: Counter[str] = field(default_factory=Counter)

    def add(self, other: Figures) -> None:
        self.rounds += other.rounds
        self.changed += other.changed
        self.was.update(other.was)
        self.then.update(other.then)

    def row(self, *names: str) -> dict[str, Any]:
        figures: dict[str, Any] = {"rounds": self.rounds, "changed": self.changed}
        for name in names:
            before, after = self.was[name], self.then[name]
            figures |= {name: money(before), f"{name}_then": money(after), f"{name}_change": money(after - before)}
        return figures


class Unplayable(NamedTuple):
    round: str
    table: str
    at: str
    reason: str
    clause: str | None


class WhatIf(Struct):
    total: Figures = field(default_factory=Figures)
    days: dict[str, Figures] = {}
    tables: dict[str, Figures] = {}
    wagers: dict[str, Figures] = {}  # what the bank kept of each kind
    bettors: dict[str, Figures] = {}
    boxes: dict[str, Figures] = {}
    unplayable: list[Unplayable] = []
    unplayable_rounds: int = 0

    def add(self, other: WhatIf) -> None:
        """Add what another process has settled."""
        self.total.add(other.total)
        for by in ("days", "tables", "wagers", "bettors", "boxes"):
            ours: dict[str, Figures] = getattr(self, by)
            for name, sums in getattr(other, by).items():
                ours.setdefault(name, Figures()).add(sums)
        self.unplayable += other.unplayable[: MOST_LISTED - len(self.unplayable)]
        self.unplayable_rounds += other.unplayable_rounds

    def document(self) -> dict[str, Any]:
        return {
            "total": self.total.row(*FIGURES),
            "days": [{"gaming_day": name, **sums.row(*FIGURES)} for name, sums in sorted(self.days.items())],
            "tables": [{"table": name, **sums.row(*FIGURES)} for name, sums in sorted(self.tables.items())],
            "wagers": [{"wager": name, **sums.row("net")} for name, sums in sorted(self.wagers.items())],
            "bettors": [{"bettor": name, **sums.row("net")} for name, sums in sorted(self.bettors.items())],
            "boxes": [{"box": name, **sums.row("fees")} for name, sums in sorted(self.boxes.items())],
            "unplayable": [round_._asdict() for round_ in self.unplayable],
            "unplayable_rounds": self.unplayable_rounds,
        }


def what_if(
    database_url: str,
    scope: Scope,
    changes: RuleChanges,
    progress: Progress | None = None,
    processes: int | None = None,
) -> WhatIf:
    with Store(database_url) as store:
        last = store.last
    found, count = WhatIf(), how_many(processes, last)
    with workers(partial(WhatIfWorker, database_url, scope, changes, last), count) as do:
        for done, some in do(part_tasks(last, count)):
            found.add(some)
            if progress is not None:
                progress(done, last, found.total.rounds)
    return found


class RoundSettler:
    """Settles rounds as they were and under the other rules, and totals the difference."""

    def __init__(self, rulebook: Rulebook, scope: Scope, changes: RuleChanges) -> None:
        self._rulebook, self._scope, self._changes = rulebook, scope, changes
        self._changed_rules: dict[str, RuleSet] = {}
        self._found = WhatIf()

    def _changed(self, rules: RuleSet) -> RuleSet:
        """Return the rules with the changes, made once per version."""
        found = self._changed_rules.get(rules.content_hash)
        if found is None:
            found = self._changed_rules[rules.content_hash] = changed_rules(rules, self._changes)
        return found

    def _round(self, opened: RoundOpened, at_ms: int, events: list[Any], day: str, box: str | None) -> None:
        try:
            opening = self._rulebook.opening(opened)
            rules = self._changed(opening.rules)
            was = totals_as_settled(opening, events)
            terms = changed_terms(rules, opened.terms, self._changes)
            would = totals_under(start(rules, terms, opened), events)
        except NoRules as reason:
            self._unplayable(opened, at_ms, str(reason), None)
        except Refusal as refusal:
            self._unplayable(opened, at_ms, refusal.detail, refusal.clause)
        else:
            self._add(was, would, day, opened.table or "", box)

    def _unplayable(self, opened: RoundOpened, at_ms: int, reason: str, clause: str | None) -> None:
        self._found.unplayable_rounds += 1
        if len(self._found.unplayable) < MOST_LISTED:
            at = datetime.fromtimestamp(at_ms / 1000, UTC).isoformat(timespec="seconds")
            self._found.unplayable.append(
                Unplayable(round=opened.round or "", table=opened.table or "", at=at, reason=reason, clause=clause)
            )

    def _add(self, was: Totals, would: Totals, day: str, table: str, box: str | None) -> None:
        found, changed = self._found, was != would
        sums = [found.total, found.days.setdefault(day, Figures()), found.tables.setdefault(table, Figures())]
        if box is not None:
            sums.append(found.boxes.setdefault(box, Figures()))
        figures = Figures(rounds=1, changed=int(changed), was=_figures(was), then=_figures(would))
        for each in sums:
            each.add(figures)
        _add_nets(found.bettors, was.nets, would.nets)
        _add_nets(found.wagers, was.wagers, would.wagers)


class WhatIfWorker(RoundSettler):
    """Settles some parts in one process."""

    def __init__(self, database_url: str, scope: Scope, changes: RuleChanges, last: int) -> None:
        self._store = Store(database_url, last)
        super().__init__(Rulebook(self._store), scope, changes)
        with connect(database_url) as connection:
            self._days: GamingDays = gaming_days(connection)
        self._boxes: dict[int, str] = {}

    def close(self) -> None:
        self._store.close()

    def do(self, parts: Sequence[Part]) -> tuple[int, WhatIf]:
        """Return the position reached, and the totals."""
        self._found = WhatIf()
        for part in parts:
            self._part(part)
        return parts[-1].last, self._found

    def _part(self, part: Part) -> None:
        openings = {}
        for row in self._store.of_topics(part, OPENINGS):
            entry = decoded(self._store, row)
            if self._scope.opened(entry.event, entry.at_ms):
                openings[row.originator] = entry
        if not openings:
            return
        rounds: dict[int, list[Any]] = {originator: [] for originator in openings}
        for row in self._store.later([(originator, 1) for originator in openings]):
            rounds[row.originator].append(decoded(self._store, row).event)
        boxes = dict(self._drops(part))
        for originator, events in rounds.items():
            opened: RoundOpened = openings[originator].event
            if self._scope.has(opened, events):
                at_ms = openings[originator].at_ms
                day = self._days.of(at_ms).day.isoformat()
                self._round(opened, at_ms, events, day, boxes.get(opened.round or ""))

    def _drops(self, part: Part) -> Iterator[tuple[str, str]]:
        """Return rounds and the box that their fee went into; a round's events are close to those of its box."""
        near = Part(part.first, min(part.last + part.last - part.first, self._store.last))
        for row in self._store.of_topics(near, [FEE_DROPPED]):
            yield TOPICS.decoder(FEE_DROPPED)(row.state).event.round, self._box(row)

    def _box(self, row: EventRow) -> str:
        name = self._boxes.get(row.originator)
        if name is None:
            (first,) = self._store.firsts([row.originator])
            event = decoded(self._store, first).event
            name = self._boxes[row.originator] = event.box if isinstance(event, BoxInstalled) else str(row.originator)
        return name


def _add_nets(sums: dict[str, Figures], was: Mapping[str, int], would: Mapping[str, int]) -> None:
    for name in was.keys() | would.keys():
        before, after = was.get(name, 0), would.get(name, 0)
        nets = Figures(rounds=1, changed=int(before != after), was=Counter(net=before), then=Counter(net=after))
        sums.setdefault(name, Figures()).add(nets)


def _figures(totals: Totals) -> Counter[str]:
    net = totals.collected - totals.paid
    return Counter(fees=totals.fee, paid=totals.paid, collected=totals.collected, net=net)

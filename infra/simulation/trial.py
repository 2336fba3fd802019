"""A rule set tried on simulated rounds: what was wagered and paid, and whether the laws of money held."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import msgspec
from msgspec import Struct

from domain.documents.document import read_document
from domain.errors import Refusal
from domain.money import dollars
from domain.round.events import LineSettled
from domain.round.replay import play
from domain.round.state import Round
from domain.rules.ruleset import RuleSet
from infra.simulation.table import Table

ROUNDS_AT_A_TABLE = 50  # then another one, with other terms and people


class SpotTotal(Struct):
    """Totals of one kind of wager."""

    wagers: int = 0
    wagered_cents: int = 0
    kept_cents: int = 0  # by the bank, less what it paid

    def add(self, line: LineSettled) -> None:
        self.wagers += 1
        self.wagered_cents += line.wager
        self.kept_cents += line.collected - line.paid


class Trial(Struct):
    settled: int = 0
    void: int = 0
    spots: dict[str, SpotTotal] = msgspec.field(default_factory=dict)
    broken: list[str] = msgspec.field(default_factory=list)  # violated laws, with the round


def trial(rules: RuleSet, rounds: int, seed: int) -> Trial:
    """Run the trial; the same arguments give the same rounds."""
    found = Trial()
    for first in range(0, rounds, ROUNDS_AT_A_TABLE):
        name = f"trial-{seed}-{first // ROUNDS_AT_A_TABLE + 1}"
        table = Table(rules, name, 1, Random(name))
        for _ in range(min(ROUNDS_AT_A_TABLE, rounds - first)):
            _play_one(rules, table, found)
    return found


def _play_one(rules: RuleSet, table: Table, found: Trial) -> None:
    try:
        round_ = _played(rules, table)
    except Refusal as refusal:
        found.broken.append(f"The engine refused what its own rules offered: {refusal.detail}")
    else:
        _count(found, round_)
        found.broken += [f"{round_.opened.round}: {law}" for law in broken_laws(round_)]


def _played(rules: RuleSet, table: Table) -> Round:
    """Play a round at the simulated table, and again from its document."""
    document = read_document(msgspec.json.decode(table.next_document()), lambda _: rules)
    round_, _ = play(document.opening, document.actions)
    return round_


def _count(found: Trial, round_: Round) -> None:
    if round_.status == "void":
        found.void += 1
        return
    found.settled += 1
    for line in round_.lines:
        found.spots.setdefault(line.spot, SpotTotal()).add(line)


def broken_laws(round_: Round) -> Iterator[str]:
    """Return violated laws: money that moves comes from somewhere, and a bank moves no more than it put up."""
    for line in round_.lines:
        where = f"{line.spot} of {line.bettor} at seat {line.seat}"
        if not 0 <= line.collected <= line.wager:
            yield f"{where}: no more is collected than was wagered"
        if line.paid < 0 or line.shortfall < 0:
            yield f"{where}: no more moves than the rules say"
        if line.paid and line.outcome != "win":
            yield f"{where}: only a winning wager is paid"
    paid, collected = (sum(getattr(line, name) for line in round_.lines) for name in ("paid", "collected"))
    if (paid, collected) != (round_.paid, round_.collected):
        yield "the bank's totals are those of its lines"
    if round_.bank is not None:
        used = max(paid, collected) if round_.terms.coverage == "separate-limits" else paid + collected
        if used > round_.bank.wager:
            yield f"a bank of {dollars(round_.bank.wager)} moved {dollars(used)}"

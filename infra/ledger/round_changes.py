"""What playing a round changes: the round, its table, the drop box and the meter, in one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from domain.errors import Refusal
from domain.floor import drop_boxes, eligibility, table_sessions
from domain.round import hidden_cards
from domain.round.events import FeeTaken, RoundEvent
from domain.round.replay import play
from domain.round.state import Round
from infra.aggregates.changes import Changes
from infra.aggregates.meters import StoredMeter, moved_by
from infra.aggregates.rounds import Contradicted, StoredRound
from infra.aggregates.tables import TableState
from infra.ledger.actor import Actor
from infra.ledger.application import CommandReceipt, LedgerApplication, Overtaken


def play_actions(ledger: LedgerApplication, round_: Round, actions: list[Any]) -> tuple[Round, list[RoundEvent]]:
    """Play actions as those of a document; a bet by somebody who may not bet is refused in its turn."""
    return play(round_, actions, eligibility.decide_without(ledger.staff.staff_ids()))


class Played(NamedTuple):
    """A round, its table and its meter after play."""

    stored: StoredRound
    table: TableState
    meter: StoredMeter | None


def add_play(
    before: StoredRound,
    round_: Round,
    happened: Sequence[RoundEvent],
    table: TableState,
    meter: StoredMeter | None,
    changes: Changes,
) -> Played:
    """Add the round's events, and what they change at its table, in the box and in the meter."""
    openings = before.openings.copy()
    version = changes.add_play(before.id, before.version, happened, openings)
    if round_.status != "open" and table.session is not None:
        table = table.with_events([table_sessions.RoundEnded(before.id, round_.status)], changes)
    for event in happened:
        if isinstance(event, FeeTaken) and table.session is not None and table.session.box is not None:
            dropped = drop_boxes.FeeDropped(
                round=before.id, amount=event.amount, schedule=event.schedule, tier=event.tier
            )
            box_version = changes.add("box", table.session.box, table.box_version, [dropped])
            table = replace(table, box_version=box_version)
    if meter is not None:
        moved, after = moved_by(meter, before.id, round_, happened)
        changes.add("meter", meter.id, meter.version, moved)
        meter = after
    stored = StoredRound(
        id=before.id,
        round=round_,
        version=version,
        openings=openings,
        public=hidden_cards.public_after(before.public, before.round, round_, happened),
        at_ms=max(before.at_ms, changes.at_ms),
    )
    return Played(stored, table, meter)


def save_play(
    ledger: LedgerApplication, played: Played, changes: Changes, receipt: CommandReceipt, *, begins: bool
) -> StoredRound:
    """Save the changes. Raises Overtaken if another process wrote to the round, its table, the box or the meter."""
    stored, table, meter = played
    if meter is not None and (begins or stored.round.status != "open"):
        _check_meter(ledger, meter, changes)
    ledger.save_changes(changes, f"Round {stored.id}", receipt, stored)
    ledger.tables.keep(stored.table, table)
    if meter is not None:
        ledger.meters.keep(meter)
    return stored


def _check_meter(ledger: LedgerApplication, meter: StoredMeter, changes: Changes) -> None:
    """Raise Overtaken if another process moved a meter that this round only reads. Nothing else would notice."""
    if not changes.touch("meter", meter.id) and ledger.meters.stored_version(meter.id) != meter.version:
        raise Overtaken(f"Meter {meter.id} has moved on in the meantime.")


def save_contradiction(
    ledger: LedgerApplication,
    stored: StoredRound,
    refusal: Refusal,
    supervised: Sequence[RoundEvent],
    actor: Actor,
    receipt: CommandReceipt,
) -> Contradicted:
    """Store the attempt of a request that only a face-down card refuses, and nothing else of it."""
    refusal = hidden_cards.contradiction(stored.round, refusal)
    changes = Changes(actor)
    events = [*supervised, hidden_cards.contradicted(refusal)]
    version = changes.add("round", stored.id, stored.version, events)
    contradicted = Contradicted(refusal, version)
    ledger.save_changes(changes, f"Round {stored.id}", receipt, contradicted)
    return contradicted

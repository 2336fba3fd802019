"""Playing a round action by action."""

from __future__ import annotations

from typing import Any

from domain.errors import Refusal
from domain.round import hidden_cards
from domain.round.replay import read_actions
from infra.aggregates.changes import Changes
from infra.aggregates.meters import with_reading
from infra.aggregates.rounds import StoredRound
from infra.ledger.actor import Actor
from infra.ledger.application import CommandReceipt, LedgerApplication, Overtaken
from infra.ledger.round_changes import add_play, play_actions, save_contradiction, save_play


def act(
    ledger: LedgerApplication,
    round_id: str,
    actions: list[Any],
    actor: Actor,
    expected_version: int | None = None,
    receipt: CommandReceipt = None,
    known: StoredRound | None = None,
    second_person: str | None = None,
) -> StoredRound:
    """Append all of the actions to the round, or none; `known` is the round as the caller last saw it.

    If refused on an old `known`, call again without it. Refusals are decided on the public round, in which no face-down
    card is known; if only such a card refuses an action, the attempt is stored."""
    stored = known or ledger.load(round_id, expected_version=expected_version)
    actor = actor.after(stored.at_ms, f"what happened last in round {round_id},")
    supervised = hidden_cards.supervised(stored.round, actor.by, second_person)
    if stored.public is not stored.round:
        actions = read_actions(actions) or actions  # read once for both checks
        hidden_cards.judge(stored.public, actions)
    try:
        return _play(ledger, stored, actions, actor, supervised, receipt)
    except Overtaken:
        ledger.tables.forget(stored.table)  # another process may have moved the table or the meter, and not the round
        if ledger.load(round_id).version != stored.version:
            raise
    return _play(ledger, stored, actions, actor, supervised, receipt)


def _play(
    ledger: LedgerApplication,
    stored: StoredRound,
    actions: list[Any],
    actor: Actor,
    supervised: list[Any],
    receipt: CommandReceipt,
) -> StoredRound:
    table = ledger.tables.get(stored.table)
    _, meter = ledger.meters.for_terms(stored.table, stored.round.terms)
    before, read = with_reading(stored.round, meter)
    try:
        round_, happened = play_actions(ledger, before, actions)
    except Refusal as refusal:
        if stored.public is stored.round:
            raise
        raise save_contradiction(ledger, stored, refusal, supervised, actor, receipt) from None
    changes = Changes(actor)
    played = add_play(stored, round_, [*supervised, *read, *happened], table, meter, changes)
    return save_play(ledger, played, changes, receipt, begins=False)

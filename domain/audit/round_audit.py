"""Audit of a stored round: what the rules of its day make of its facts, compared with what was recorded.

Nothing here reads a store. The caller passes the round's events in order, and the openings of its seals if it may read
them; without those, cards that were never turned over stay closed, and everything else is checked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import astuple, replace

from domain.audit.annotation_audit import check_annotations, check_supervision
from domain.audit.comparison import Numbered, compare_play
from domain.audit.findings import Finding
from domain.audit.seal_audit import Sealed, check_seals
from domain.errors import CannotReplay
from domain.round.corrections import AnyEntry
from domain.round.events import (
    ANNOTATIONS,
    CorrectionPosted,
    FeeTaken,
    FeeWaived,
    MeterPaid,
    ProgressiveWagersTaken,
    RoundDisputed,
    RoundEvent,
    RoundOpened,
    RoundSettled,
    RoundVoided,
)
from domain.round.replay import IMPOSSIBLE
from domain.round.state import Round
from domain.round.wagers import wager_key

Claim = tuple[Any, ...]  # claim, round and figures


def audit_round(opening: Round, events: Sequence[RoundEvent], sealed: Sealed | None = None) -> list[Numbered]:
    """Yield every difference with the index of its event; `events` are all after the opening, by version."""
    if ANNOTATIONS.isdisjoint(map(type, events)):
        round_, found = compare_play(opening, events)
    else:
        at_table = [at for at, event in enumerate(events) if type(event) not in ANNOTATIONS]
        round_, numbered = compare_play(opening, [events[at] for at in at_table])
        found = [(at_table[at], finding) for at, finding in numbered]
        found += _as_far_as_possible(check_annotations(opening, events))
        found += check_supervision(events)
    found += _check_opening(opening)
    found += _as_far_as_possible(check_seals(round_, events, sealed))
    return [(at, _placed(opening.opened, finding)) for at, finding in found] if found else found


def _as_far_as_possible(found: Iterator[Numbered]) -> Iterator[Numbered]:
    try:
        yield from found
    except (CannotReplay, *IMPOSSIBLE):
        what = "What was added to the round does not fit its events, and was not checked further."
        yield -1, Finding("event_missing", what)


def _placed(opened: RoundOpened, finding: Finding) -> Finding:
    return replace(finding, round=opened.round, table=opened.table, ruleset=opened.ruleset)


def _check_opening(opening: Round) -> Iterator[Numbered]:
    rules, opened = opening.rules, opening.opened
    if rules.player_banked != (opening.bank is not None):
        bank = "a player-dealer" if rules.player_banked else "the house"
        what = f"{rules.id} is banked by {bank}, and the round is not."
        yield -1, Finding("opening", what, clause=rules.clause("bank"))
    if opening.terms.document != opened.terms:
        what = "The terms of the round are not in the form in which the ledger stores them."
        yield -1, Finding("opening", what, expected=str(opening.terms.document), found=str(opened.terms))


# ---- claims about table, box and meter


def claims_of(opening: Round, events: Sequence[RoundEvent]) -> Iterator[Claim]:
    """Return what the events of table, box and meter must say too, each once (`domain.audit.floor_audit`)."""
    opened = opening.opened
    name = opened.round
    yield "begun", name, opened.bank_seat, opened.bank_bettor, opened.turn, opened.deck
    for event in events:
        claim = _CLAIMS.get(type(event))
        if claim is not None:
            yield claim(name, event)
        elif type(event) is RoundVoided:
            yield "ended", name, "void"
            yield from _returned_shares(opening, events)
        elif type(event) is FeeWaived and event.how == "not dropped":
            yield "not dropped", name, event.amount
        elif type(event) is CorrectionPosted and event.dispute is not None:
            yield ruled_claim(event.dispute, event)


_CLAIMS: Mapping[type, Callable[[str | None, Any], Claim]] = {
    FeeTaken: lambda name, event: ("fee", name, event.amount, event.schedule, event.tier),
    RoundSettled: lambda name, event: ("ended", name, "settled"),
    ProgressiveWagersTaken: lambda name, event: ("contributed", name, event.shown, event.reserve),
    RoundDisputed: lambda name, event: ("disputed", name, *astuple(event)),
    MeterPaid: lambda name, event: ("awarded", name, *astuple(event)),
}


def ruled_claim(dispute: str, entry: AnyEntry) -> Claim:
    """Return the claim for an entry of a ruling, which is posted on the round too."""
    return ("ruled", dispute, *wager_key(entry), entry.amount, entry.account)


def _returned_shares(opening: Round, events: Sequence[RoundEvent]) -> Iterator[Claim]:
    meter = opening.terms.meter
    wagers = sum(event.wagers for event in events if type(event) is ProgressiveWagersTaken)
    if meter is not None and wagers:
        shares = wagers * meter.percent // 100, wagers * meter.reserve_percent // 100
        yield ("returned", opening.opened.round, *shares)

"""Every step of a round: what happened and why, and what each step changes on the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha256
from typing import Any

import msgspec

from domain.errors import CannotReplay
from domain.hands.made_hands import MadeHand
from domain.money import cents, money
from domain.round.events import (
    CorrectionPosted,
    LineSettled,
    NoteMade,
    PaymentReported,
    RoundCorrected,
    RoundDisputed,
    RoundSettled,
    WagerPlaced,
)
from domain.round.replay import IMPOSSIBLE
from domain.round.wagers import WagerKey, wager_key
from domain.view.event_text import FACE_DOWN
from domain.view.reasons import Why
from infra.access.callers import Caller
from infra.ledger.replay import Replay, Step
from infra.store.cache import Cache
from infra.store.encoding.topics import TOPICS
from projections.models.bankroll import BANK_ACCOUNTS
from projections.views.read_side import ReadSide
from projections.views.rounds.replay_stage import changes_of, left_words, marks_of, stage_of
from projections.views.rounds.round_views import replayed_for

MOVES_NOTHING = (RoundSettled, PaymentReported)  # it includes amounts that others moved
SAID = (CorrectionPosted, PaymentReported, RoundDisputed)  # of a line, afterwards
_KEPT: Cache[dict[str, Any]] = Cache(32)  # answers of some 150 KB


def steps_for(read_side: ReadSide, caller: Caller, round_id: str) -> tuple[str, dict[str, Any]]:
    """Return the answer, which nobody may change, and a digest of every event as it was just read. Recent answers are
    cached by the digest, so that any change makes another one: sixty pictures take longer than all the rest. Raises
    CannotReplay if the stored events do not make a round."""
    replayed = replayed_for(read_side, caller, round_id, "replay")
    read = [(type(step.entry.event).__name__, step.entry, step.recorded_at) for step in replayed.steps]
    digest = sha256(msgspec.json.encode((replayed.round_id, read))).hexdigest()
    try:
        return digest, _KEPT.get(digest, lambda: steps_of(replayed))
    except IMPOSSIBLE as error:
        raise CannotReplay(f"The stored events of round {round_id} do not follow from one another.") from error


def steps_of(replayed: Replay) -> dict[str, Any]:
    pictures = replayed.table_views
    reasons = [step.why for step in replayed.steps]
    changes = changes_of(pictures)
    round_ = replayed.steps[-1].round
    return {
        "round": replayed.round_id,
        "table": replayed.table,
        "ruleset": round_.rules.id,
        "ruleset_title": round_.rules.title,
        "ruleset_version": round_.rules.version,
        "hash": round_.opened.ruleset_hash,
        "family": round_.rules.family,
        "banker": round_.banker,
        "coverage": round_.terms.coverage if round_.bank is not None else None,
        "deck": round_.opened.deck,
        "dealer": round_.opened.dealer,
        "status": round_.status,
        "streets": [{"name": street.name, "step": street.step} for street in replayed.streets],
        "steps": [_step(*each) for each in zip(replayed.steps, reasons, pictures, strict=True)],
        "stage": stage_of(pictures[-1], changes, _kinds(replayed)),
        "changes": changes,
        "marks": [marks_of(reason) for reason in reasons],
        "lines": (lines := _lines(replayed, pictures)),
        "nets": _nets(lines, round_.opened.bank_bettor),
        "beside": [made for step in replayed.steps if (made := _annotation(step)) is not None],
    }


def _kinds(replayed: Replay) -> dict[tuple[int, str], str | None]:
    placed = (step.entry.event for step in replayed.steps)
    return {(event.seat, event.bettor): event.kind for event in placed if isinstance(event, WagerPlaced)}


def _step(step: Step, why: Why, picture: Mapping[str, Any]) -> dict[str, Any]:
    text, event = step.text, step.entry.event
    settled = isinstance(event, LineSettled)
    return {
        "step": step.number,
        "event": TOPICS.topic_of(type(event)),
        "at": _moment(step.entry.at_ms),
        "by": step.entry.by,
        "late": step.entry.late,
        "recorded_at": step.recorded_at.isoformat(),
        "text": _headline(event) if settled else text.what,
        "seat": text.seat,
        "cards": [None if card == FACE_DOWN else card for card in text.cards],
        "amount": money(text.amount) if text.amount and not isinstance(event, MOVES_NOTHING) else None,
        "outcome": event.outcome if settled else None,
        "why": {
            "clause": why.clause,
            "says": why.says,
            "decided": why.decided,
            "sentence": why.sentence,
            "made": [_made(step, made) for made in why.made],
        },
        "left": left_words(picture["bank"]) if settled else None,
    }


@lru_cache(256)  # all events of an action have one time
def _moment(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).isoformat()


def _headline(line: LineSettled) -> str:
    """Return a settlement line without its reason, which is shown next to it."""
    spot, outcome = line.spot.replace("_", " "), line.outcome.replace("_", " ")
    hand = f", hand {line.hand}" if line.hand > 1 else ""
    return f"{line.bettor}, {spot}{hand}: {outcome}"


def _made(step: Step, made: MadeHand) -> dict[str, Any]:
    who = step.round.banker.capitalize() if made.of == "dealer" else f"Seat {made.of}"
    many = isinstance(made.of, int) and len(step.round.game.hands(step.round, made.of)) > 1
    return {"who": f"{who}, hand {made.hand}" if many else who, "text": made.text, "cards": list(made.cards)}


# ---- lines, and what was added later


def _lines(replayed: Replay, pictures: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the settlement lines with the step of each, what it left of the bank, and what came after it."""
    said: dict[WagerKey, list[Any]] = {}
    for step in replayed.steps:
        if isinstance(step.entry.event, SAID):
            said.setdefault(wager_key(step.entry.event), []).append(step.entry.event)
    numbers = [step.number for step in replayed.steps if isinstance(step.entry.event, LineSettled)]
    lines = []
    for number, line in zip(numbers, replayed.result["lines"], strict=True):
        about = said.get(WagerKey(line["seat"], line["bettor"], line["hand"], line["spot"]), [])
        bank = pictures[number - 1]["bank"]
        lines.append(
            {
                **line,
                "step": number,
                "left": {"to_pay": bank["to_pay"], "to_collect": bank["to_collect"]},
                "corrections": [_posted(event) for event in about if isinstance(event, CorrectionPosted)],
                "reported": [_reported(event) for event in about if isinstance(event, PaymentReported)],
                "disputes": [event.dispute for event in about if isinstance(event, RoundDisputed)],
            }
        )
    return lines


def _nets(lines: Sequence[Mapping[str, Any]], bank: str | None) -> list[dict[str, Any]]:
    """Return the round's result for the bettors, and then for the other side; the nets sum to zero."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}

    def of(part: str, name: str) -> dict[str, Any]:
        empty = {"seats": [], "wagered": 0, "won": 0, "lost": 0, "corrected": 0}
        return rows.setdefault((part, name), {"part": part, "name": name, **empty})

    for line in lines:
        bettor = of("bettor", line["bettor"])
        bettor["seats"] = sorted({*bettor["seats"], line["seat"]})
        bettor["wagered"] += cents(line["wager"])
        bettor["won"] += cents(line["paid"])
        bettor["lost"] += cents(line["collected"])
    for line in lines:
        other = of("bank", bank or "") if line["from"] == "bank" else of(_OTHERS[line["from"]], "")
        other["won"] += cents(line["collected"])
        other["lost"] += cents(line["paid"])
        for posted in line["corrections"]:
            account, amount = posted["account"], cents(posted["amount"])
            of("bettor", line["bettor"])["corrected"] += amount
            (of("bank", bank or "") if account in BANK_ACCOUNTS else of("account", account))["corrected"] -= amount
    return [_net(row) for row in rows.values()]


_OTHERS = {"tray": "house", "meter": "meter"}


def _net(row: dict[str, Any]) -> dict[str, Any]:
    net = row["won"] - row["lost"] + row["corrected"]
    return {**row, **{name: money(row[name]) for name in ("wagered", "won", "lost", "corrected")}, "net": money(net)}


def _posted(event: CorrectionPosted) -> dict[str, Any]:
    return {"amount": money(event.amount), "account": event.account, "reason": event.reason, "dispute": event.dispute}


def _reported(event: PaymentReported) -> dict[str, str]:
    return {"paid": money(event.paid), "collected": money(event.collected)}


def _annotation(step: Step) -> dict[str, Any] | None:
    """Return what was added to the round after its play."""
    event = step.entry.event
    match event:
        case NoteMade(kind, text, seat):
            said = {"what": f"note, {kind}", "text": text, "seat": seat, "people": [step.entry.by]}
        case RoundCorrected(reason, by, _):
            said = {"what": "correction", "text": reason, "seat": None, "people": list(by)}
        case _:
            return None
    return {"step": step.number, "at": _moment(step.entry.at_ms), **said}

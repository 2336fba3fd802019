"""The round as one self-contained page: no script, no address, to be read, printed and kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from domain.cards import RED_SUITS, SUIT_SIGNS, face
from domain.documents.result import result_of
from domain.moments import format_later_moment
from domain.moments import format_moment as moment
from domain.money import money
from infra.ledger.replay import Replay, Step
from projections.evidence.readme import TIMES

if TYPE_CHECKING:
    from projections.evidence.bundle import Evidence


@cache
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("projections.evidence", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("round.html")


def page_of(story: Replay, evidence: Evidence) -> bytes:
    first, last = story.steps[0], story.steps[-1]
    text = _template().render(
        round=story.round_id,
        opened=first.entry.event,
        rules=first.round.rules,
        began=moment(first.entry.at),
        recorded=moment(last.recorded_at),
        times=TIMES,
        result=result_of(last.round),
        steps=list(_shown_once(story.steps)),
        terms={name: _plain(value) for name, value in first.entry.event.terms.items()},
        checkpoint=evidence.checkpoint,
        note=evidence.checkpoint.text(),
        key=evidence.key,
        indexes=[sealed.proof.index for sealed in evidence.of_round],
        card=_card,
    )
    return text.encode()


def _shown_once(steps: Iterable[Step]) -> Iterator[dict[str, Any]]:
    """Return the words of each clause where it first occurs, and not again at every card and bet."""
    said: set[str] = set()
    opened_at = None
    for step in steps:
        opened_at = opened_at or step.entry.at
        shown = _shown(step, opened_at)
        if shown["why"] in said or shown["why"] in shown["what"]:
            shown["why"] = ""
        said.add(shown["why"])
        yield shown


def _plain(value: Any) -> str:
    if value is None:
        return "none"
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _shown(step: Step, opened_at: datetime) -> dict[str, Any]:
    text, why = step.text, step.why
    return {
        "number": step.number,
        "at": f"{format_later_moment(opened_at, step.entry.at)}{' late' if step.entry.late else ''}",
        "by": step.entry.by,
        "seat": "" if text.seat is None else text.seat,
        "cards": [_card(card) for card in text.cards],
        "money": "" if text.amount is None else money(text.amount),
        "what": text.what,
        "clause": text.clause or why.clause or "",
        "why": why.sentence or why.says or "",
    }


def _card(card: str | None) -> dict[str, str]:
    if card is None or card[1:] not in SUIT_SIGNS:
        return {"text": "▮▮", "name": "a card face down", "colour": "down"}
    return {"text": face(card), "name": card, "colour": "red" if card[1] in RED_SUITS else "black"}

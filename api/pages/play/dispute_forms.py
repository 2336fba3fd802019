"""The forms of a dispute: the claim, and each action on its file."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal

from msgspec import Struct
from pydantic import Field, PlainValidator, ValidationInfo, create_model, field_validator
from pydantic_core import PydanticCustomError

from api.pages.forms import FormModel, LocalMoment, Typed
from api.service.fields import CardName, Id, Money, MovedMoney, PositiveMoney, Text, matching
from api.service.problems import Problem
from domain.disputes import disputes
from domain.disputes.disputes import DAYS_TO_APPEAL, DAYS_TO_RULE, Claim, Ending, ErrorKind, Outcome, Part
from domain.disputes.whatif import CardChange
from domain.moments import DAY_MS, milliseconds
from domain.money import cents
from domain.round.corrections import Entry
from domain.rules.ruleset import MOST_HANDS, MOST_SEATS
from infra.ledger.disputes.disputes import Disputes, StoredDispute
from infra.ledger.ledger import Actor

ENTRY_ROWS = range(1, 5)
BETTING = ("bet", "withdraw")  # facts whose amount can be changed
Choice = Literal["check", "raise", "fold", "play", "hit", "stand", "double", "split", "surrender", "insure"]
Signing = Callable[[str], str]  # the second person's id, once authenticated
_WAGER = re.compile(r"([1-9]|1[0-6])/([1-9])/([a-z0-9_]{1,40})/([a-z0-9-]{0,40})")
_PLACE = r"^(dealer|board|[1-9]|1[0-6])(\.[1-9])?:[1-9][0-9]?$"


class Wager(Struct, frozen=True):
    seat: int
    hand: int
    spot: str
    bettor: str | None


def wager_name(line: Mapping[str, Any]) -> str:
    """Return a wager as the value of a choice."""
    return f"{line['seat']}/{line['hand']}/{line['spot']}/{line['bettor']}"


def _wager(value: Any) -> Wager:
    found = _WAGER.fullmatch(str(value))
    if found is None:
        raise PydanticCustomError("sentence", "Choose the wager that it is about")
    return Wager(int(found[1]), int(found[2]), found[3], found[4] or None)


WagerName = Annotated[Wager, PlainValidator(_wager)]


# ---- the claim


class ClaimForm(FormModel):
    """For a voided round, whose wagers have no lines, the wager is named by seat, hand and spot."""

    round: Id
    seat: Annotated[int, Field(ge=1, le=MOST_SEATS)] | None = None
    hand: Annotated[int, Field(ge=1, le=MOST_HANDS)] = 1
    spot: Text | None = None
    wager: WagerName | None = Field(None, validate_default=True)
    kind: ErrorKind
    claimed: Annotated[PositiveMoney, Typed]
    claim: Text
    deadline: LocalMoment | None = None

    @field_validator("wager")
    @classmethod
    def _named(cls, wager: Wager | None, info: ValidationInfo) -> Wager:
        if wager is not None:
            return wager
        seat, hand, spot = (info.data.get(name) for name in ("seat", "hand", "spot"))
        if seat is None or hand is None or spot is None:
            raise PydanticCustomError("sentence", "Choose the wager that it is about")
        return Wager(seat, hand, spot, None)

    def stated(self, now_ms: int) -> Claim:
        wager = self.wager
        assert wager is not None  # checked above
        deadline = now_ms + DAYS_TO_RULE * DAY_MS if self.deadline is None else milliseconds(self.deadline)
        about = self.kind, cents(self.claimed), self.claim, deadline
        return Claim(wager.seat, wager.spot, *about, wager.bettor, wager.hand)


# ---- what if


class Question(FormModel):
    """A what-if: another card at a place, or another bet or decision, by its number among the facts."""

    place: Annotated[str, matching(_PLACE, "is the place of a card")] | None = None
    card: CardName | None = None
    fact: Annotated[int, Field(ge=0, le=9999)] | None = None
    choice: Choice | None = None
    times: Annotated[int, Field(ge=1, le=99)] | None = None
    amount: Annotated[Money, Typed] | None = None

    def asked(self) -> dict[str, str]:
        found = {name: getattr(self, name) for name in Question.model_fields}
        return {name: str(value) for name, value in found.items() if value is not None}

    def supposed(self, facts: Sequence[Mapping[str, Any]]) -> tuple[list[CardChange], dict[int, dict[str, Any]]] | None:
        """Return the cards and the facts that it changes; None if nothing is asked."""
        if self.place is not None and self.card is not None:
            where, _, number = self.place.partition(":")
            of, _, hand = where.partition(".")
            place = int(of) if of.isdecimal() else of
            return [CardChange(place, int(number), self.card, int(hand or 1))], {}
        if self.fact is not None:
            if self.fact >= len(facts):
                raise Problem("bad_document", "Choose the bet or decision that is supposed to have been another.")
            return [], {self.fact: self._changed(dict(facts[self.fact]))}
        if self.asked():
            raise Problem("bad_document", "Choose both: a card and what it was, or a bet or decision and what it was.")
        return None

    def _changed(self, fact: dict[str, Any]) -> dict[str, Any]:
        if fact["do"] in BETTING and self.amount is not None:
            return {**fact, "amount": self.amount}
        if fact["do"] != "decide" or self.choice is None:
            raise Problem("bad_document", "Say what it is supposed to have been: another choice, or another amount.")
        fact = {name: value for name, value in fact.items() if name not in ("times", "amount")}
        fact["choice"] = self.choice
        if self.choice == "raise" and self.times is not None:
            fact["times"] = self.times
        if self.choice in ("insure", "double") and self.amount is not None:
            fact["amount"] = self.amount
        return fact


# ---- actions on a file


class FileForm(FormModel):
    """`version` is that of the file on the page."""

    version: Annotated[int, Field(ge=1, le=99_999_999)] | None = None


class StatementForm(FileForm):
    do: Literal["statement"]
    who: Id
    part: Part
    statement: Text


class ReferenceForm(FileForm):
    do: Literal["reference"]
    camera: Text
    since: LocalMoment
    until: LocalMoment
    shows: Text | None = None


class DisputeNoteForm(FileForm):
    do: Literal["note"]
    note: Text


class DeadlineForm(FileForm):
    do: Literal["deadline"]
    deadline: LocalMoment
    deadline_reason: Text


class WhatIfForm(FileForm, Question):
    do: Literal["what-if"]
    question: Text | None = None


_ROWS: Any = {}
for _row in ENTRY_ROWS:
    _ROWS[f"wager_{_row}"] = (WagerName | None, None)
    _ROWS[f"amount_{_row}"] = (Annotated[MovedMoney, Typed] | None, None)
    _ROWS[f"account_{_row}"] = (Text | None, None)
EntryRows = create_model("EntryRows", __base__=FileForm, **_ROWS)


class Ruled(EntryRows):
    outcome: Outcome
    reason: Text
    second_person: Id | None = None
    new_account: Literal["yes"] | None = None  # confirms an account that is not on the list

    def entries(self) -> list[Entry]:
        """Return the rows with an amount."""
        rows = [[getattr(self, f"{name}_{row}") for name in ("wager", "amount", "account")] for row in ENTRY_ROWS]
        return [_entry(row, *given) for row, given in zip(ENTRY_ROWS, rows, strict=True) if given[1] is not None]


def _entry(row: int, wager: Wager | None, amount: str, account: str | None) -> Entry:
    if wager is None or wager.bettor is None or account is None:
        raise Problem("bad_document", f"Entry {row} needs its wager and the account that pays or receives it.")
    moved = -cents(amount[1:]) if amount.startswith("-") else cents(amount)
    return Entry(wager.seat, wager.bettor, wager.spot, moved, account, wager.hand)


class RulingForm(Ruled):
    do: Literal["ruling"]
    appeal_until: LocalMoment | None = None


class AppealForm(FileForm):
    do: Literal["appeal"]
    appellant: Id
    grounds: Text


class AppealRulingForm(Ruled):
    do: Literal["appeal-ruling"]


class ClosingForm(FileForm):
    do: Literal["closing"]
    how: Ending
    closing_reason: Text


DisputeForm = Annotated[
    StatementForm
    | ReferenceForm
    | DisputeNoteForm
    | DeadlineForm
    | WhatIfForm
    | RulingForm
    | AppealForm
    | AppealRulingForm
    | ClosingForm,
    Field(discriminator="do"),
]
NOTICES = {
    "statement": "The statement is in the file.",
    "reference": "The reference is in the file.",
    "note": "The note is in the file.",
    "deadline": "The deadline is moved.",
    "what-if": "The question is in the file.",
    "ruling": "The ruling is stored.",
    "appeal": "The appeal is in the file.",
    "appeal-ruling": "The ruling on the appeal is stored.",
    "closing": "The dispute is closed.",
}


def carry_out(
    file: Disputes, name: str, form: DisputeForm, facts: Sequence[Mapping[str, Any]], actor: Actor, signed: Signing
) -> StoredDispute:
    """Carry out an action; `facts` are those of the round, of which a what-if changes one."""
    match form:
        case WhatIfForm():
            supposed = form.supposed(facts)
            if supposed is None:
                raise Problem("bad_document", "Say which card or fact is supposed to have been another.")
            return file.ask_what_if(name, *supposed, form.question or "", actor, form.version)
        case RulingForm():
            until = actor.at_ms + DAYS_TO_APPEAL * DAY_MS
            until = until if form.appeal_until is None else milliseconds(form.appeal_until)
            ruling = form.outcome, form.reason, _second(form, signed), form.entries()
            return file.rule(name, *ruling, until, actor, form.version, form.new_account is not None)
        case AppealRulingForm():
            ruling = form.outcome, form.reason, _second(form, signed), form.entries()
            return file.rule_appeal(name, *ruling, actor, form.version, form.new_account is not None)
    return file.add(name, lambda dispute: _decided(dispute, form, actor.at_ms), actor, form.version)


def _second(form: Ruled, signed: Signing) -> str | None:
    return None if form.second_person is None else signed(form.second_person)


def _decided(dispute: disputes.Dispute, form: Any, at_ms: int) -> disputes.DisputeEvent:
    match form:
        case StatementForm():
            return disputes.give_statement(dispute, form.who, form.part, form.statement)
        case ReferenceForm():
            since, until = milliseconds(form.since), milliseconds(form.until)
            return disputes.refer(dispute, form.camera, since, until, form.shows or "")
        case DisputeNoteForm():
            return disputes.note(dispute, form.note)
        case DeadlineForm():
            return disputes.move_deadline(dispute, milliseconds(form.deadline), form.deadline_reason, at_ms)
        case AppealForm():
            deadline = at_ms + DAYS_TO_RULE * DAY_MS
            return disputes.appeal(dispute, form.appellant, form.grounds, deadline, at_ms)
        case ClosingForm():
            return disputes.close(dispute, form.how, form.closing_reason, at_ms)
    raise AssertionError(form)

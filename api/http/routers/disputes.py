"""Disputes: opened by the floor, looked into, ruled by somebody who was not involved, appealed, closed; what-ifs."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any

import msgspec
from fastapi import Depends, Query, Request, Response, Security

from api.http import dependencies
from api.http.answers import attached, encoded, respond
from api.http.dependencies import Command, IfMatch, dispute_caller, round_caller, second_person
from api.http.judging import judged
from api.http.problems import Described, answers, problems, writes
from api.http.resource import resource
from api.http.routers.rounds import signed_cents
from api.http.schemas.disputes import (
    AppealIn,
    AppealRulingIn,
    ClosingIn,
    DeadlineIn,
    DisputeFileOut,
    DisputeFilters,
    DisputeIn,
    DisputeNoteIn,
    DisputeOut,
    FiledWhatIfIn,
    FoundDisputesOut,
    ReferenceIn,
    RulingIn,
    StatementIn,
    WhatIfIn,
    WhatIfOut,
)
from api.http.schemas.rounds import CorrectionEntry
from api.service import roles
from api.service.admission import DisputeId, RoundId, SecondPerson, ServiceOf
from api.service.idempotency import Answer, Writing
from api.service.state import Service
from domain.disputes import disputes
from domain.disputes.disputes import DAY_MS, DAYS_TO_APPEAL, DAYS_TO_RULE, Claim, Dispute, DisputeEvent
from domain.disputes.whatif import CardChange
from domain.moments import milliseconds, read_moment
from domain.money import cents
from domain.round.corrections import Entry
from infra.access.callers import Caller
from infra.ledger.dispute_changes import change_dispute
from infra.ledger.dispute_document import dispute_document
from infra.ledger.disputes import Disputes, StoredDispute
from infra.ledger.ledger import CommandReceipt
from projections.reports.report import Filters
from projections.views.dispute_views import dispute_for, dossier_for, list_disputes, now_ms, what_if_for
from projections.views.paging import read_cursor

router = resource("disputes")
PDF = "application/pdf"
AFTER: Described = {
    **writes("conflict", "stale"),
    **answers(200, "The dispute after it.", "ETag", "Idempotent-Replayed"),
}
Floor = Annotated[Caller, Security(dispute_caller, scopes=roles.FLOOR)]
Reading = Annotated[Caller, Security(dispute_caller, scopes=roles.READING)]
Second = Annotated[SecondPerson, Depends(second_person(*roles.APPEALS))]


# ---- reading


@router.get("/disputes", operation_id="listDisputes", response_model=FoundDisputesOut, responses=problems("bad_choice"))
async def find_disputes(
    request: Request,
    service: ServiceOf,
    caller: Annotated[Caller, Security(dependencies.caller, scopes=roles.READING)],
    asked: Annotated[DisputeFilters, Query()],
) -> Any:
    """Disputes, the newest first."""
    filters = Filters(**asked.model_dump(exclude={"limit", "cursor"}))
    after = read_cursor(asked.cursor)
    return await service.run(list_disputes, service.books, caller, filters, after, asked.limit, request.url.query)


@router.get(
    "/disputes/{dispute}",
    operation_id="getDispute",
    response_model=DisputeFileOut,
    responses=answers(200, "The file.", "ETag"),
)
async def get_dispute(service: ServiceOf, caller: Reading, dispute: DisputeId) -> Response:
    """The file of a dispute, with its round."""
    file, version = await service.run(dispute_for, service.books, caller, dispute)
    return encoded(file, {"ETag": f'"{version}"'})


@router.get(
    "/disputes/{dispute}/dossier",
    operation_id="getDossier",
    response_class=Response,
    responses=answers(200, "The dossier.", content={PDF: {"schema": {"type": "string"}}}),
)
async def get_dossier(service: ServiceOf, caller: Reading, dispute: DisputeId) -> Response:
    """The whole as a PDF."""
    body = await service.run(dossier_for, service.books, caller, dispute)
    return attached(body, PDF, f"dispute-{dispute}.pdf")


@router.post(
    "/rounds/{round}/what-if",
    operation_id="whatIf",
    response_model=WhatIfOut,
    tags=["rounds"],
    responses=problems("out_of_turn", "too_large", "unsupported_media_type"),
)
async def what_if(
    service: ServiceOf,
    caller: Annotated[Caller, Security(round_caller, scopes=roles.READING)],
    round: RoundId,
    body: WhatIfIn,
) -> Response:
    """What would have been with other facts: the lines that would differ.

    Of a settled round. Nothing is stored, and hands that were never turned over have no cards here.
    """
    with judged((body.facts or {}).values()):
        return encoded(await service.run(what_if_for, service.books, caller, round, _cards(body), _facts(body)))


def _cards(body: WhatIfIn) -> list[CardChange]:
    return [CardChange(card.of, card.number, card.card, card.hand) for card in body.cards or ()]


def _facts(body: WhatIfIn) -> dict[int, Any]:
    return {int(at): fact for at, fact in (body.facts or {}).items()}


# ---- writing


@router.post(
    "/disputes",
    operation_id="openDispute",
    response_model=DisputeOut,
    status_code=201,
    responses={
        **writes("conflict"),
        **answers(201, "The dispute.", "ETag", "Idempotent-Replayed", "Location"),
    },
)
async def open_dispute(
    service: ServiceOf,
    caller: Annotated[Caller, Security(dependencies.caller, scopes=roles.FLOOR)],
    body: DisputeIn,
    writing: Command,
) -> Response:
    """Open a dispute on a wager of a settled or voided round.

    What is stored of it is frozen by hashes, and the round is marked as disputed.
    """
    actor, amount = writing.actor, cents(body.claimed)

    def command(receipt: CommandReceipt) -> StoredDispute:
        deadline_ms = _moment_ms(body.deadline, "deadline", actor.at_ms + DAYS_TO_RULE * DAY_MS)
        claim = Claim(body.seat, body.spot, body.kind, amount, body.claim, deadline_ms, body.bettor, body.hand)
        return Disputes(service.ledger, receipt).open(body.round, claim, actor, body.dispute)

    return respond(await service.once(writing.once, command, lambda filed: _shown(filed, 201)))


@router.post("/disputes/{dispute}/statements", operation_id="giveStatement", response_model=DisputeOut, responses=AFTER)
async def give_statement(
    service: ServiceOf, caller: Floor, dispute: DisputeId, body: StatementIn, writing: Command, expected: IfMatch
) -> Response:
    """Take a statement. Whoever gives one does not rule."""
    return await _add(
        *(service, dispute, writing, expected),
        lambda file, at_ms: disputes.give_statement(file, body.who, body.part, body.text),
    )


@router.post(
    "/disputes/{dispute}/references", operation_id="referToSurveillance", response_model=DisputeOut, responses=AFTER
)
async def refer(
    service: ServiceOf, caller: Floor, dispute: DisputeId, body: ReferenceIn, writing: Command, expected: IfMatch
) -> Response:
    """Say where surveillance should look."""
    since, until = _moment_ms(body.since, "from", 0), _moment_ms(body.until, "to", 0)
    return await _add(
        *(service, dispute, writing, expected),
        lambda file, at_ms: disputes.refer(file, body.camera, since, until, body.text or ""),
    )


@router.post("/disputes/{dispute}/notes", operation_id="noteDispute", response_model=DisputeOut, responses=AFTER)
async def note(
    service: ServiceOf, caller: Floor, dispute: DisputeId, body: DisputeNoteIn, writing: Command, expected: IfMatch
) -> Response:
    """Note something."""
    return await _add(service, dispute, writing, expected, lambda file, at_ms: disputes.note(file, body.text))


@router.post("/disputes/{dispute}/deadline", operation_id="moveDeadline", response_model=DisputeOut, responses=AFTER)
async def move_deadline(
    service: ServiceOf, caller: Floor, dispute: DisputeId, body: DeadlineIn, writing: Command, expected: IfMatch
) -> Response:
    """Move the deadline."""
    deadline = _moment_ms(body.deadline, "deadline", 0)
    return await _add(
        *(service, dispute, writing, expected),
        lambda file, at_ms: disputes.move_deadline(file, deadline, body.reason, at_ms),
    )


@router.post("/disputes/{dispute}/what-ifs", operation_id="fileWhatIf", response_model=DisputeOut, responses=AFTER)
async def file_what_if(
    service: ServiceOf, caller: Floor, dispute: DisputeId, body: FiledWhatIfIn, writing: Command, expected: IfMatch
) -> Response:
    """Ask what would have been, and keep the question."""
    question = _cards(body), _facts(body), body.text or ""
    with judged((body.facts or {}).values()):
        return await _write(
            *(service, dispute, writing, expected),
            lambda file: file.ask_what_if(dispute, *question, writing.actor, expected),
        )


@router.post("/disputes/{dispute}/ruling", operation_id="ruleDispute", response_model=DisputeOut, responses=AFTER)
async def rule(
    service: ServiceOf,
    caller: Floor,
    dispute: DisputeId,
    body: RulingIn,
    writing: Command,
    expected: IfMatch,
    second: Second,
) -> Response:
    """Rule on a dispute.

    By somebody who was not involved; where money moves, with a second person who was not either.
    """
    actor = writing.actor

    def decide(file: Disputes) -> StoredDispute:
        signed = None if body.second_person is None else second.signed(body.second_person)
        until_ms = _moment_ms(body.appeal_until, "appeal_until", actor.at_ms + DAYS_TO_APPEAL * DAY_MS)
        ruling = body.outcome, body.reason, signed, _entries(body.entries)
        return file.rule(dispute, *ruling, until_ms, actor, expected)

    return await _write(service, dispute, writing, expected, decide)


@router.post("/disputes/{dispute}/appeal", operation_id="appealRuling", response_model=DisputeOut, responses=AFTER)
async def appeal(
    service: ServiceOf, caller: Floor, dispute: DisputeId, body: AppealIn, writing: Command, expected: IfMatch
) -> Response:
    """Take an appeal against the ruling."""

    def decide(file: Dispute, at_ms: int) -> DisputeEvent:
        deadline_ms = _moment_ms(body.deadline, "deadline", at_ms + DAYS_TO_RULE * DAY_MS)
        return disputes.appeal(file, body.appellant, body.grounds, deadline_ms, at_ms)

    return await _add(service, dispute, writing, expected, decide)


@router.post("/disputes/{dispute}/appeal/ruling", operation_id="ruleAppeal", response_model=DisputeOut, responses=AFTER)
async def rule_appeal(
    service: ServiceOf,
    caller: Annotated[Caller, Security(dispute_caller, scopes=roles.APPEALS)],
    dispute: DisputeId,
    body: AppealRulingIn,
    writing: Command,
    expected: IfMatch,
    second: Second,
) -> Response:
    """Rule on the appeal.

    By somebody who has not ruled before. Its entries come on top of those of the ruling.
    """

    def decide(file: Disputes) -> StoredDispute:
        signed = None if body.second_person is None else second.signed(body.second_person)
        ruling = body.outcome, body.reason, signed, _entries(body.entries)
        return file.rule_appeal(dispute, *ruling, writing.actor, expected)

    return await _write(service, dispute, writing, expected, decide)


@router.post("/disputes/{dispute}/close", operation_id="closeDispute", response_model=DisputeOut, responses=AFTER)
async def close(
    service: ServiceOf, caller: Floor, dispute: DisputeId, body: ClosingIn, writing: Command, expected: IfMatch
) -> Response:
    """Close a dispute."""
    return await _add(
        *(service, dispute, writing, expected),
        lambda file, at_ms: disputes.close(file, body.how, body.reason, at_ms),
    )


async def _add(
    service: Service,
    name: str,
    writing: Writing,
    expected: int | None,
    decide: Callable[[Dispute, int], DisputeEvent],
) -> Response:
    actor = writing.actor
    return await _write(
        *(service, name, writing, expected),
        lambda file: file.add(name, lambda dispute: decide(dispute, actor.at_ms), actor, expected),
    )


async def _write(
    service: Service, name: str, writing: Writing, expected: int | None, command: Callable[[Disputes], StoredDispute]
) -> Response:
    def guarded(receipt: CommandReceipt) -> StoredDispute:
        return change_dispute(service.ledger, name, expected, receipt, command)

    return respond(await service.once(writing.once, guarded, _shown))


def _shown(filed: StoredDispute, status: int = 200) -> Answer:
    address = f"/v1/disputes/{filed.dispute.id}" if status == 201 else None
    return Answer(status, msgspec.json.encode(dispute_document(filed, now_ms())), None, filed.version, address)


def _entries(given: Sequence[CorrectionEntry] | None) -> list[Entry]:
    return [
        Entry(entry.seat, entry.bettor, entry.spot, signed_cents(entry.amount), entry.account, entry.hand)
        for entry in given or ()
    ]


def _moment_ms(text: str | None, name: str, otherwise: int) -> int:
    return otherwise if text is None else milliseconds(read_moment(text, name))

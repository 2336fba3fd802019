"""Disputes: opened by the floor, investigated, ruled by somebody who was not involved, appealed, closed; what-ifs."""

from collections.abc import Callable
from typing import Annotated, Any

import msgspec
from fastapi import Depends, Query, Request, Response, Security

from api.http import dependencies
from api.http.answers import attached, encoded, respond
from api.http.dependencies import Command, IfMatch, SecondSigner, SignedCommand, dispute_caller
from api.http.problems import answers, problems, stored
from api.http.resource import resource
from api.http.routers.rounds import entries
from api.http.schemas import disputes as schemas
from api.http.schemas.rounds import facts_of
from api.service import roles
from api.service.admission import DisputeId, RoundId, SecondPerson, ServiceOf
from api.service.idempotency import Answer
from domain.disputes import disputes
from domain.disputes.disputes import DAYS_TO_APPEAL, DAYS_TO_RULE, Claim, Dispute, DisputeEvent
from domain.disputes.whatif import CardChange
from domain.moments import DAY_MS, milliseconds, read_moment
from domain.money import cents
from domain.round.corrections import Entry
from infra.access.callers import Caller
from infra.ledger.disputes.dispute_changes import change_dispute
from infra.ledger.disputes.dispute_document import dispute_document
from infra.ledger.disputes.disputes import Disputes, StoredDispute
from infra.ledger.ledger import CommandReceipt
from projections.reports.report import Filters
from projections.views import dispute_views
from projections.views.paging import read_cursor

router = resource("disputes")
PDF = "application/pdf"
AFTER = stored("The dispute after it.", "conflict", "stale", headers=("ETag",))
OPENED = stored("The dispute.", "conflict", status=201, headers=("ETag", "Location"))
Reading = Annotated[Caller, Security(dispute_caller, scopes=roles.READING)]
Second = Annotated[SecondPerson, Depends(SecondSigner(*roles.APPEALS))]


# ---- reading


@router.get("/disputes", response_model=schemas.FoundDisputesOut, responses=problems("bad_choice"))
async def list_disputes(
    request: Request,
    service: ServiceOf,
    caller: Annotated[Caller, Security(dependencies.caller, scopes=roles.READING)],
    asked: Annotated[schemas.DisputeFilters, Query()],
) -> Any:
    """Disputes, newest first."""
    filters = Filters(**asked.model_dump(exclude={"limit", "cursor"}))
    page = read_cursor(asked.cursor), asked.limit
    return await service.run(dispute_views.list_disputes, service.read_side, caller, filters, *page, request.url.query)


@router.get("/accounts", response_model=schemas.AccountsOut)
async def list_accounts(
    service: ServiceOf, caller: Annotated[Caller, Security(dependencies.plain_caller, scopes=roles.READING)]
) -> Any:
    """The accounts that a ruling can be paid from."""
    return {"accounts": await service.run(dispute_views.accounts_for, service.read_side)}


@router.get("/disputes/{dispute}", response_model=schemas.DisputeFileOut, responses=answers(200, "The file.", "ETag"))
async def get_dispute(service: ServiceOf, caller: Reading, dispute: DisputeId) -> Response:
    """The file of a dispute, with its round."""
    file, version = await service.run(dispute_views.dispute_for, service.read_side, caller, dispute)
    return encoded(file, {"ETag": f'"{version}"'})


@router.get(
    "/disputes/{dispute}/dossier",
    response_class=Response,
    responses=answers(200, "The dossier.", content={PDF: {"schema": {"type": "string"}}}),
)
async def get_dossier(service: ServiceOf, caller: Reading, dispute: DisputeId) -> Response:
    """The whole as a PDF."""
    body = await service.run(dispute_views.dossier_for, service.read_side, caller, dispute)
    return attached(body, PDF, f"dispute-{dispute}.pdf")


@router.post(
    "/rounds/{round}/what-if",
    response_model=schemas.WhatIfOut,
    tags=["rounds"],
    responses=problems("out_of_turn", "too_large", "unsupported_media_type"),
)
async def what_if(
    service: ServiceOf,
    caller: Annotated[Caller, Security(dependencies.round_caller, scopes=roles.READING)],
    round: RoundId,
    body: schemas.WhatIfIn,
) -> Response:
    """What would have happened with other facts: the lines that would differ.

    For a settled round. Nothing is stored, and hands that were never turned over have no cards here."""
    return encoded(await service.run(dispute_views.what_if_for, service.read_side, caller, round, *_supposed(body)))


def _supposed(body: schemas.WhatIfIn) -> tuple[list[CardChange], dict[int, Any]]:
    cards = [CardChange(card.of, card.number, card.card, card.hand) for card in body.cards or ()]
    return cards, facts_of(body.facts)


# ---- writing


@router.post("/disputes", response_model=schemas.DisputeOut, status_code=201, responses=OPENED)
async def open_dispute(
    service: ServiceOf,
    caller: Annotated[Caller, Security(dependencies.caller, scopes=roles.FLOOR)],
    body: schemas.DisputeIn,
    writing: Command,
) -> Response:
    """Open a dispute on a wager of a settled or voided round.

    What is stored of it is frozen by hashes, and the round is marked as disputed.
    """
    actor = writing.actor

    def command(receipt: CommandReceipt) -> StoredDispute:
        deadline = _moment_ms(body.deadline, "deadline", actor.at_ms + DAYS_TO_RULE * DAY_MS)
        about = body.kind, cents(body.claimed), body.claim, deadline, body.bettor, body.hand
        return Disputes(service.ledger, receipt).open(
            body.round, Claim(body.seat, body.spot, *about), actor, body.dispute
        )

    return respond(await writing.store(command, lambda filed: _shown(filed, 201)))


class DisputeChange:
    """An addition to the file of a dispute; answered with the dispute after it."""

    def __init__(
        self,
        caller: Annotated[Caller, Security(dispute_caller)],
        dispute: DisputeId,
        writing: Command,
        expected: IfMatch = None,
    ) -> None:
        self._writing = writing
        self.dispute, self.actor, self.expected = dispute, writing.actor, expected

    async def store(self, command: Callable[[Disputes], StoredDispute]) -> Response:
        def changed(receipt: CommandReceipt) -> StoredDispute:
            return change_dispute(self._writing.service.ledger, self.dispute, self.expected, receipt, command)

        return respond(await self._writing.store(changed, _shown))

    async def add(self, decide: Callable[[Dispute], DisputeEvent]) -> Response:
        return await self.store(lambda file: file.add(self.dispute, decide, self.actor, self.expected))


FloorAdds = Annotated[DisputeChange, Security(DisputeChange, scopes=roles.FLOOR)]


@router.post("/disputes/{dispute}/statements", response_model=schemas.DisputeOut, responses=AFTER)
async def give_statement(change: FloorAdds, body: schemas.StatementIn) -> Response:
    """Record a statement. A person who gives one cannot rule."""
    return await change.add(lambda file: disputes.give_statement(file, body.who, body.part, body.text))


@router.post("/disputes/{dispute}/references", response_model=schemas.DisputeOut, responses=AFTER)
async def refer_to_surveillance(change: FloorAdds, body: schemas.ReferenceIn) -> Response:
    """Say where surveillance should look."""
    moments = _moment_ms(body.since, "from"), _moment_ms(body.until, "to")
    return await change.add(lambda file: disputes.refer(file, body.camera, *moments, body.text or ""))


@router.post("/disputes/{dispute}/notes", response_model=schemas.DisputeOut, responses=AFTER)
async def note_dispute(change: FloorAdds, body: schemas.DisputeNoteIn) -> Response:
    """Note something."""
    return await change.add(lambda file: disputes.note(file, body.text))


@router.post("/disputes/{dispute}/deadline", response_model=schemas.DisputeOut, responses=AFTER)
async def move_deadline(change: FloorAdds, body: schemas.DeadlineIn) -> Response:
    """Move the deadline."""
    deadline = _moment_ms(body.deadline, "deadline")
    return await change.add(lambda file: disputes.move_deadline(file, deadline, body.reason, change.actor.at_ms))


@router.post("/disputes/{dispute}/what-ifs", response_model=schemas.DisputeOut, responses=AFTER)
async def file_what_if(change: FloorAdds, body: schemas.FiledWhatIfIn) -> Response:
    """Ask what would have happened, and keep the question."""
    question = *_supposed(body), body.text or ""
    return await change.store(lambda file: file.ask_what_if(change.dispute, *question, change.actor, change.expected))


@router.post("/disputes/{dispute}/ruling", response_model=schemas.DisputeOut, responses=AFTER)
async def rule_dispute(change: FloorAdds, body: schemas.RulingIn, second: Second, _: SignedCommand) -> Response:
    """Rule on a dispute.

    By somebody who was not involved; if money moves, with a second person who was not either."""

    def ruled(file: Disputes) -> StoredDispute:
        ruling = _ruling(body, second)
        until = _moment_ms(body.appeal_until, "appeal_until", change.actor.at_ms + DAYS_TO_APPEAL * DAY_MS)
        return file.rule(change.dispute, *ruling, until, change.actor, change.expected, body.new_account)

    return await change.store(ruled)


@router.post("/disputes/{dispute}/appeal", response_model=schemas.DisputeOut, responses=AFTER)
async def appeal_ruling(change: FloorAdds, body: schemas.AppealIn) -> Response:
    """Take an appeal against the ruling."""
    now_ms = change.actor.at_ms

    def appealed(file: Dispute) -> DisputeEvent:
        deadline = _moment_ms(body.deadline, "deadline", now_ms + DAYS_TO_RULE * DAY_MS)
        return disputes.appeal(file, body.appellant, body.grounds, deadline, now_ms)

    return await change.add(appealed)


@router.post("/disputes/{dispute}/appeal/ruling", response_model=schemas.DisputeOut, responses=AFTER)
async def rule_appeal(
    change: Annotated[DisputeChange, Security(DisputeChange, scopes=roles.APPEALS)],
    body: schemas.AppealRulingIn,
    second: Second,
    _: SignedCommand,
) -> Response:
    """Rule on the appeal.

    By somebody who has not ruled before. Its entries are added to those of the ruling."""
    return await change.store(
        lambda file: file.rule_appeal(
            change.dispute, *_ruling(body, second), change.actor, change.expected, body.new_account
        )
    )


@router.post("/disputes/{dispute}/close", response_model=schemas.DisputeOut, responses=AFTER)
async def close_dispute(change: FloorAdds, body: schemas.ClosingIn) -> Response:
    """Close a dispute."""
    return await change.add(lambda file: disputes.close(file, body.how, body.reason, change.actor.at_ms))


def _ruling(
    body: schemas.AppealRulingIn, second: SecondPerson
) -> tuple[disputes.Outcome, str, str | None, list[Entry]]:
    signed = None if body.second_person is None else second.signed(body.second_person)
    return body.outcome, body.reason, signed, entries(body.entries or [])


def _shown(filed: StoredDispute, status: int = 200) -> Answer:
    address = f"/v1/disputes/{filed.dispute.id}" if status == 201 else None
    document = dispute_document(filed, dispute_views.now_ms())
    return Answer(status, msgspec.json.encode(document), None, filed.version, address)


def _moment_ms(text: str | None, name: str, otherwise: int = 0) -> int:
    return otherwise if text is None else milliseconds(read_moment(text, name))

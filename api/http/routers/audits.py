"""Audits: starting and watching one, and reading its findings, each of which leads to its round."""

from typing import Annotated, Any

from fastapi import Query, Response, Security

from api.http import dependencies
from api.http.problems import answers, problems
from api.http.resource import resource
from api.http.schemas import audits as schemas
from api.service import roles
from api.service.admission import ServiceOf, path_id
from domain.moments import milliseconds, read_moment
from domain.rules.rulebook import RuleBook
from infra.access.callers import Caller
from projections.audit.scope import Scope
from projections.views.audit_views import audit_shown, existing_audit, findings_of, latest_audits, notes_of
from projections.views.read_side import BadQuestion

router = resource("audits")
AuditId = Annotated[str, path_id("a-0123456789abcdef", "The audit's id.")]
Reading = Annotated[Caller, Security(dependencies.caller, scopes=roles.BOOKS)]
Limit = Annotated[int, Query(ge=1, le=1000, description="At most this many.")]
After = Annotated[int, Query(ge=0, le=10**11, description="Only those with a higher number.")]


@router.post(
    "/audits",
    response_model=schemas.AuditOut,
    status_code=202,
    responses={
        **problems("conflict", "bad_choice", "too_large", "unsupported_media_type"),
        **answers(202, "It runs in the background.", "Location"),
    },
)
async def start_audit(
    response: Response,
    service: ServiceOf,
    caller: Annotated[Caller, Security(dependencies.caller, scopes=roles.AUDITING)],
    body: schemas.AuditIn,
) -> Any:
    """Start an audit.

    It decides stored rounds again and checks tables, boxes, meters, reports and the log against the events. With
    filters, only the selected rounds. One audit runs at a time; it ends with the service that started it."""
    without = sorted(set(body.without or ()))
    asked = {**body.model_dump(by_alias=True, exclude={"without"}), "without": without}
    started = await service.run(
        service.auditing.start, caller.by, _scope(body, await service.run(service.ledger.rulebook.book)), without, asked
    )
    response.headers["Location"] = f"/v1/audits/{started.audit_id}"
    return audit_shown(started)


def _scope(body: schemas.AuditIn, book: RuleBook) -> Scope:
    since, until = (
        None if text is None else milliseconds(read_moment(text, name))
        for text, name in ((body.since, "from"), (body.until, "to"))
    )
    if since is not None and until is not None and since >= until:
        raise BadQuestion("`from` is before `to`.")
    if body.ruleset is not None and body.ruleset not in book.ids():
        raise BadQuestion(f"There is no rule set {body.ruleset}.")
    return Scope(since, until, body.table, body.ruleset, body.bettor, body.round)


@router.get("/audits", response_model=schemas.AuditsOut)
async def list_audits(service: ServiceOf, caller: Reading, limit: Limit = 100) -> Any:
    """Audits, latest first."""
    return {"audits": await service.run(latest_audits, service.auditing.audits, limit)}


@router.get("/audits/{audit}", response_model=schemas.AuditOut)
async def get_audit(service: ServiceOf, caller: Reading, audit: AuditId) -> Any:
    """An audit: its progress, and its summary once it is done.

    `state` is running, done, failed, stopped (with the service) or abandoned (its process was killed).
    """
    return audit_shown(await service.run(existing_audit, service.auditing.audits, audit))


@router.get("/audits/{audit}/findings", response_model=schemas.FindingsOut)
async def get_audit_findings(
    service: ServiceOf, caller: Reading, audit: AuditId, after: After = 0, limit: Limit = 100
) -> Any:
    """What an audit has found so far, in order.

    Each leads to its round, and to the event by `position`. `next` is the `after` of the next page.
    """
    return await service.run(findings_of, service.auditing.audits, audit, after, limit)


@router.get("/audits/{audit}/notes", response_model=schemas.AuditNotesOut)
async def get_audit_notes(
    service: ServiceOf, caller: Reading, audit: AuditId, after: After = 0, limit: Limit = 100
) -> Any:
    """Notes of an audit so far, in order.

    A note is not a fault of the ledger: a sentence that is worded differently today, or a check that is newer than the
    round. `next` is the `after` of the next page."""
    return await service.run(notes_of, service.auditing.audits, audit, after, limit)

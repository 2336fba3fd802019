"""Audits: starting and watching one, findings that lead to hands; and how far log and reports are behind the events."""

from base64 import b64encode
from typing import Annotated, Any, get_args

from fastapi import Form, Query, Request, Response, Security
from pydantic import Field

from api.pages.dependencies import caller
from api.pages.forms import FormModel, LocalMoment, PageQuery, on_the_clock, texts
from api.pages.page_route import page_router
from api.pages.responses import go, render
from api.service import roles
from api.service.admission import ServiceOf, path_id
from api.service.fields import Id, RulesetName
from api.service.problems import Problem
from api.service.state import Service
from domain.audit.findings import KINDS
from domain.moments import milliseconds
from domain.rules.description.contents import titles
from infra.access.callers import Caller
from infra.ledger.audit_runs import AuditRuns
from infra.log.stored_log import LogReader
from infra.store.database import Database
from projections.audit.scope import Check, Scope
from projections.views.audit_views import audit_shown, existing_audit, findings_of, latest_audits, notes_of

router = page_router()
PATH = "/audit"
SECTION = "audit"
Reading = Annotated[Caller, Security(caller, scopes=roles.BOOKS)]
AUDITS_SHOWN = 20
FINDINGS_SHOWN = 100
CHECKS: dict[str, str] = {
    "floor": "tables, boxes and meters",
    "projections": "reports against events",
    "log": "the hash log",
    "trail": "the trail and the schema",
}
assert tuple(CHECKS) == get_args(Check)


@router.get(PATH)
async def show_audits(request: Request, service: ServiceOf, caller: Reading) -> Response:
    audits, behind, log = await service.run(_audits, service)
    data = {
        "audits": audits,
        "running": any(audit["state"] == "running" for audit in audits),
        "behind": behind,
        "log": log,
        "may_start": caller.may(roles.AUDITING),
        "choices": {
            "rulesets": titles(await service.run(service.ledger.rulebook.book)),
            "checks": list(CHECKS.items()),
        },
    }
    return await render(request, "audit.html", data, title="Audit", section=SECTION)


def _audits(service: Service) -> tuple[list[dict[str, Any]], int, dict[str, Any] | None]:
    audits = latest_audits(service.auditing.audits, AUDITS_SHOWN)
    return audits, service.projecting.events_behind(), _log(service.read_side.database)


def _log(database: Database) -> dict[str, Any] | None:
    """Return the latest checkpoint and its key; None before anything was sealed."""
    log = LogReader(database)
    latest, keys = log.latest(), log.keys()
    if latest is None or not keys:
        return None
    checkpoint = latest.parsed()
    return {
        "origin": checkpoint.origin,
        "size": checkpoint.size,
        "root": b64encode(checkpoint.root).decode(),
        "sealed_at": latest.sealed_at.isoformat(timespec="seconds"),
        "note": latest.note,
        "key": keys[-1].text(),
    }


# ---- starting one


class AuditForm(FormModel):
    since: LocalMoment | None = Field(None, alias="from")
    until: LocalMoment | None = Field(None, alias="to")
    table: Id | None = None
    ruleset: RulesetName | None = None
    bettor: Id | None = None
    round: Id | None = None
    checks: tuple[Check, ...] = ()

    def scope(self) -> Scope:
        since, until = (None if at is None else milliseconds(at) for at in (self.since, self.until))
        if since is not None and until is not None and since >= until:
            raise Problem("bad_choice", "`from` is before `to`.")
        return Scope(since, until, self.table, self.ruleset, self.bettor, self.round)


ASKED = tuple(field.alias or name for name, field in AuditForm.model_fields.items() if name != "checks")


@router.post(PATH)
async def start_audit(
    request: Request,
    service: ServiceOf,
    caller: Annotated[Caller, Security(caller, scopes=roles.AUDITING)],
    form: Annotated[AuditForm, Form()],
) -> Response:
    form = await on_the_clock(service, form)
    without = sorted(CHECKS.keys() - set(form.checks))
    asked = {**dict.fromkeys(ASKED), **texts(form, "checks"), "without": without}
    started = await service.run(service.auditing.start, caller.by, form.scope(), without, asked)
    return go(request, f"{PATH}/{started.audit_id}")


# ---- one of them


class FindingsQuery(PageQuery):
    after: Annotated[int, Field(ge=0, le=10**11)] = 0


@router.get(f"{PATH}/{{audit}}")
async def show_audit(
    request: Request,
    service: ServiceOf,
    caller: Reading,
    audit: Annotated[str, path_id("a-0123456789abcdef", "The audit's id.")],
    asked: Annotated[FindingsQuery, Query()],
) -> Response:
    shown, found, notes = await service.run(_audit, service.auditing.audits, audit, asked.after)
    summary = shown["summary"] or {}
    data = {
        "audit": shown,
        "findings": found["findings"],
        "next": found["next"],
        "first": asked.after == 0,
        "notes": notes,
        "kinds": {kind: KINDS[kind] for by in ("by_kind", "notes_by_kind") for kind in summary.get(by, ())},
    }
    title = f"Audit of {service.clock.local(shown['started_at']):%d %b %Y}"
    return await render(request, "one_audit.html", data, title=title, section=SECTION, crumbs=(("Audit", PATH),))


def _audit(audits: AuditRuns, audit_id: str, after: int) -> tuple[dict[str, Any], dict[str, Any], list[dict[str, Any]]]:
    shown = audit_shown(existing_audit(audits, audit_id))
    found = findings_of(audits, audit_id, after, FINDINGS_SHOWN)
    return shown, found, notes_of(audits, audit_id, 0, FINDINGS_SHOWN)["notes"]

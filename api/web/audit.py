"""Audits: one is started and watched, its findings lead to hands; and how far log and reports are behind the events."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

from starlette.responses import Response

from api.web.hands import searched
from api.web.page import Page, View
from api.web.visit import Visit
from domain import rulesets
from domain.findings import KINDS
from infra.tlog.reading import LogReader

SEEING = frozenset({"auditor", "accounting"})
CRUMBS = (("Audit", "/audit"),)
AUDITS_SHOWN = 20
FINDINGS_SHOWN = 100
FILTERS = ("from", "to", "table", "ruleset", "bettor", "round")
CHECKS = {
    "floor": "tables, boxes and meters",
    "projections": "reports against events",
    "log": "the hash log",
    "trail": "the trail and the schema",
}


async def show(visit: Visit) -> View:
    audits = (await visit.ask("listAudits", query={"limit": str(AUDITS_SHOWN)}))["audits"]
    data = {
        "audits": audits,
        "running": any(audit["state"] == "running" for audit in audits),
        "behind": await visit.in_thread(visit.service.projecting.events_behind),
        "log": await visit.in_thread(_log, visit),
        "may_start": visit.may("startAudit"),
        "choices": {
            "rulesets": [(id_, rulesets.load(id_).title) for id_ in rulesets.ids()],
            "checks": list(CHECKS.items()),
        },
    }
    return View(data)


def _log(visit: Visit) -> dict[str, Any] | None:
    """The latest checkpoint and the key that signs them; none before anything was sealed."""
    log = LogReader(visit.service.ledger.events.recorder.database)
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


async def start(visit: Visit) -> Response:
    asked = {name: value for name in FILTERS if (value := visit.field(name))}
    body: dict[str, Any] = dict(searched(visit, asked))
    done = {str(check) for check in visit.form.getlist("checks")}
    if left_out := sorted(CHECKS.keys() - done):
        body["without"] = left_out
    audit = await visit.ask("startAudit", body=body)
    return visit.go(f"/audit/{audit['audit']}")


async def show_one(visit: Visit) -> View:
    path = {"audit": visit.id("audit")}
    audit = await visit.ask("getAudit", path)
    query = {"limit": str(FINDINGS_SHOWN), "after": visit.query("after")}
    found = await visit.ask("getAuditFindings", path, query=query)
    noted = await visit.ask("getAuditNotes", path, query={"limit": str(FINDINGS_SHOWN)})
    summary = audit["summary"] or {}
    data = {
        "audit": audit,
        "findings": found["findings"],
        "next": found["next"],
        "first": visit.query("after") is None,
        "notes": noted["notes"],
        "kinds": {kind: KINDS[kind] for by in ("by_kind", "notes_by_kind") for kind in summary.get(by, ())},
    }
    began = visit.service.site.clock.local(audit["started_at"])
    return View(data, title=f"Audit of {began:%d %b %Y}", crumbs=CRUMBS)


PAGES = (
    Page("/audit", "audit", "Audit", "audit.html", show, SEEING, nav="Audit", submit=start),
    Page("/audit/{audit}", "one audit", "Audit", "one_audit.html", show_one, SEEING, section="audit"),
)

"""Checks the database around the events: the trail against its digests, and the schema against the migrations."""

from __future__ import annotations

from collections.abc import Iterator

from domain.audit.findings import Finding
from infra.access.review.violations import Violation, violations
from infra.schema.catalogue import CatalogueAudit
from infra.store.database import Database
from infra.trail.trail_audit import TrailAudit

# Logins of recorded sessions with more rights than the service needs.
POWERFUL_LOGINS = (
    "SELECT DISTINCT login::text FROM roundledger.seal_sessions JOIN pg_roles r ON r.rolname = login, pg_namespace "
    "WHERE nspname = 'roundledger' AND (rolsuper OR pg_has_role(r.oid, nspowner, 'MEMBER')) ORDER BY 1"
)


class DatabaseCheck:
    def __init__(self, database_url: str) -> None:
        self._database_url = database_url
        self._trail = TrailAudit()
        self._catalogue = CatalogueAudit()
        self._powerful_logins: list[str] = []

    def findings(self) -> Iterator[Finding]:
        yield from self._trail.findings(self._database_url)
        database = Database(self._database_url, connections_at_most=1)
        try:
            yield from self._catalogue.findings(database)
            yield from map(_note, violations(database))
            self._powerful_logins = [login for (login,) in database.rows(POWERFUL_LOGINS)]
        finally:
            database.close()

    def text(self) -> str:
        trail, catalogue = self._trail, self._catalogue
        parts = [f"{trail.rows:,} rows of the trail compared with {trail.digests:,} digests"]
        if trail.removed:
            parts.append(f"{trail.removed:,} rows have been removed by housekeeping, as recorded")
        if not trail.digests:
            parts = ["no digest of the trail has been taken yet"]
        parts.append(f"{catalogue.objects:,} parts of the schema against the migrations")
        if trail.moved:
            parts.append("the database is a copy, so whether triggers were off for a while cannot be known")
        if not catalogue.with_rights:
            parts.append("rights are not separated here, as roles are missing")
        if self._powerful_logins:
            logins = " and ".join(self._powerful_logins)
            parts.append(f"programs of the ledger have logged in as {logins}, which could change the record")
        return "; ".join(parts)


def _note(violation: Violation) -> Finding:
    """Return a note, not a finding: the role that was held first is the one with effect."""
    what = f"{violation.what} {violation.remedy}"
    return Finding("roles", what, stream=f"staff/{violation.holder}", severity="note")

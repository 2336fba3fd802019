"""The database around the events in an audit: the trail against its digests, and the schema against the migrations."""

from __future__ import annotations

from collections.abc import Iterator

from domain.findings import Finding
from infra.catalogue import CatalogueAudit
from infra.database import Database
from infra.trail_audit import TrailAudit


class DatabaseAudit:
    def __init__(self, database_url: str) -> None:
        self._database_url = database_url
        self._trail = TrailAudit()
        self._catalogue = CatalogueAudit()

    def findings(self) -> Iterator[Finding]:
        yield from self._trail.findings(self._database_url)
        database = Database(self._database_url, connections_at_most=1)
        try:
            yield from self._catalogue.findings(database)
        finally:
            database.close()

    def told(self) -> str:
        trail, catalogue = self._trail, self._catalogue
        said = [f"{trail.rows:,} rows of the trail held against {trail.digests:,} digests"]
        if not trail.digests:
            said = ["no digest of the trail has been taken yet"]
        said.append(f"{catalogue.objects:,} parts of the schema against the migrations")
        if trail.moved:
            said.append("the database is a copy, so whether triggers were off for a while cannot be told")
        if not catalogue.with_rights:
            said.append("rights are not separated here, as roles are missing")
        return "; ".join(said)

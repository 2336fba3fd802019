"""Metrics of the database for monitoring."""

from __future__ import annotations

from typing import NamedTuple

from infra.store.database import Cursor

# An attempt is recorded before it is checked, and once more if it was right.
METRICS = """
SELECT pg_database_size(current_database()),
    (SELECT greatest(count(*) FILTER (WHERE NOT accepted) - count(*) FILTER (WHERE accepted), 0)
        FROM roundledger.sign_ins WHERE tried_at > now() - interval '15 minutes'),
    coalesce(audit.findings, 0), coalesce(extract(epoch FROM audit.ended_at)::float8, 0)
FROM (SELECT) AS one LEFT JOIN LATERAL (
    SELECT findings, ended_at FROM roundledger.audits WHERE state = 'done' ORDER BY number DESC LIMIT 1
) AS audit ON true
"""


class Metrics(NamedTuple):
    database_bytes: int
    failed_sign_ins: int
    audit_findings: int
    last_audit_timestamp_seconds: float


def metrics_of(cursor: Cursor) -> Metrics:
    row = cursor.execute(METRICS).fetchone()
    assert row is not None
    return Metrics(*row)

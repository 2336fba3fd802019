"""What is answered while the database is away, may only be read, or has another clock."""

from __future__ import annotations

import psycopg
from eventsourcing.persistence import InterfaceError, InternalError, OperationalError, ProgrammingError

from api.service.problems import Problem
from infra.clocks import ClocksDiffer

# Integrity and data errors are not among them: those are about what was to be stored.
DATABASE_FAILS = (
    OperationalError,
    InterfaceError,
    InternalError,
    ProgrammingError,
    psycopg.OperationalError,
    psycopg.InternalError,
)


def unavailable(error: Exception) -> Problem:
    detail = "The database did not answer. Ask again, under the same Idempotency-Key."
    if isinstance(error, ClocksDiffer):
        detail = str(error)
    elif isinstance(error, InternalError | ProgrammingError | psycopg.InternalError):
        detail = "The database does not store anything now. Nothing was stored; an administrator has to look at it."
    return Problem("unavailable", detail, headers={"Retry-After": "1"})

"""How long each kind of data outside the event store is kept."""

from __future__ import annotations

from msgspec import Struct

# Minimum in days; the database refuses less (1011_housekeeping.sql).
LEAST_DAYS = {"receipts": 30, "looks": 365, "sign_ins": 90, "sessions": 90, "audits": 365, "checkpoints": 31}
# The tables of each kind that digests of the trail cover, in the order of removal.
COVERED = {
    "looks": ("roundledger.reads",),
    "sign_ins": ("roundledger.sign_ins",),
    "sessions": ("roundledger.session_changes",),
    "audits": ("roundledger.audit_findings", "roundledger.audit_notes", "roundledger.audits"),
    "checkpoints": ("roundledger.log_checkpoints",),  # only the notes are removed
}


class Retention(Struct, frozen=True):
    """In days. Checkpoints are kept densely for so long, and one per hour before that."""

    receipts: int = 90
    looks: int = 2557
    sign_ins: int = 730
    sessions: int = 730
    audits: int = 2557
    checkpoints: int = 31

    def days(self, kind: str) -> int:
        days: int = getattr(self, kind)
        return days

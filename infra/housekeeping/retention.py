"""For how long each kind of thing beside the record is kept."""

from __future__ import annotations

from msgspec import Struct

# In days, at least; the database refuses less (1011_housekeeping.sql).
LEAST_DAYS = {"receipts": 30, "looks": 365, "sign_ins": 90, "sessions": 90, "audits": 365, "checkpoints": 31}
# The tables of each kind that digests of the trail cover, in the order in which they are emptied.
COVERED = {
    "looks": ("roundledger.reads",),
    "sign_ins": ("roundledger.sign_ins",),
    "sessions": ("roundledger.session_changes",),
    "audits": ("roundledger.audit_findings", "roundledger.audit_notes", "roundledger.audits"),
    "checkpoints": ("roundledger.log_checkpoints",),  # of which only the notes go
}


class Retention(Struct, frozen=True):
    """In days. Checkpoints are dense for so long, and one an hour before that."""

    receipts: int = 90
    looks: int = 2557
    sign_ins: int = 730
    sessions: int = 730
    audits: int = 2557
    checkpoints: int = 31

    def days(self, kind: str) -> int:
        days: int = getattr(self, kind)
        return days

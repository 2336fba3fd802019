"""Legal holds: whatever belongs to a held round or dispute is kept until the hold is lifted."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, NamedTuple

from domain.errors import BadChoice, Conflict
from infra.ledger.application import LedgerApplication
from infra.store.streams import stream_id

Kind = Literal["round", "dispute"]
LONGEST_REASON = 500
COLUMNS = "number, kind, subject, held, since, reason, set_by, set_at"


class Hold(NamedTuple):
    number: int
    kind: Kind
    subject: str
    held: bool
    since: datetime
    reason: str
    set_by: str
    set_at: datetime


def hold_shown(hold: Hold) -> dict[str, Any]:
    times = {"since": hold.since, "set_at": hold.set_at}
    return {**hold._asdict(), **{name: at.isoformat(timespec="seconds") for name, at in times.items()}}


class UnknownSubject(LookupError):
    """The round or dispute does not exist."""


class Holds:
    def __init__(self, ledger: LedgerApplication) -> None:
        self._ledger = ledger
        self._database = ledger.database

    def place(self, kind: Kind, subject: str, reason: str, by: str) -> list[Hold]:
        """Place a hold. One on a dispute is placed on its round as well; each is lifted separately."""
        entries = self._ledger.events.load(stream_id(kind, subject), lte=1)
        if not entries:
            raise UnknownSubject(f"There is no {kind} {subject}.")
        placed = []
        if self.find(kind, subject) is None:
            placed.append(self._add(kind, subject, True, reason, by))
        if kind == "dispute":
            round_id = entries[0].event.round
            if self.find("round", round_id) is None:
                placed.append(self._add("round", round_id, True, f"Dispute {subject}: {reason}"[:LONGEST_REASON], by))
        if not placed:
            raise Conflict(f"There is already a hold on {kind} {subject}.")
        return placed

    def lift(self, kind: Kind, subject: str, reason: str, by: str) -> Hold:
        if self.find(kind, subject) is None:
            raise Conflict(f"There is no hold on {kind} {subject}.")
        return self._add(kind, subject, False, reason, by)

    def in_force(self) -> list[Hold]:
        return [
            Hold(*row)
            for row in self._database.rows(f"SELECT {COLUMNS} FROM roundledger.holds_in_force ORDER BY number")
        ]

    def history(self) -> list[Hold]:
        return [Hold(*row) for row in self._database.rows(f"SELECT {COLUMNS} FROM roundledger.holds ORDER BY number")]

    def find(self, kind: Kind, subject: str) -> Hold | None:
        return next((hold for hold in self.in_force() if (hold.kind, hold.subject) == (kind, subject)), None)

    def check_name_may_go(self, bettor: str) -> None:
        """Refuse to erase or replace the name of somebody who took part in a round under a hold: it belongs to it."""
        for hold in self.in_force():
            if hold.kind == "round" and bettor in self._bettors(hold.subject):
                raise Conflict(
                    f"{bettor} took part in round {hold.subject}, which is under a legal hold: the name stays."
                )

    def _bettors(self, round_id: str) -> set[Any]:
        events = [entry.event for entry in self._ledger.events.load(stream_id("round", round_id))]
        return {getattr(event, name, None) for event in events for name in ("bettor", "bank_bettor")}

    def _add(self, kind: Kind, subject: str, held: bool, reason: str, by: str) -> Hold:
        reason = reason.strip()
        if not reason or not reason.isprintable() or len(reason) > LONGEST_REASON:
            raise BadChoice(f"A hold has a reason: one line of at most {LONGEST_REASON} characters.")
        rows = self._database.write(
            "INSERT INTO roundledger.holds (kind, subject, held, since, reason, set_by) "
            "SELECT %s, %s, %s, e.recorded_at, %s, %s FROM roundledger.events e "
            "JOIN roundledger.originators USING (originator) WHERE originator_id = %s AND originator_version = 1 "
            f"RETURNING {COLUMNS}",
            [kind, subject, held, reason, by, stream_id(kind, subject)],
        )
        return Hold(*rows[0])

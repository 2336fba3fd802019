"""Findings of an audit: one named difference each, with a sentence for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct, to_builtins
from msgspec.structs import replace

# Headings for people, by kind of finding.
KINDS: Mapping[str, str] = {
    "opening": "A round that did not open as its rule set requires",
    "rules": "A rule set that is missing, or whose text is not the one that was adopted",
    "refused": "Something that the rules of the day do not allow",
    "exposure": "The action or the liability at close of bets",
    "fee": "A collection fee",
    "button": "The action button",
    "line": "A settlement line",
    "line_missing": "A settlement line that is missing",
    "line_extra": "A settlement line that nothing accounts for",
    "line_order": "Settlement lines in the wrong order",
    "wording": "Settlement sentences that this version of the program words differently",
    "total": "The totals that the bank paid and collected",
    "meter": "A progressive meter",
    "card": "A card dealt more often than the decks have it",
    "seal": "Cards that are not those that were sealed",
    "correction": "A correction",
    "waiver": "A waived fee",
    "note": "A note of the floor",
    "payment": "A payment that the dealer reported",
    "rotation": "Who banked or bet, or who was offered the bank",
    "proposition": "A proposition player who banked without a registration",
    "pay_table": "A second pay table on a gaming day that has one",
    "posting": "Terms that were not posted, chosen or designated for the table",
    "fact": "A fact about a round that does not fit it, or that is missing",
    "session": "A table's session",
    "box": "A drop box",
    "drop": "A fee and the box that it went into",
    "begun": "A round and the table that it was played at",
    "dispute": "A dispute",
    "closing": "A closed day or month",
    "slip": "A slip, its number or its signatures",
    "event_missing": "An event that is missing",
    "event_extra": "An event that nothing accounts for",
    "event_order": "Events that were not stored in their order",
    "event_unreadable": "An event that cannot be read",
    "time": "A time that an event cannot have",
    "journal": "An entry of the journal without its counterpart",
    "projection": "A row of a report that is not what the events make of it",
    "row_changed": "An event that is not as it was sealed",
    "row_deleted": "Events that were sealed and are gone",
    "row_inserted": "An event that was inserted among sealed ones",
    "rows_exchanged": "Events that were exchanged",
    "hash_changed": "A hash of the log that was changed",
    "history_rewritten": "Events and hashes that do not fit what was signed",
    "tree_damaged": "Hashes of the log that are missing or wrong",
    "checkpoint_missing": "The missing checkpoint of the log's last events",
    "checkpoint_unreadable": "A checkpoint that cannot be read",
    "signature_broken": "A checkpoint that the log's key has not signed",
    "tree_shorter": "A log that is shorter than a checkpoint says",
    "fork": "A history other than that of a checkpoint kept outside",
    "archive": "An archive",
    "trail": "A row of the trail that is not as it was recorded",
    "trigger": "A trigger that guards the record and is not as it should be, or was not for a while",
    "roles": "Roles that must not be combined",
    "grant": "A right in the database that is not as the migrations give it",
    "schema": "A part of the schema that is not as the migrations make it",
}

Severity = Literal["finding", "note"]


class Finding(Struct, frozen=True, omit_defaults=True):
    """`expected` is what the events lead to, `found` what is stored; amounts as text with two decimals.

    If `severity` is "note", it is worth knowing and not a fault of the ledger: it never fails an audit."""

    kind: str
    what: str
    round: str | None = None
    table: str | None = None
    ruleset: str | None = None
    seat: int | None = None
    bettor: str | None = None
    hand: int | None = None
    spot: str | None = None
    expected: str | None = None
    found: str | None = None
    clause: str | None = None
    stream: str | None = None  # the aggregate, as in "box/t1-box-1", if it is not a round
    version: int | None = None  # of the event in its aggregate; in the log, its index
    position: int | None = None  # of the event in the ledger
    severity: Severity = "finding"

    @property
    def is_note(self) -> bool:
        return self.severity == "note"

    def document(self) -> dict[str, Any]:
        """Return every field, null if it does not apply."""
        return {name: to_builtins(getattr(self, name)) for name in self.__struct_fields__}


COLUMNS = Finding.__struct_fields__


def new_check(finding: Finding, *, since: int, opened_under: int) -> Finding:
    """Report a check that was added in an engine version. For a round opened under an earlier version it is a note,
    because nobody could have known.

        yield new_check(Finding("rotation", ...), since=2, opened_under=opened.engine)

    If several rounds are involved, `opened_under` is that of the latest one, which completed the fault."""
    return finding if opened_under >= since else replace(finding, severity="note")

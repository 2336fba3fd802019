"""The dossier of a dispute on paper: claim, frozen evidence, words, the rules' answer beside what was paid, rulings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from infra.dispute_files import whole
from infra.disputes import Filed
from infra.ledger import Ledger
from projections.pdf import Sheet

LINES = (
    "seat",
    "bettor",
    "hand",
    "spot",
    "wager",
    "outcome",
    "odds",
    "paid",
    "collected",
    "reported_paid",
    "reported_collected",
    "difference",
    "corrected",
    "clause",
)
CHANGED = ("seat", "bettor", "spot", "outcome", "was", "would_be", "difference", "clause", "reason")
ENTRIES = ("seat", "bettor", "spot", "hand", "amount", "account")


def dossier(ledger: Ledger, filed: Filed, now_ms: int) -> bytes:
    file = whole(ledger, filed, now_ms)
    sheet = Sheet(f"Dispute {file['dispute']}")
    sheet.figures(
        {
            "status": file["status"] + (", overdue" if file["overdue"] else ""),
            "round": file["round"],
            "table": file["table"],
            "kind": file["kind"],
            "claimed": file["claimed"],
            "awarded": file["awarded"],
            "dealer": file["dealer"] or "nobody",
            "player-dealer": file["player_dealer"] or "house",
        }
    )
    _claim(sheet, file)
    _evidence(sheet, file)
    sheet.heading("What was said and done")
    sheet.table(("step", "at", "by", "text"), file["events"])
    sheet.heading("What the rules say, beside what the dealer reports")
    if file["lines"]:
        sheet.table(LINES, file["lines"])
        sheet.table(("seat", "spot", "clause", "reason"), file["lines"])
    else:
        sheet.remark(f"The round is {file['round_status']} and has no lines.")
    _what_ifs(sheet, file["what_ifs"])
    _ruling(sheet, "Ruling", file["ruling"])
    if file["appeal"] is not None:
        sheet.heading("Appeal")
        sheet.text(
            f"By {file['appeal']['appellant']}, taken by {file['appeal']['taken_by']}: {file['appeal']['grounds']}"
        )
        _ruling(sheet, "Ruling on the appeal", file["decision"])
    if file["closed"] is not None:
        sheet.heading("End")
        sheet.text(f"Closed, {file['closed']['how']}: {file['closed']['reason']}")
    sheet.signatures(("Arbiter", "Second person", "Patron"))
    return sheet.finish()


def _claim(sheet: Sheet, file: Mapping[str, Any]) -> None:
    sheet.heading("The claim")
    wager = f"{file['bettor']}, {file['spot'].replace('_', ' ')} at seat {file['seat']}, hand {file['hand']}"
    sheet.text(f"{wager}. Opened {file['opened_at']} by {file['opened_by']}, to be ruled by {file['deadline']}.")
    sheet.text(file["claim"])


def _evidence(sheet: Sheet, file: Mapping[str, Any]) -> None:
    evidence = file["evidence"]
    sheet.heading("Frozen evidence")
    sheet.text(f"The first {evidence['version']} events of the round, as they were stored when the dispute was opened.")
    sheet.text(f"SHA-256 of the events: {evidence['events_hash']}")
    sheet.text(f"SHA-256 of the result: {evidence['result_hash']}")
    said = (
        "agrees with both" if file["intact"] else "DOES NOT AGREE: the round was changed after the dispute was opened"
    )
    sheet.text(f"What is stored today {said}.")
    sheet.text("May not rule: " + ", ".join(f"{who} ({why})" for who, why in sorted(file["involved"].items())) + ".")


def _what_ifs(sheet: Sheet, asked: Sequence[Mapping[str, Any]]) -> None:
    for question in asked:
        sheet.heading("What if")
        cards = [f"card {card['number']} of {card['of']} had been {card['card']}" for card in question["cards"]]
        facts = [f"fact {number}: {fact}" for number, fact in question["facts"].items()]
        sheet.text(f"{question['text']} ({'; '.join(cards + facts)})" if question["text"] else "; ".join(cards + facts))
        if question["error"] is not None:
            error = question["error"]
            sheet.text(
                f"That could not have been: {error['detail']} ({error['code']}, {error['clause'] or 'no clause'})"
            )
        elif not question["lines"]:
            sheet.text("No line would be other than it is.")
        else:
            sheet.table(CHANGED, [_changed(line) for line in question["lines"]])
            money = ", ".join(f"{who} {amount}" for who, amount in question["bettors"].items()) or "nobody"
            sheet.text(f"Difference: {money}; bank {question['bank']}.")


def _changed(line: Mapping[str, Any]) -> dict[str, Any]:
    before, after = line["before"], line["after"]
    outcomes = [side["outcome"] if side else "none" for side in (before, after)]
    return {
        "seat": line["seat"],
        "bettor": line["bettor"],
        "spot": line["spot"],
        "outcome": " > ".join(outcomes),
        "was": _moved(before),
        "would_be": _moved(after),
        "difference": line["difference"],
        "clause": (after or before)["clause"],
        "reason": (after or before)["reason"],
    }


def _moved(line: Mapping[str, Any] | None) -> str:
    if line is None:
        return ""
    return f"paid {line['paid']}" if line["paid"] != "0.00" else f"collected {line['collected']}"


def _ruling(sheet: Sheet, heading: str, ruling: Mapping[str, Any] | None) -> None:
    sheet.heading(heading)
    if ruling is None:
        sheet.remark("None yet.")
        return
    second = f" with {ruling['second_person']}" if ruling["second_person"] else ""
    sheet.text(f"{ruling['outcome'].capitalize()}, by {ruling['arbiter']}{second}: {ruling['reason']}")
    if ruling["appeal_until"]:
        sheet.text(f"It can be appealed until {ruling['appeal_until']}.")
    if ruling["entries"]:
        sheet.table(ENTRIES, ruling["entries"])
    else:
        sheet.remark("No entries.")

"""The dossier of a dispute on paper, for the arbiter: the claim and the statements, the round as it was played, what
the rules say and what was paid, rulings and their entries, and what proves the round."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from domain.cards import DECK, face
from domain.disputes.dispute_text import card_text
from domain.disputes.disputes import (
    AppealRuled,
    DeadlineMoved,
    DisputeAppealed,
    DisputeRuled,
    StatementGiven,
    SurveillanceReferred,
    dispute_name,
)
from domain.disputes.whatif import CardChange
from domain.view.table_view import table_view
from infra.aggregates.rounds import StoredRound
from infra.ledger.disputes.dispute_document import dispute_with_round
from infra.ledger.disputes.disputes import StoredDispute
from infra.ledger.ledger import Ledger
from infra.ledger.property import property_of
from infra.log.stored_log import LogReader
from infra.store.streams import stream_id
from projections.calendar.property_clock import PropertyClock, clock_of
from projections.export.pdf_sheet import Sheet, figure
from projections.export.round_tables import BETS, DECISIONS, WAGER, bets_on, decisions_in, hands_on
from projections.reports.report import total_of

MARK = "this one"  # marks the wager in dispute
EVERY_HAND = {"hand": 1}  # is the first one if there is no other
LINES = (
    "disputed",
    *WAGER,
    "owed",
    "paid",
    "collected",
    "dealer_paid",
    "dealer_collected",
    "difference",
    "corrected",
    "clause",
    "why",
)
TOTALLED = ("wager", "paid", "collected", "dealer_paid", "dealer_collected", "difference", "corrected")
CHANGED = ("seat", "bettor", "spot", "outcome", "was", "would_be", "difference", "clause", "why")
ENTRIES = ("seat", "spot", "hand", "paid_by", "to", "amount")
STATEMENTS = ("who", "as", "taken_at", "taken_by", "statement")
REFERENCES = ("camera", "from", "to", "what_it_shows", "referred_by")


def dossier(ledger: Ledger, filed: StoredDispute, now_ms: int, printed_by: str = "") -> bytes:
    database = ledger.events.recorder.database
    file, stored, clock = (
        dispute_with_round(ledger, filed, now_ms),
        ledger.load(filed.dispute.opened.round),
        clock_of(database),
    )
    made_at = clock.at_ms(now_ms)
    state = f"As the file stood at {clock.moment(made_at)}, after {file['version']} entries."
    name = dispute_name(file["dispute"])
    sheet = Sheet(name, f"{name}. {state}", made_at, property_of(database), printed_by)
    sheet.text(f"{state} Amounts are in US dollars; times are the property's ({clock.zone(made_at)}).")
    sheet.figures(
        {
            "status": file["status"] + (", overdue" if file["overdue"] else ""),
            "claimed": file["claimed"],
            "awarded": file["awarded"],
            "kind of error": file["kind"],
            "round": file["round"],
            "table": file["table"],
            "dealer": file["dealer"] or "nobody tapped in",
            "bank": file["player_dealer"] or "house",
        }
    )
    _claim(sheet, file, filed, clock)
    _draw_statements(sheet, filed, clock)
    _round(sheet, file, stored, clock)
    _answer(sheet, file)
    _what_ifs(sheet, file["what_ifs"])
    _rulings(sheet, file, filed, clock)
    _evidence(sheet, file, LogReader(database), clock)
    sheet.heading("The file, entry by entry")
    sheet.table(("step", "at", "by", "entry"), [_entry(event, clock) for event in file["events"]])
    sheet.signatures(("Arbiter", "Second person", "Patron"), _signed(file, state))
    return sheet.finish()


def _claim(sheet: Sheet, file: Mapping[str, Any], filed: StoredDispute, clock: PropertyClock) -> None:
    sheet.heading("The claim")
    sheet.text(f"{_wager(file)}: {file['claimed']} claimed, {file['kind']}. {file['bettor']} says: {file['claim']}")
    sheet.text(f"Opened at {clock.moment(file['opened_at'])} by {file['opened_by']}.")
    waits = file["status"] in ("open", "appealed")
    late = " THAT TIME HAS PASSED." if file["overdue"] else ""
    sheet.text(f"{'To be' if waits else 'Was to be'} ruled by {clock.moment(file['deadline'])}.{late}")
    for entry in filed.entries:
        if isinstance(entry.event, DeadlineMoved):
            to = clock.moment(clock.at_ms(entry.event.deadline_ms))
            sheet.text(f"Deadline moved to {to} by {entry.by} at {clock.moment(entry.at)}: {entry.event.reason}")


def _wager(file: Mapping[str, Any]) -> str:
    hand = f", hand {file['hand']}" if file["hand"] > 1 else ""
    return f"The {file['spot'].replace('_', ' ')} wager of {file['bettor']} at seat {file['seat']}{hand}"


def _draw_statements(sheet: Sheet, filed: StoredDispute, clock: PropertyClock) -> None:
    statements: list[dict[str, Any]] = []
    references: list[dict[str, Any]] = []
    for entry in filed.entries:
        match entry.event:
            case StatementGiven(who, part, text):
                taken = {"who": who, "as": part, "taken_at": clock.moment(entry.at), "taken_by": entry.by}
                statements.append({**taken, "statement": text})
            case SurveillanceReferred(camera, since_ms, until_ms, text):
                times = {"from": clock.moment(clock.at_ms(since_ms)), "to": clock.moment(clock.at_ms(until_ms))}
                references.append({"camera": camera, **times, "what_it_shows": text, "referred_by": entry.by})
    sheet.heading("Statements")
    sheet.table(STATEMENTS, statements, none="None was taken.")
    sheet.heading("Surveillance")
    sheet.table(REFERENCES, references, none="Nothing was referred to.")


# ---- the round


def _round(sheet: Sheet, file: Mapping[str, Any], stored: StoredRound, clock: PropertyClock) -> None:
    picture, opened = table_view(stored.round), stored.round.opened
    opened_at = clock.local(stored.entries[0].at)
    bank = picture["bank"]
    banks = "house bank"
    if bank["bettor"]:
        banks = f"{bank['bettor']} banked at seat {bank['seat']} with {figure(bank['wager'])}"
    fee = "no fee" if picture["fee"] is None else f"fee {picture['fee']}"
    if picture["waived"]:
        fee += f" ({picture['waived']})"
    button = "" if picture["button"] is None else f", action button at seat {picture['button']}"
    sheet.heading("The round")
    sheet.text(
        f"{file['round']}, table {file['table']}, {stored.round.status}; {opened.ruleset}, opened at "
        f"{clock.moment(opened_at)}; {banks}; {fee}{button}."
    )
    sheet.heading("Its bets")
    bets = [{"disputed": _mark(file, bet), **bet} for bet in bets_on(picture)]
    sheet.table(_used(("disputed", *BETS), bets), bets, {"wager": total_of(bet["wager"] for bet in bets)})
    sheet.heading("Its cards")
    sheet.hands(hands_on(picture), none="None was dealt.")
    sheet.heading("Its decisions")
    sheet.table(DECISIONS, decisions_in(stored.entries, opened_at), none="None was made.")


def _mark(file: Mapping[str, Any], wager: Mapping[str, Any]) -> str:
    spot = wager["spot"].replace("_", " ") == file["spot"].replace("_", " ")
    return MARK if spot and all(wager[name] == file[name] for name in ("seat", "bettor", "hand")) else ""


def _used(columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the columns that have any values here: most games have one hand, and most bets no kind."""
    return [column for column in columns if any(row[column] not in (None, "", EVERY_HAND.get(column)) for row in rows)]


def _answer(sheet: Sheet, file: Mapping[str, Any]) -> None:
    sheet.heading("What the rules say, and what the dealer reports to have paid")
    if not file["lines"]:
        sheet.remark(f"The round is {file['round_status']} and has no lines.")
        return
    lines = [
        {
            **line,
            "disputed": _mark(file, line),
            "spot": line["spot"].replace("_", " "),
            "outcome": line["outcome"].replace("_", " "),
            "dealer_paid": line["reported_paid"],
            "dealer_collected": line["reported_collected"],
            "why": line["reason"],
        }
        for line in file["lines"]
    ]
    sheet.table(_used(LINES, lines), lines, {name: total_of(line[name] for line in lines) for name in TOTALLED})
    if all(line["reported_paid"] is None for line in lines):
        sheet.remark("The dealer has reported nothing of this round.")


def _what_ifs(sheet: Sheet, asked: Sequence[Mapping[str, Any]]) -> None:
    for number, question in enumerate(asked, start=1):
        sheet.heading(f"What if, question {number}")
        premise = "; ".join(_premises(question))
        sheet.text(f"{question['text']} ({premise})" if question["text"] else premise)
        if question["error"] is not None:
            error = question["error"]
            sheet.text(f"That is impossible: {error['detail']} ({error['code']}, {error['clause'] or 'no clause'})")
        elif not question["lines"]:
            sheet.text("No line would change.")
        else:
            sheet.table(CHANGED, [_changed(line) for line in question["lines"]])
            money = ", ".join(f"{who} {amount}" for who, amount in question["bettors"].items()) or "nobody"
            sheet.text(f"Difference: {money}; bank {question['bank']}.")


def _premises(question: Mapping[str, Any]) -> Iterator[str]:
    for card in question["cards"]:
        yield card_text(CardChange(of=card["of"], number=card["number"], card=card["card"], hand=card["hand"]))
    if not question["cards"]:
        for number, fact in question["facts"].items():
            yield f"action {number} had been: {_in_words(fact)}"


def _in_words(fact: Mapping[str, Any]) -> str:
    values = (
        f"{name} {' '.join(_card(card) for card in value) if isinstance(value, list) else value}"
        for name, value in fact.items()
    )
    return ", ".join(values)


def _card(card: str | None) -> str:
    return "face down" if card is None else face(card) if card in DECK else card


def _changed(line: Mapping[str, Any]) -> dict[str, Any]:
    before, after = line["before"], line["after"]
    outcomes = [side["outcome"].replace("_", " ") if side else "none" for side in (before, after)]
    return {
        "seat": line["seat"],
        "bettor": line["bettor"],
        "spot": line["spot"].replace("_", " "),
        "outcome": " → ".join(outcomes),
        "was": _moved(before),
        "would_be": _moved(after),
        "difference": line["difference"],
        "clause": (after or before)["clause"],
        "why": (after or before)["reason"],
    }


def _moved(line: Mapping[str, Any] | None) -> str:
    if line is None:
        return ""
    return f"paid {line['paid']}" if line["paid"] != "0.00" else f"collected {line['collected']}"


# ---- rulings


def _rulings(sheet: Sheet, file: Mapping[str, Any], filed: StoredDispute, clock: PropertyClock) -> None:
    sheet.heading("Who may not rule")
    sheet.text(", ".join(f"{who} ({why})" for who, why in sorted(file["involved"].items())) + ".")
    when = {type(entry.event): clock.moment(entry.at) for entry in filed.entries}
    _ruling(sheet, "Ruling", file, file["ruling"], when.get(DisputeRuled, ""), clock)
    appeal = file["appeal"]
    if appeal is not None:
        sheet.heading("Appeal")
        sheet.text(
            f"By {appeal['appellant']}, taken by {appeal['taken_by']} at {when[DisputeAppealed]}: {appeal['grounds']}"
        )
        _ruling(sheet, "Ruling on the appeal", file, file["decision"], when.get(AppealRuled, ""), clock)
    if file["closed"] is not None:
        sheet.heading("End")
        last = next(event for event in reversed(file["events"]) if event["event"] == "dispute.closed.v1")
        sheet.text(
            f"Closed at {clock.moment(last['at'])} by {last['by']}, {file['closed']['how']}: {file['closed']['reason']}"
        )


def _ruling(
    sheet: Sheet,
    heading: str,
    file: Mapping[str, Any],
    ruling: Mapping[str, Any] | None,
    at: str,
    clock: PropertyClock,
) -> None:
    sheet.heading(heading)
    if ruling is None:
        sheet.text("None yet.")
        return
    sheet.keep(80 + 14 * len(ruling["entries"]))
    second = f" with {ruling['second_person']}" if ruling["second_person"] else ""
    sheet.text(f"{ruling['outcome'].capitalize()}, by {ruling['arbiter']}{second} at {at}.")
    sheet.text(f"Reasons: {ruling['reason']}")
    if ruling["entries"]:
        entries = [_moves(entry, file) for entry in ruling["entries"]]
        sheet.table(_used(ENTRIES, entries), entries)
    else:
        sheet.text("No entries: no money moves.")
    if ruling["appeal_until"]:
        sheet.text(f"It can be appealed until {clock.moment(ruling['appeal_until'])}.")


def _moves(entry: Mapping[str, Any], file: Mapping[str, Any]) -> dict[str, Any]:
    """Return who pays, and to whom: a negative amount goes the other way."""
    account = entry["account"]
    if account == "player-dealer" and file["player_dealer"]:
        account = f"player-dealer ({file['player_dealer']})"
    back = entry["amount"].startswith("-")
    payer, payee = (entry["bettor"], account) if back else (account, entry["bettor"])
    return {
        "seat": entry["seat"],
        "spot": entry["spot"].replace("_", " "),
        "hand": entry["hand"],
        "paid_by": payer,
        "to": payee,
        "amount": entry["amount"].lstrip("-"),
    }


# ---- proof


def _evidence(sheet: Sheet, file: Mapping[str, Any], log: LogReader, clock: PropertyClock) -> None:
    evidence = file["evidence"]
    sheet.heading("Evidence")
    sheet.text(f"Frozen when the dispute was opened: the first {evidence['version']} events of the round.")
    sheet.text(f"SHA-256 of the events: {evidence['events_hash']}")
    sheet.text(f"SHA-256 of the result: {evidence['result_hash']}")
    said = (
        "agrees with both" if file["intact"] else "DOES NOT AGREE: the round was changed after the dispute was opened"
    )
    sheet.text(f"What is stored today {said}.")
    rows = log.events.of(stream_id("round", file["round"]))
    last, latest = rows[min(evidence["version"], len(rows)) - 1] if rows else None, log.latest()
    index = None if last is None else log.index_of(last.position)
    if latest is None or index is None or index >= latest.size:
        sheet.text("The log has not sealed them yet; an evidence bundle seals them.")
    else:
        checkpoint = latest.parsed()
        sheet.text(
            f"Sealed in the log {checkpoint.origin}, the last of them as entry {index}. Its checkpoint of "
            f"{clock.moment(latest.sealed_at)}: size {checkpoint.size}, root {checkpoint.note.body.splitlines()[2]}"
        )
    sheet.text(
        f"`roundledger evidence {file['round']}` writes the bundle that proves the round to anybody; "
        "`roundledger verify` checks it without this ledger."
    )


def _entry(event: Mapping[str, Any], clock: PropertyClock) -> dict[str, Any]:
    late = ", late entry" if event["late"] else ""
    at = f"{clock.moment(event['at'])}{late}"
    return {"step": event["step"], "at": at, "by": event["by"], "entry": clock.words(event["text"])}


def _signed(file: Mapping[str, Any], state: str) -> str:
    ruling = file["decision"] or file["ruling"]
    ruled = "not ruled on yet" if ruling is None else f"{ruling['outcome']}, {file['awarded']} to {file['bettor']}"
    return (
        f"{dispute_name(file['dispute'])}, round {file['round']}. {_wager(file)}, {file['claimed']} claimed: {ruled}. "
        f"{state} SHA-256 of the frozen events {file['evidence']['events_hash']}."
    )

"""`roundledger dispute` and `roundledger dealer`: claims from opening to closing, who deals, and what was paid."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from api.cli.terminal.database import By, DatabaseUrl, DataDir, actor, open_ledger
from api.cli.terminal.errors import fail

if TYPE_CHECKING:
    from domain.disputes.disputes import Dispute, DisputeEvent
    from domain.disputes.whatif import CardChange
    from domain.round.corrections import Entry
    from domain.round.events import PaymentReported
    from infra.ledger.disputes import StoredDispute
    from infra.ledger.ledger import Actor, Ledger

app = typer.Typer(no_args_is_help=True, help="Disputes: claims, statements, rulings, appeals and their dossiers.")
dealers = typer.Typer(no_args_is_help=True, help="Who deals at a table, and what he reports to have paid.")

DisputeId = Annotated[str, typer.Argument(metavar="DISPUTE", help="The dispute's id.")]
RoundId = Annotated[str, typer.Argument(metavar="ROUND", help="The round's id.")]
AsJson = Annotated[bool, typer.Option("--json", help="For programs.")]
Text = Annotated[str, typer.Option("--text", metavar="WORDS")]
Reason = Annotated[str, typer.Option(metavar="WORDS", help="Why; it stays in the file.")]
Deadline = Annotated[
    str | None, typer.Option(metavar="TIME", help="By when it is to be ruled; in three days by default.")
]


@contextmanager
def _ledger(database_url: str | None, data_dir: Path | None) -> "Iterator[Ledger]":
    """As everywhere; a refusal is one sentence and its clause, and exit code 2."""
    from domain.errors import Refusal
    from infra.ledger.disputes import UnknownDispute
    from infra.ledger.ledger import UnknownRound
    from projections.calendar.property_clock import clock_of

    with open_ledger(database_url, data_dir) as ledger:
        try:
            yield ledger
        except Refusal as refusal:
            clause = f" ({refusal.clause})" if refusal.clause else ""
            fail(f"{clock_of(ledger.events.recorder.database).words(refusal.detail)}{clause}")
        except (UnknownDispute, UnknownRound) as error:
            fail(str(error))


# ---- opening and adding


@app.command("open")
def open_(
    round_id: RoundId,
    seat: Annotated[int, typer.Option(min=1, help="Of the wager.")],
    spot: Annotated[str, typer.Option(help="Of the wager: ante, blind, trips, game…")],
    kind: Annotated[
        str, typer.Option(help="payout, hand reading, card, wager, decision, coverage, procedure or other.")
    ],
    claimed: Annotated[str, typer.Option(metavar="AMOUNT", help="Like 25.00.")],
    claim: Annotated[str, typer.Option(metavar="WORDS", help="What the patron says is wrong.")],
    bettor: Annotated[str | None, typer.Option(metavar="ID", help="The seated one by default.")] = None,
    hand: Annotated[int, typer.Option(min=1, help="In Pure 21.5, which hand.")] = 1,
    deadline: Deadline = None,
    dispute_id: Annotated[str | None, typer.Option("--id", metavar="ID", help="One is made by default.")] = None,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
    by: By = None,
) -> None:
    """Open a dispute on a wager of a finished round, and freeze what is stored of the round."""
    from domain.disputes.disputes import DAY_MS, DAYS_TO_RULE, Claim
    from domain.money import positive_cents
    from infra.ledger.disputes import Disputes
    from projections.reports.irregularity_reports import KINDS

    if kind not in KINDS:
        fail(f"--kind is one of {', '.join(KINDS)}, not {kind!r}")
    if dispute_id is not None:
        _check_id(dispute_id, "--id")
    with _ledger(database_url, data_dir) as ledger:
        who = actor(by)
        until_ms = _moment_ms(deadline, "--deadline", who.at_ms + DAYS_TO_RULE * DAY_MS)
        about = Claim(seat, spot, kind, positive_cents(claimed), claim, until_ms, bettor, hand)  # type: ignore[arg-type]
        filed = Disputes(ledger).open(round_id, about, who, dispute_id)
    typer.echo(filed.dispute.id)


@app.command()
def state(
    dispute_id: DisputeId,
    who: Annotated[str, typer.Option(metavar="ID", help="Whose statement it is.")],
    part: Annotated[str, typer.Option(help="patron, player-dealer, dealer, floor, surveillance or witness.")],
    text: Text,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
    by: By = None,
) -> None:
    """Take a statement. Whoever gives one does not rule."""
    from domain.disputes import disputes

    _check_word(part, "--part", disputes.Part)
    _check_id(who, "--who")
    said: Any = part
    _add(dispute_id, lambda dispute, _: disputes.give_statement(dispute, who, said, text), database_url, data_dir, by)


@app.command()
def note(
    dispute_id: DisputeId, text: Text, database_url: DatabaseUrl = None, data_dir: DataDir = None, by: By = None
) -> None:
    """Note something, also on a closed file."""
    from domain.disputes import disputes

    _add(dispute_id, lambda dispute, _: disputes.note(dispute, text), database_url, data_dir, by)


@app.command()
def refer(
    dispute_id: DisputeId,
    camera: Annotated[str, typer.Option(metavar="NAME", help="Or the recording.")],
    since: Annotated[str, typer.Option("--from", metavar="TIME")],
    until: Annotated[str, typer.Option("--to", metavar="TIME")],
    text: Text = "",
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
    by: By = None,
) -> None:
    """Say where surveillance should look."""
    from domain.disputes import disputes

    moments = _moment_ms(since, "--from", 0), _moment_ms(until, "--to", 0)
    _add(dispute_id, lambda dispute, _: disputes.refer(dispute, camera, *moments, text), database_url, data_dir, by)


@app.command()
def deadline(
    dispute_id: DisputeId,
    to: Annotated[str, typer.Option(metavar="TIME")],
    reason: Reason,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
    by: By = None,
) -> None:
    """Move the deadline of a dispute that waits for a ruling."""
    from domain.disputes import disputes

    until = _moment_ms(to, "--to", 0)
    _add(
        dispute_id,
        lambda dispute, now: disputes.move_deadline(dispute, until, reason, now),
        database_url,
        data_dir,
        by,
    )


def _add(
    dispute_id: str,
    decide: "Callable[[Dispute, int], DisputeEvent]",
    database_url: str | None,
    data_dir: Path | None,
    by: str | None,
) -> None:
    from infra.ledger.disputes import Disputes

    with _ledger(database_url, data_dir) as ledger:
        who = actor(by)
        _say(ledger, Disputes(ledger).add(dispute_id, lambda dispute: decide(dispute, who.at_ms), who))


# ---- ruling


@app.command()
def rule(
    dispute_id: DisputeId,
    outcome: Annotated[str, typer.Option(help="upheld, partly upheld or denied.")],
    reason: Reason,
    entry: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SEAT:SPOT:AMOUNT:ACCOUNT[:BETTOR]",
            help="Money to the bettor; once for each. 3.2 is hand 2 of seat 3.",
        ),
    ] = None,
    second: Annotated[str | None, typer.Option(metavar="ID", help="The second person, where money moves.")] = None,
    on_appeal: Annotated[bool, typer.Option("--appeal", help="Rule on the appeal.")] = False,
    appeal_until: Annotated[
        str | None, typer.Option(metavar="TIME", help="Until when it can be appealed; a week by default.")
    ] = None,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
    by: By = None,
) -> None:
    """Rule on a dispute, or with --appeal on its appeal; the entries are posted with the ruling."""
    from domain.disputes import disputes
    from infra.ledger.disputes import Disputes

    _check_word(outcome, "--outcome", disputes.Outcome)
    if second is not None:
        _check_id(second, "--second")
    said: Any = outcome
    if on_appeal and appeal_until is not None:
        fail("the ruling on an appeal is the last word: --appeal-until does not go with it")
    with _ledger(database_url, data_dir) as ledger:
        who, file = actor(by), Disputes(ledger)
        seated = ledger.load(file.get(dispute_id).dispute.opened.round).round.seated
        entries = [_entry(text, seated) for text in entry or []]
        if on_appeal:
            filed = file.rule_appeal(dispute_id, said, reason, second, entries, who)
        else:
            week = who.at_ms + disputes.DAYS_TO_APPEAL * disputes.DAY_MS
            until = _moment_ms(appeal_until, "--appeal-until", week)
            filed = file.rule(dispute_id, said, reason, second, entries, until, who)
        _say(ledger, filed)


@app.command()
def appeal(
    dispute_id: DisputeId,
    appellant: Annotated[str, typer.Option(metavar="ID", help="The claimant, the player-dealer, or house.")],
    grounds: Annotated[str, typer.Option(metavar="WORDS")],
    deadline: Deadline = None,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
    by: By = None,
) -> None:
    """Take an appeal against a ruling."""
    from domain.disputes import disputes

    def decide(dispute: "Dispute", now_ms: int) -> "DisputeEvent":
        until = _moment_ms(deadline, "--deadline", now_ms + disputes.DAYS_TO_RULE * disputes.DAY_MS)
        return disputes.appeal(dispute, appellant, grounds, until, now_ms)

    _add(dispute_id, decide, database_url, data_dir, by)


@app.command()
def close(
    dispute_id: DisputeId,
    how: Annotated[str, typer.Option(help="final, accepted or withdrawn.")],
    reason: Reason,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
    by: By = None,
) -> None:
    """Close a dispute."""
    from domain.disputes import disputes

    _check_word(how, "--how", disputes.Ending)
    said: Any = how
    _add(dispute_id, lambda dispute, now: disputes.close(dispute, said, reason, now), database_url, data_dir, by)


# ---- looking


@app.command()
def show(
    dispute_id: DisputeId, as_json: AsJson = False, database_url: DatabaseUrl = None, data_dir: DataDir = None
) -> None:
    """The file of a dispute: claim, evidence, what was said, what the rules say beside what was paid, rulings."""
    from infra.ledger.dispute_document import dispute_with_round
    from infra.ledger.disputes import Disputes
    from projections.calendar.property_clock import clock_of

    with _ledger(database_url, data_dir) as ledger:
        file = dispute_with_round(ledger, Disputes(ledger).get(dispute_id), actor(None).at_ms)
        clock = clock_of(ledger.events.recorder.database)
    if as_json:
        _write_json(file)
        return
    late = ", overdue" if file["overdue"] else ""
    typer.echo(f"{file['dispute']}  {file['status']}{late}  round {file['round']}  {file['bettor']} {file['spot']}")
    typer.echo(
        f"{file['kind']}, {file['claimed']} claimed, {file['awarded']} awarded, due {clock.moment(file['deadline'])}"
    )
    typer.echo(f"times are the property's ({clock.zone(clock.local(file['opened_at']))})")
    held = "unchanged since" if file["intact"] else "CHANGED SINCE"
    typer.echo(f"evidence: {file['evidence']['version']} events, {file['evidence']['events_hash']}, {held}")
    typer.echo("may not rule: " + ", ".join(f"{who} ({why})" for who, why in sorted(file["involved"].items())))
    typer.echo()
    told = [{**it, "at": clock.moment(it["at"]), "text": clock.words(it["text"])} for it in file["events"]]
    _print_rows(("step", "at", "by", "text"), told)
    if file["lines"]:
        typer.echo()
        columns = ("seat", "bettor", "spot", "outcome", "paid", "collected", "reported_paid", "reported_collected")
        _print_rows((*columns, "difference", "corrected", "clause"), file["lines"])
    typer.echo("\nfacts, by number:")
    for number, fact in enumerate(file["facts"]):
        typer.echo(f"  {number}: {_compact(fact)}")
    for question in file["what_ifs"]:
        typer.echo(f"\nwhat if {question['text']}")
        _print_what_if(question)


@app.command("list")
def list_(
    status: Annotated[
        str | None, typer.Option(help="open, overdue, ruled, appealed, decided or closed; all by default.")
    ] = None,
    table: Annotated[str | None, typer.Option(metavar="ID")] = None,
    dealer: Annotated[str | None, typer.Option(metavar="ID")] = None,
    kind: Annotated[str | None, typer.Option(metavar="KIND")] = None,
    as_json: AsJson = False,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
) -> None:
    """The disputes there are, from the reports' tables; `roundledger report disputes` has more formats."""
    from api.cli.reports import bring_up_to_date, open_reports
    from projections.reports.report import BadFilter, Filters
    from projections.reports.report_query import rows

    with open_reports(database_url, data_dir) as url:
        bring_up_to_date(url, "disputes")
        try:
            found = rows(url, "disputes", Filters(table=table, dealer=dealer, kind=kind, status=status))
        except BadFilter as error:
            fail(str(error))
    if as_json:
        _write_json(found)
        return
    columns = ("dispute", "status", "overdue", "deadline", "table", "dealer", "kind", "claimed", "awarded", "round")
    _print_rows(columns, found)


@app.command()
def dossier(
    dispute_id: DisputeId,
    into: Annotated[Path, typer.Option("--output", metavar="FILE", help="Where the PDF goes.")],
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
) -> None:
    """The whole file as a PDF."""
    from infra.ledger.disputes import Disputes
    from projections.export.dossier import dossier as written

    with _ledger(database_url, data_dir) as ledger:
        content = written(ledger, Disputes(ledger).get(dispute_id), actor(None).at_ms)
    try:
        into.write_bytes(content)
    except OSError as error:
        fail(f"{into} cannot be written: {error.strerror}")


@app.command()
def whatif(
    round_id: RoundId,
    card: Annotated[
        list[str] | None,
        typer.Option(metavar="PLACE:NUMBER=CARD", help="dealer:2=Kd, board:4=9c, 3:1=As; 3.2:1 for hand 2 of seat 3."),
    ] = None,
    fact: Annotated[
        list[str] | None, typer.Option(metavar="NUMBER=ACTION", help="Another action in its place, as JSON.")
    ] = None,
    dispute_id: Annotated[
        str | None, typer.Option("--dispute", metavar="ID", help="Keep the question in this dispute's file.")
    ] = None,
    text: Text = "",
    as_json: AsJson = False,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
    by: By = None,
) -> None:
    """What would have been with another card or another fact: which lines change, by which clauses."""
    from infra.ledger.dispute_document import what_if_document
    from infra.ledger.disputes import Disputes

    cards, facts = [_card(text) for text in card or []], dict(_fact(text) for text in fact or [])
    with _ledger(database_url, data_dir) as ledger:
        found = what_if_document(round_id, ledger.what_if(round_id, cards, facts))
        if dispute_id is not None:
            file = Disputes(ledger)
            if file.get(dispute_id).dispute.opened.round != round_id:
                fail(f"dispute {dispute_id} is about another round")
            file.ask_what_if(dispute_id, cards, facts, text, actor(by))
    if as_json:
        _write_json(found)
        return
    _print_what_if(found)


# ---- who deals


@dealers.command("in")
def tap_in(
    table: Annotated[str, typer.Argument(metavar="TABLE")],
    dealer: Annotated[str, typer.Argument(metavar="DEALER", help="The staff id of whoever deals from now on.")],
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
    by: By = None,
) -> None:
    """A dealer taps in at a table, between rounds; whoever dealt before is out."""
    _check_id(dealer, "DEALER")
    _tap(table, dealer, database_url, data_dir, actor(by or dealer))


@dealers.command("out")
def tap_out(
    table: Annotated[str, typer.Argument(metavar="TABLE")],
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
    by: By = None,
) -> None:
    """The dealer leaves and nobody takes over."""
    _tap(table, None, database_url, data_dir, actor(by))


def _tap(table: str, dealer: str | None, database_url: str | None, data_dir: Path | None, who: "Actor") -> None:
    from infra.ledger.floor import Floor

    with _ledger(database_url, data_dir) as ledger:
        Floor(ledger).tap_in(table, dealer, who)
    typer.echo(f"{dealer or 'Nobody'} deals at {table}.", err=True)


@dealers.command("paid")
def paid(
    round_id: RoundId,
    payments: Annotated[
        list[str], typer.Argument(metavar="SEAT:SPOT:PAID:COLLECTED[:BETTOR]...", help="Each wager once.")
    ],
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
    by: By = None,
) -> None:
    """What the dealer paid and collected, wager by wager, after settlement. It moves nothing."""
    with _ledger(database_url, data_dir) as ledger:
        seated = ledger.load(round_id).round.seated
        ledger.dealer_paid(round_id, [_payment(text, seated) for text in payments], actor(by))
    typer.echo(f"{len(payments)} reported for {round_id}.", err=True)


# ---- reading what was written


def _wager(text: str, form: str, seated: Any) -> tuple[int, int, str, str, str, str]:
    """Seat, hand, bettor, spot, and the two that differ by form."""
    import re

    place, *parts = text.split(":")
    if len(parts) not in (3, 4) or not re.fullmatch(r"[1-9](\.[1-9])?", place):
        fail(f"{text!r} is not of the form {form}; 3.2 is hand 2 of seat 3")
    spot, one, two, *bettor = parts
    seat, hand = int(place[0]), int(place[2:] or 1)
    return seat, hand, bettor[0] if bettor else seated.get(seat, ""), spot, one, two


def _cents(text: str, signed: bool = False) -> int:
    import re

    from domain.money import MONEY_PATTERN, cents

    negative = signed and text.startswith("-")
    bare = text[1:] if negative else text
    if not re.fullmatch(MONEY_PATTERN, bare):
        fail(f"{text!r} is not an amount with two decimals")
    return -cents(bare) if negative else cents(bare)


def _entry(text: str, seated: Any) -> "Entry":
    from domain.round.corrections import Entry

    seat, hand, who, spot, amount, account = _wager(text, "SEAT:SPOT:AMOUNT:ACCOUNT[:BETTOR]", seated)
    return Entry(seat, who, spot, _cents(amount, signed=True), account, hand)


def _payment(text: str, seated: Any) -> "PaymentReported":
    from domain.round.events import PaymentReported

    seat, hand, who, spot, paid, collected = _wager(text, "SEAT:SPOT:PAID:COLLECTED[:BETTOR]", seated)
    return PaymentReported(seat, who, hand, spot, _cents(paid), _cents(collected))


def _card(text: str) -> "CardChange":
    import re

    from domain.disputes.whatif import CardChange

    found = re.fullmatch(r"(dealer|board|[1-9](?:\.([1-9]))?):([1-9][0-9]?)=(\w\w)", text)
    if found is None:
        fail(f"--card is a place, a number and a card like dealer:2=Kd, not {text!r}")
    place, hand, number, card = found.groups()
    return CardChange(int(place[0]) if place[0].isdecimal() else place, int(number), card, int(hand or 1))


def _fact(text: str) -> tuple[int, dict[str, Any]]:
    import msgspec

    number, _, action = text.partition("=")
    try:
        if number.isascii() and number.isdecimal():
            return int(number), msgspec.json.decode(action.encode(), type=dict[str, Any])
    except msgspec.MsgspecError:
        pass
    fail(f'--fact is a number and an action like 6={{"do": "settle"}}, not {text!r}')


def _moment_ms(text: str | None, option: str, otherwise: int) -> int:
    if text is None:
        return otherwise
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            moment = moment.astimezone()  # the clock of whoever asks
        return round(moment.timestamp() * 1000)
    except (ValueError, OverflowError):
        fail(f"{option} is a time like 2026-03-08T06:00:00-08:00, not {text!r}")


def _check_word(word: str, option: str, words: Any) -> None:
    from typing import get_args

    if word not in get_args(words):
        fail(f"{option} is one of {', '.join(get_args(words))}, not {word!r}")


def _check_id(text: str, what: str) -> None:
    import re

    if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,39}", text):
        fail(f"{what} is an id of small letters, digits and hyphens, at most 40, not {text!r}")


# ---- printing


def _say(ledger: "Ledger", filed: "StoredDispute") -> None:
    from domain.disputes.dispute_text import event_text
    from projections.calendar.property_clock import clock_of

    said = clock_of(ledger.events.recorder.database).words(event_text(filed.entries[-1].event))
    typer.echo(f"{filed.dispute.id}: {said}", err=True)


def _write_json(value: Any) -> None:
    import msgspec

    sys.stdout.buffer.write(msgspec.json.encode(value) + b"\n")
    sys.stdout.buffer.flush()


def _compact(fact: dict[str, Any]) -> str:
    return ", ".join(
        f"{name} {' '.join(card or '??' for card in value) if isinstance(value, list) else value}"
        for name, value in fact.items()
    )


def _print_what_if(found: dict[str, Any]) -> None:
    if found["error"] is not None:
        error = found["error"]
        typer.echo(f"That could not have been: {error['detail']} ({error['clause'] or error['code']})")
        return
    if not found["lines"]:
        typer.echo("No line would be other than it is.")
        return
    shown = []
    for line in found["lines"]:
        before, after = line["before"], line["after"]
        row = {name: line[name] for name in ("seat", "bettor", "spot", "difference")}
        for name, side in (("was", before), ("would be", after)):
            row[name] = "" if side is None else f"{side['outcome']}, paid {side['paid']}, collected {side['collected']}"
        row["clause"] = (after or before)["clause"]
        shown.append(row)
    _print_rows(("seat", "bettor", "spot", "was", "would be", "difference", "clause"), shown)
    moved = ", ".join(f"{bettor} {amount}" for bettor, amount in found["bettors"].items()) or "nobody"
    typer.echo(f"difference: {moved}; bank {found['bank']}; {found['unchanged']} lines stay as they are")


def _print_rows(columns: tuple[str, ...], rows: list[dict[str, Any]]) -> None:
    from api.cli.reports import print_table

    print_table(list(columns), [{column: row[column] for column in columns} for row in rows])

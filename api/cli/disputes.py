"""`roundledger dispute` and `roundledger dealer`: claims from opening to closing, who deals, and what was paid."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from api.cli.terminal.database import By, DatabaseUrl, DataDir, actor, open_ledger
from api.cli.terminal.errors import fail
from api.cli.terminal.output import AsJson, print_table, write, write_json
from api.cli.terminal.signing import FromInput, Passwords, two_signed
from api.cli.terminal.time_options import moment_ms
from domain.disputes import disputes
from domain.disputes.disputes import DAY_MS, DAYS_TO_APPEAL, DAYS_TO_RULE, Dispute, DisputeEvent
from domain.disputes.whatif import CardChange
from domain.money import MONEY_PATTERN, cents, positive_cents
from domain.round.corrections import Entry
from domain.round.events import PaymentReported

if TYPE_CHECKING:
    from infra.ledger.disputes.disputes import StoredDispute
    from infra.ledger.ledger import Actor, Ledger

app = typer.Typer(no_args_is_help=True, help="Disputes: claims, statements, rulings, appeals and their dossiers.")
dealers = typer.Typer(no_args_is_help=True, help="Who deals at a table, and what they report to have paid.")

ARBITERS = ("floor", "accounting")  # the second rules on appeals, or signs with the first
DisputeId = Annotated[str, typer.Argument(metavar="DISPUTE", help="The dispute's id.")]
RoundId = Annotated[str, typer.Argument(metavar="ROUND", help="The round's id.")]
TableId = Annotated[str, typer.Argument(metavar="TABLE", help="The table's id.")]
Text = Annotated[str, typer.Option("--text", metavar="WORDS")]
Reason = Annotated[str, typer.Option(metavar="WORDS", help="Why; it stays in the file.")]
Deadline = Annotated[
    str | None, typer.Option(metavar="TIME", help="By when it is to be ruled; in three days by default.")
]


@contextmanager
def _ledger(database_url: str | None, data_dir: Path | None) -> "Iterator[Ledger]":
    """As everywhere; a refusal is one sentence and its clause, and exit code 2."""
    from domain.errors import Refusal
    from infra.access.callers import Forbidden
    from infra.ledger.disputes.disputes import UnknownDispute
    from infra.ledger.ledger import UnknownRound
    from projections.calendar.property_clock import clock_of

    with open_ledger(database_url, data_dir) as ledger:
        try:
            yield ledger
        except Refusal as refusal:
            clause = f" ({refusal.clause})" if refusal.clause else ""
            fail(f"{clock_of(ledger.events.recorder.database).words(refusal.detail)}{clause}")
        except (Forbidden, UnknownDispute, UnknownRound) as error:
            fail(str(error))


# ---- opening and adding


@app.command("open")
def open_(
    round_id: RoundId,
    seat: Annotated[int, typer.Option(min=1, help="Of the wager.")],
    spot: Annotated[str, typer.Option(help="Of the wager: ante, blind, trips, game…")],
    kind: Annotated[disputes.ErrorKind, typer.Option(help="What the mistake is about.")],
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
    from infra.ledger.disputes.disputes import Disputes

    _check_id(dispute_id, "--id")
    who = actor(by)
    until = _moment_ms(deadline, "--deadline", who.at_ms + DAYS_TO_RULE * DAY_MS)
    with _ledger(database_url, data_dir) as ledger:
        about = kind, positive_cents(claimed), claim, until, bettor, hand
        filed = Disputes(ledger).open(round_id, disputes.Claim(seat, spot, *about), who, dispute_id)
    typer.echo(filed.dispute.id)


@app.command()
def state(
    dispute_id: DisputeId,
    who: Annotated[str, typer.Option(metavar="ID", help="Whose statement it is.")],
    part: Annotated[disputes.Part, typer.Option(help="In what part they saw it.")],
    text: Text,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
    by: By = None,
) -> None:
    """Take a statement. Whoever gives one does not rule."""
    _check_id(who, "--who")
    _add(dispute_id, lambda file, _: disputes.give_statement(file, who, part, text), database_url, data_dir, by)


@app.command()
def note(
    dispute_id: DisputeId, text: Text, database_url: DatabaseUrl = None, data_dir: DataDir = None, by: By = None
) -> None:
    """Note something, also on a closed file."""
    _add(dispute_id, lambda file, _: disputes.note(file, text), database_url, data_dir, by)


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
    moments = _moment_ms(since, "--from"), _moment_ms(until, "--to")
    _add(dispute_id, lambda file, _: disputes.refer(file, camera, *moments, text), database_url, data_dir, by)


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
    until = _moment_ms(to, "--to")
    _add(dispute_id, lambda file, now: disputes.move_deadline(file, until, reason, now), database_url, data_dir, by)


def _add(
    dispute_id: str,
    decide: Callable[[Dispute, int], DisputeEvent],
    database_url: str | None,
    data_dir: Path | None,
    by: str | None,
) -> None:
    from infra.ledger.disputes.disputes import Disputes

    who = actor(by)
    with _ledger(database_url, data_dir) as ledger:
        _say(ledger, Disputes(ledger).add(dispute_id, lambda file: decide(file, who.at_ms), who))


# ---- ruling


@app.command()
def rule(
    dispute_id: DisputeId,
    outcome: Annotated[disputes.Outcome, typer.Option(help="What becomes of the claim.")],
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
    password_stdin: FromInput = False,
) -> None:
    """Rule on a dispute, or with --appeal on its appeal; the entries are posted with the ruling.

    Where money moves two people sign, --by and --second; both give their passwords, unless the staff register is empty.
    """
    from infra.ledger.disputes.disputes import Disputes

    _check_id(second, "--second")
    if on_appeal and appeal_until is not None:
        fail("the ruling on an appeal is the last word: --appeal-until does not go with it")
    who = actor(by)
    until = _moment_ms(appeal_until, "--appeal-until", who.at_ms + DAYS_TO_APPEAL * DAY_MS)
    with _ledger(database_url, data_dir) as ledger:
        file = Disputes(ledger)
        if second is not None and ledger.staff.any():
            arbiters = ARBITERS if on_appeal else ARBITERS[:1]
            _, second = two_signed(ledger, Passwords(password_stdin), by, second, arbiters, ARBITERS)
        seated = ledger.load(file.get(dispute_id).dispute.opened.round).round.seated
        ruling = outcome, reason, second, [_entry(text, seated) for text in entry or []]
        if on_appeal:
            filed = file.rule_appeal(dispute_id, *ruling, who)
        else:
            filed = file.rule(dispute_id, *ruling, until, who)
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

    def appealed(file: Dispute, now: int) -> DisputeEvent:
        until = _moment_ms(deadline, "--deadline", now + DAYS_TO_RULE * DAY_MS)
        return disputes.appeal(file, appellant, grounds, until, now)

    _add(dispute_id, appealed, database_url, data_dir, by)


@app.command()
def close(
    dispute_id: DisputeId,
    how: Annotated[disputes.Ending, typer.Option(help="How it ends.")],
    reason: Reason,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
    by: By = None,
) -> None:
    """Close a dispute."""
    _add(dispute_id, lambda file, now: disputes.close(file, how, reason, now), database_url, data_dir, by)


# ---- looking


@app.command()
def show(
    dispute_id: DisputeId, as_json: AsJson = False, database_url: DatabaseUrl = None, data_dir: DataDir = None
) -> None:
    """The file of a dispute: claim, evidence, what was said, what the rules say beside what was paid, rulings."""
    from infra.ledger.disputes.dispute_document import dispute_with_round
    from infra.ledger.disputes.disputes import Disputes
    from projections.calendar.property_clock import clock_of

    with _ledger(database_url, data_dir) as ledger:
        file = dispute_with_round(ledger, Disputes(ledger).get(dispute_id), actor(None).at_ms)
        clock = clock_of(ledger.events.recorder.database)
    if as_json:
        write_json(file)
        return
    late = ", overdue" if file["overdue"] else ""
    held = "unchanged since" if file["intact"] else "CHANGED SINCE"
    due = clock.moment(file["deadline"])
    typer.echo(f"{file['dispute']}  {file['status']}{late}  round {file['round']}  {file['bettor']} {file['spot']}")
    typer.echo(f"{file['kind']}, {file['claimed']} claimed, {file['awarded']} awarded, due {due}")
    typer.echo(f"times are the property's ({clock.zone(clock.local(file['opened_at']))})")
    typer.echo(f"evidence: {file['evidence']['version']} events, {file['evidence']['events_hash']}, {held}")
    typer.echo("may not rule: " + ", ".join(f"{who} ({why})" for who, why in sorted(file["involved"].items())) + "\n")
    told = [{**it, "at": clock.moment(it["at"]), "text": clock.words(it["text"])} for it in file["events"]]
    print_table(("step", "at", "by", "text"), told)
    if file["lines"]:
        typer.echo()
        columns = ("seat", "bettor", "spot", "outcome", "paid", "collected", "reported_paid", "reported_collected")
        print_table((*columns, "difference", "corrected", "clause"), file["lines"])
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
        write_json(found)
        return
    columns = ("dispute", "status", "overdue", "deadline", "table", "dealer", "kind", "claimed", "awarded", "round")
    print_table(columns, found)


@app.command()
def dossier(
    dispute_id: DisputeId,
    into: Annotated[Path, typer.Option("--output", metavar="FILE", help="Where the PDF goes.")],
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
) -> None:
    """The whole file as a PDF."""
    from infra.ledger.disputes.disputes import Disputes
    from projections.export.dossier import dossier as written

    with _ledger(database_url, data_dir) as ledger:
        reader = actor(None)
        write(written(ledger, Disputes(ledger).get(dispute_id), reader.at_ms, reader.by), into)


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
    from infra.ledger.disputes.dispute_document import what_if_document
    from infra.ledger.disputes.disputes import Disputes

    cards, facts = [_card(text) for text in card or []], dict(_fact(text) for text in fact or [])
    with _ledger(database_url, data_dir) as ledger:
        found = what_if_document(round_id, ledger.what_if(round_id, cards, facts))
        if dispute_id is not None:
            file = Disputes(ledger)
            if file.get(dispute_id).dispute.opened.round != round_id:
                fail(f"dispute {dispute_id} is about another round")
            file.ask_what_if(dispute_id, cards, facts, text, actor(by))
    if as_json:
        write_json(found)
        return
    _print_what_if(found)


# ---- who deals


@dealers.command("in")
def tap_in(
    table: TableId,
    dealer: Annotated[str, typer.Argument(metavar="DEALER", help="The staff id of whoever deals from now on.")],
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
    by: By = None,
) -> None:
    """A dealer taps in at a table, between rounds; whoever dealt before is out."""
    _check_id(dealer, "DEALER")
    _tap(table, dealer, database_url, data_dir, actor(by or dealer))


@dealers.command("out")
def tap_out(table: TableId, database_url: DatabaseUrl = None, data_dir: DataDir = None, by: By = None) -> None:
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
    place, *parts = text.split(":")
    if len(parts) not in (3, 4) or not re.fullmatch(r"[1-9](\.[1-9])?", place):
        fail(f"{text!r} is not of the form {form}; 3.2 is hand 2 of seat 3")
    spot, one, two, *bettor = parts
    seat, hand = int(place[0]), int(place[2:] or 1)
    return seat, hand, bettor[0] if bettor else seated.get(seat, ""), spot, one, two


def _cents(text: str, signed: bool = False) -> int:
    if not re.fullmatch(MONEY_PATTERN, text.removeprefix("-") if signed else text):
        fail(f"{text!r} is not an amount with two decimals")
    return cents(text)


def _entry(text: str, seated: Any) -> Entry:
    seat, hand, who, spot, amount, account = _wager(text, "SEAT:SPOT:AMOUNT:ACCOUNT[:BETTOR]", seated)
    return Entry(seat, who, spot, _cents(amount, signed=True), account, hand)


def _payment(text: str, seated: Any) -> PaymentReported:
    seat, hand, who, spot, paid, collected = _wager(text, "SEAT:SPOT:PAID:COLLECTED[:BETTOR]", seated)
    return PaymentReported(seat, who, hand, spot, _cents(paid), _cents(collected))


def _card(text: str) -> CardChange:
    found = re.fullmatch(r"(dealer|board|[1-9](?:\.([1-9]))?):([1-9][0-9]?)=(\w\w)", text)
    if found is None:
        fail(f"--card is a place, a number and a card like dealer:2=Kd, not {text!r}")
    place, hand, number, card = found.groups()
    return CardChange(int(place[0]) if place[0].isdecimal() else place, int(number), card, int(hand or 1))


def _fact(text: str) -> tuple[int, dict[str, Any]]:
    number, _, action = text.partition("=")
    try:
        if number.isascii() and number.isdecimal():
            return int(number), msgspec.json.decode(action.encode(), type=dict[str, Any])
    except msgspec.MsgspecError:
        pass
    fail(f'--fact is a number and an action like 6={{"do": "settle"}}, not {text!r}')


def _moment_ms(text: str | None, option: str, otherwise: int = 0) -> int:
    found = moment_ms(text, option)
    return otherwise if found is None else found


def _check_id(text: str | None, what: str) -> None:
    if text is not None and not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,39}", text):
        fail(f"{what} is an id of small letters, digits and hyphens, at most 40, not {text!r}")


# ---- printing


def _say(ledger: "Ledger", filed: "StoredDispute") -> None:
    from domain.disputes.dispute_text import event_text
    from projections.calendar.property_clock import clock_of

    said = clock_of(ledger.events.recorder.database).words(event_text(filed.entries[-1].event))
    typer.echo(f"{filed.dispute.id}: {said}", err=True)


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
    shown = [{**line, "was": _paid(line["before"]), "would be": _paid(line["after"])} for line in found["lines"]]
    clauses = [{**line, "clause": (line["after"] or line["before"])["clause"]} for line in shown]
    print_table(("seat", "bettor", "spot", "was", "would be", "difference", "clause"), clauses)
    moved = ", ".join(f"{bettor} {amount}" for bettor, amount in found["bettors"].items()) or "nobody"
    typer.echo(f"difference: {moved}; bank {found['bank']}; {found['unchanged']} lines stay as they are")


def _paid(line: dict[str, Any] | None) -> str:
    return "" if line is None else f"{line['outcome']}, paid {line['paid']}, collected {line['collected']}"

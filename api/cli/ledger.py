"""`roundledger record`, `replay` and `migrate`: recording and replaying rounds."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated, Any

import typer

from api.cli.adjudicate import File, open_documents, write_results
from api.cli.terminal.database import (
    By,
    DatabaseUrl,
    DataDir,
    actor,
    check_address,
    on_ledger,
    open_database,
    open_ledger,
)
from api.cli.terminal.errors import database_failed, fail
from api.cli.terminal.output import console

if TYPE_CHECKING:
    from infra.ledger.ledger import Ledger
    from projections.calendar.property_clock import PropertyClock


def record(
    file: File = None,
    dated: Annotated[
        bool, typer.Option("--dated", help='Lines are {"at": TIME, "document": …}, with the time of the round.')
    ] = False,
    late: Annotated[bool, typer.Option("--late", help="With --dated: mark all of them as entered late.")] = False,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
    by: By = None,
) -> None:
    """Store each round document in the ledger, one transaction per round, and print its result.

    A round that is already stored under the same id with the same content gets its first answer again. The exit code is
    1 if any round was refused.
    """
    from api.cli.terminal.dated_documents import actor_of, read_dated
    from api.cli.terminal.document_lines import read_lines
    from api.cli.terminal.progress import progress_over
    from domain.documents.document import encode_result, refused_document
    from domain.documents.json_reader import read_json
    from domain.errors import Refusal
    from infra.store.errors import NotRecording, StoreError

    if late and not dated:
        fail("a late entry says when it happened: --late goes with --dated")
    refused = 0

    def recorded(ledger: "Ledger", line: bytes) -> dict[str, Any]:
        raw: Any = None
        try:
            if not dated:
                raw = read_json(line)
                return ledger.record(raw, actor(by))
            entry = read_dated(line)
            raw = entry.document
            return ledger.record(raw, actor_of(entry, actor(by).by, late))
        except Refusal as refusal:
            return {**refused_document(raw, refusal), "id": None, "events": 0}

    def results(ledger: "Ledger", lines: Iterable[bytes]) -> Iterator[bytes]:
        nonlocal refused
        for line in lines:
            result = recorded(ledger, line)
            refused += result["status"] == "refused"
            yield encode_result(result)

    with ExitStack() as stack:
        documents = open_documents(stack, file)
        ledger = stack.enter_context(open_ledger(database_url, data_dir))
        lines = progress_over(read_lines(documents), file, "Recording")
        try:
            write_results(results(ledger, lines), at_once=True)
        except NotRecording:
            raise  # the message itself says what to do
        except StoreError as error:
            database_failed(error)
    if refused:
        raise typer.Exit(1)


def migrate(
    service_password: Annotated[
        str | None,
        typer.Option(
            "--service-password",
            envvar="ROUNDLEDGER_SERVICE_PASSWORD",
            show_default=False,
            help="Let the role roundledger_service log in with this password; better given in the environment.",
        ),
    ] = None,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
) -> None:
    """Bring the database schema up to date; safe to run from several places at once.

    This needs the rights of the schema's owner. Everything else works as the role roundledger_service.
    """
    import psycopg

    from infra.schema.migrator import MigrationRefused, set_service_password
    from infra.schema.migrator import migrate as bring_up_to_date

    if database_url is None:
        with open_database(None, data_dir):
            typer.echo("The embedded database is up to date.")
        return
    check_address(database_url)
    try:
        report = bring_up_to_date(database_url)
        if service_password:
            set_service_password(database_url, service_password)
    except (psycopg.Error, MigrationRefused) as error:
        fail(str(error))
    for warning in report.warnings:
        typer.echo(f"roundledger: {warning}", err=True)
    typer.echo(f"Applied: {', '.join(report.applied)}." if report.applied else "Nothing to apply: up to date.")


@on_ledger
def replay(
    ledger: "Ledger",
    round_id: Annotated[str, typer.Argument(metavar="ROUND", help="The round's id.")],
    step: Annotated[int | None, typer.Option(min=1, help="Only the first events, up to this one.")] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="For programs: the events and the result at that step.")
    ] = False,
) -> None:
    """Print a recorded round event by event: time (by the property's clock), seat, cards, money and clause."""
    from infra.ledger.replay import replay_of
    from projections.calendar.property_clock import clock_of

    replayed = replay_of(ledger, round_id, step)
    clock = clock_of(ledger.events.recorder.database)
    if replayed is None:
        fail(f"there is no round {round_id}")
    if as_json:
        import msgspec

        sys.stdout.buffer.write(msgspec.json.encode(replayed.document()) + b"\n")
        return
    _print_timeline(replayed, clock)


def _print_timeline(replayed: Any, clock: "PropertyClock") -> None:
    from rich.table import Table
    from rich.text import Text

    from domain.money import money

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading, justify in (
        ("#", "right"),
        ("time", "left"),
        ("seat", "right"),
        ("cards", "left"),
        ("money", "right"),
    ):
        table.add_column(heading, justify=justify, no_wrap=True)  # type: ignore[arg-type]
    table.add_column("what happened")
    table.add_column("clause", style="dim")
    opened = replayed.steps[0].entry.at
    for step in replayed.steps:
        entry, text = step.entry, step.text
        cards = Text(" ").join(Text(card, style="red" if card[1:] in ("d", "h") else "") for card in text.cards)
        amount = "" if text.amount is None else money(text.amount)
        seat = "" if text.seat is None else str(text.seat)
        style = {"win": "green", "lose": "red"}.get(getattr(entry.event, "outcome", ""), "")
        time = f"{clock.after(opened, entry.at)}{' late' if entry.late else ''}"
        table.add_row(str(step.number), time, seat, cards, amount, Text(text.what, style=style), text.clause or "")
    head = f"{replayed.result['ruleset']}  {replayed.result['status']}  {clock.moment(opened)} {clock.zone(opened)}"
    out = console()
    out.print(f"[bold]{replayed.round_id}[/bold]  {head}")
    out.print(table)

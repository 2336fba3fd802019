"""`roundledger slip`: ask for a fill or a credit, issue and void it, count a tray by denomination, show and print."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from api.cli.terminal.database import By, actor, on_ledger
from api.cli.terminal.output import print_json, write
from api.cli.terminal.signing import FromInput, SecondPerson, one_signs, two_sign
from domain.books.slips import MovedKind
from domain.floor.table_sessions import TrayCount

if TYPE_CHECKING:
    from domain.books.slips import Slip
    from infra.ledger.ledger import Ledger

app = typer.Typer(help="Numbered slips: fills, credits and tray counts by denomination.", no_args_is_help=True)
Number = Annotated[int, typer.Argument(metavar="NUMBER", min=1, help="The number of the slip.")]
Table = Annotated[str, typer.Argument(metavar="TABLE", help="A house-banked table that is open.")]
Given = Annotated[
    list[str], typer.Argument(metavar="PIECES...", help="Denomination and pieces, such as 100.00x20 25.00x40.")
]
Other = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[PIECES]...", help="Where they are not those that were asked for: 500.00x6.", show_default=False
    ),
]


@app.command("request")
@on_ledger
def request(
    ledger: "Ledger",
    kind: Annotated[MovedKind, typer.Argument(metavar="KIND", help="fill or credit.")],
    table: Table,
    pieces: Given,
    by: By = None,
    password_stdin: FromInput = False,
) -> None:
    """Ask the cage for a fill or a credit. It has its number from now on; no chips move."""
    from api.service import roles
    from infra.ledger.books.slips import Slips

    who = one_signs(ledger, by, password_stdin, roles.FLOOR)
    _say(Slips(ledger).request(kind, table, _read(pieces), who))


@app.command("issue")
@on_ledger
def issue(
    ledger: "Ledger",
    number: Number,
    pieces: Other = None,
    second: SecondPerson = None,
    by: By = None,
    password_stdin: FromInput = False,
) -> None:
    """Issue it, by the cashier and a third person: the chips move."""
    from api.service import roles
    from infra.ledger.books.slips import Slips

    who, other = two_sign(ledger, by, second, password_stdin, roles.CAGE, roles.VOIDING)
    _say(Slips(ledger).issue(number, other, who, _read(pieces) if pieces else None))


@app.command("void")
@on_ledger
def void(
    ledger: "Ledger",
    number: Number,
    reason: Annotated[str, typer.Option(help="Why, in one line.")],
    second: SecondPerson = None,
    by: By = None,
    password_stdin: FromInput = False,
) -> None:
    """Void a fill or a credit, by two people. What an issued one moved goes back."""
    from api.service import roles
    from infra.ledger.books.slips import Slips

    who, other = two_sign(ledger, by, second, password_stdin, roles.VOIDING, roles.VOIDING)
    _say(Slips(ledger).void(number, reason, other, who))


@app.command("count")
@on_ledger
def count(
    ledger: "Ledger",
    table: Table,
    when: Annotated[TrayCount, typer.Argument(metavar="WHEN", help="opening or closing.")],
    pieces: Other = None,
    second: SecondPerson = None,
    by: By = None,
    password_stdin: FromInput = False,
) -> None:
    """Count a tray by denomination, by two people; no pieces where it is empty."""
    from api.service import roles
    from infra.ledger.books.slips import Slips

    who, other = two_sign(ledger, by, second, password_stdin, roles.FLOOR, roles.TRAY_COUNTING)
    _say(Slips(ledger).count_tray(table, when, _read(pieces or []), other, who))


@app.command("show")
@on_ledger
def show(ledger: "Ledger", number: Number) -> None:
    """Print a slip with its pieces and signatures, as JSON."""
    from projections.views.books.slip_views import slip_details

    print_json(slip_details(ledger.events, number))


@app.command("print")
@on_ledger
def paper(
    ledger: "Ledger",
    number: Number,
    into: Annotated[Path | None, typer.Option("--output", metavar="FILE", help="By default slip-NUMBER.pdf.")] = None,
) -> None:
    """Write its two parts, for the cage and for the table, as a PDF."""
    from datetime import UTC, datetime

    from infra.ledger.property import property_of
    from projections.calendar.property_clock import clock_of
    from projections.export.slip_sheet import slip_sheet
    from projections.views.books.slip_views import slip_details

    slip, database = slip_details(ledger.events, number), ledger.database
    made = slip_sheet(slip, datetime.now(UTC), clock_of(database), property_of(database), actor(None).by)
    write(made, into or Path(f"slip-{slip['name']}.pdf"))


def _read(pieces: list[str]) -> dict[int, int]:
    from domain.errors import BadDocument
    from domain.money import cents

    found: dict[int, int] = {}
    for one in pieces:
        worth, _, number = one.partition("x")
        if not (number.isascii() and number.isdecimal()):
            raise BadDocument(f"{one} is no denomination with its pieces, such as 25.00x40.")
        found[cents(worth)] = found.get(cents(worth), 0) + int(number)
    return found


def _say(slip: "Slip") -> None:
    from domain.books.slips import name_of
    from domain.money import money

    typer.echo(f"Slip {name_of(slip.number)} is {slip.status}: {slip.kind}, table {slip.table}, {money(slip.amount)}.")

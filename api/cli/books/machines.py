"""`roundledger machine`: how the files of count machines are read, and counting a box by one."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from api.cli.reports import bring_up_to_date
from api.cli.terminal.database import By, on_ledger
from api.cli.terminal.errors import fail
from api.cli.terminal.files import read_bytes, read_text
from api.cli.terminal.signing import FromInput, one_signs

if TYPE_CHECKING:
    from domain.books.count_machines import FileCount
    from infra.ledger.ledger import Ledger

app = typer.Typer(help="Count machines: their files, and boxes counted by one.", no_args_is_help=True)
Name = Annotated[str, typer.Argument(metavar="MACHINE", help="The name that the property gives it.")]
Box = Annotated[str, typer.Argument(metavar="BOX", help="The drop box.")]
File = Annotated[Path, typer.Argument(metavar="FILE", help="What the machine wrote, as CSV.")]


@app.command("keep")
@on_ledger
def keep(
    ledger: "Ledger",
    machine: Name,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="How its files are read, as TOML.")],
    by: By = None,
    password_stdin: FromInput = False,
) -> None:
    """Say how the files of a machine are read from now on."""
    from api.service import roles
    from infra.ledger.books.machines import keep_machine

    who = one_signs(ledger, by, password_stdin, roles.ACCOUNTING)
    keep_machine(ledger, machine, read_text(file), who)
    typer.echo(f"The description of {machine} is kept.", err=True)


@app.command("list")
@on_ledger
def list_machines(ledger: "Ledger") -> None:
    """List the machines, with who described them and when."""
    from api.cli.terminal.output import print_table
    from projections.views.floor.machine_counts import machines_shown

    print_table(("machine", "kept_at", "by"), machines_shown(ledger))


@app.command("show")
@on_ledger
def show(
    ledger: "Ledger",
    machine: Annotated[str | None, typer.Argument(metavar="[MACHINE]", help="One to begin with by default.")] = None,
) -> None:
    """Print how the files of a machine are read, or a description to begin with."""
    from domain.books.count_machines import starter
    from infra.ledger.books.machines import stored_machines

    if machine is None:
        typer.echo(starter(), nl=False)
        return
    texts = {entry.event.machine: entry.event.text for entry in stored_machines(ledger)}
    if machine not in texts:
        fail(f"there is no count machine {machine}")
    typer.echo(texts[machine], nl=False)


@app.command("try")
@on_ledger
def try_file(ledger: "Ledger", machine: Name, box: Box, file: File) -> None:
    """Print what a file says of a box. Nothing is stored."""
    from infra.ledger.books.machines import count_in_file

    _print(count_in_file(ledger, machine, read_bytes(file), box))


@app.command("count")
@on_ledger
def count(
    ledger: "Ledger", machine: Name, box: Box, file: File, by: By = None, password_stdin: FromInput = False
) -> None:
    """Count a box blind by a file. Somebody else counts it by hand; the file's hash is kept with the figures."""
    from api.service import roles
    from infra.ledger.books.machines import count_by_machine
    from projections.views.floor.machine_counts import read_file

    who = one_signs(ledger, by, password_stdin, roles.COUNTING)
    bring_up_to_date(ledger.database.url, "drops")
    found = read_file(ledger, box, machine, read_bytes(file), who.by)
    count_by_machine(ledger, box, machine, found, who)
    _print(found)
    typer.echo(f"Your count of box {box} is stored.", err=True)


def _print(count: "FileCount") -> None:
    from api.cli.terminal.output import print_table
    from domain.money import money

    rows = [
        {"denomination": money(worth), "pieces": number, "amount": money(worth * number)}
        for worth, number in sorted(count.pieces.items(), reverse=True)
    ]
    print_table(("denomination", "pieces", "amount"), rows)
    typer.echo(f"Total {money(count.total)}, file {count.digest}")

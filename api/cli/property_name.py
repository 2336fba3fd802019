"""`roundledger property`: the name and address shown on pages and papers."""

from typing import TYPE_CHECKING, Annotated

import typer

from api.cli.terminal.database import By, actor, on_ledger
from api.cli.terminal.errors import fail

if TYPE_CHECKING:
    from infra.ledger.ledger import Ledger

app = typer.Typer(help="The property's name and address, as shown on pages and papers.", no_args_is_help=True)


@app.command("show")
@on_ledger
def show(ledger: "Ledger") -> None:
    """Print every name and address that was set as JSON, one per line, oldest first; the last one applies."""
    import msgspec

    from infra.ledger.property import properties_set

    for one in properties_set(ledger.events.recorder.database):
        typer.echo(msgspec.json.encode(one))


@app.command("set")
@on_ledger
def set_(
    ledger: "Ledger",
    name: Annotated[str, typer.Option(help="The property's name.")],
    address: Annotated[str, typer.Option(help="On one line; optional.")] = "",
    by: By = None,
) -> None:
    """Change the name and address from now on. Papers printed before keep theirs."""
    from infra.ledger.property import BadProperty, Property, set_property

    try:
        set_property(ledger.events.recorder.database, Property(name.strip(), address.strip()), actor(by).by)
    except BadProperty as refusal:
        fail(str(refusal))

"""`roundledger property`: the name and the address that pages and papers show."""

from typing import Annotated

import typer

from api.cli.terminal.database import By, DatabaseUrl, DataDir, actor, open_ledger
from api.cli.terminal.errors import fail

app = typer.Typer(help="The property's name and address, as pages and papers show them.", no_args_is_help=True)


@app.command("show")
def show(database_url: DatabaseUrl = None, data_dir: DataDir = None) -> None:
    """Print every name and address that was set as JSON, one a line, the oldest first; the last one counts."""
    import msgspec

    from infra.ledger.property import properties_set

    with open_ledger(database_url, data_dir) as ledger:
        for one in properties_set(ledger.events.recorder.database):
            typer.echo(msgspec.json.encode(one))


@app.command("set")
def set_(
    name: Annotated[str, typer.Option(help="What the property calls itself.")],
    address: Annotated[str, typer.Option(help="In one line; may be left out.")] = "",
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
    by: By = None,
) -> None:
    """Show another name and address from now on. Papers that were printed before keep theirs."""
    from infra.ledger.property import BadProperty, Property, set_property

    with open_ledger(database_url, data_dir) as ledger:
        try:
            set_property(ledger.events.recorder.database, Property(name.strip(), address.strip()), actor(by).by)
        except BadProperty as refusal:
            fail(str(refusal))

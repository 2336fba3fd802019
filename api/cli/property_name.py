"""`roundledger property`: the name and address shown on pages and papers."""

from typing import Annotated

import typer

from api.cli.terminal.database import By, DatabaseUrl, DataDir, actor, open_ledger
from api.cli.terminal.errors import fail

app = typer.Typer(help="The property's name and address, as shown on pages and papers.", no_args_is_help=True)


@app.command("show")
def show(database_url: DatabaseUrl = None, data_dir: DataDir = None) -> None:
    """Print every name and address that was set as JSON, one per line, oldest first; the last one applies."""
    import msgspec

    from infra.ledger.property import properties_set

    with open_ledger(database_url, data_dir) as ledger:
        for one in properties_set(ledger.events.recorder.database):
            typer.echo(msgspec.json.encode(one))


@app.command("set")
def set_(
    name: Annotated[str, typer.Option(help="The property's name.")],
    address: Annotated[str, typer.Option(help="On one line; optional.")] = "",
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
    by: By = None,
) -> None:
    """Change the name and address from now on. Papers printed before keep theirs."""
    from infra.ledger.property import BadProperty, Property, set_property

    with open_ledger(database_url, data_dir) as ledger:
        try:
            set_property(ledger.events.recorder.database, Property(name.strip(), address.strip()), actor(by).by)
        except BadProperty as refusal:
            fail(str(refusal))

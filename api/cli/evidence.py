"""`roundledger evidence` and `verify`: write a round as a verifiable zip, and check it."""

from pathlib import Path
from typing import Annotated

import typer

from api.cli.log import KeysFolder, open_log, read_checkpoint, read_keys
from api.cli.terminal.database import DatabaseUrl, DataDir
from api.cli.terminal.errors import fail, nothing_unforeseen


def evidence(
    round_id: Annotated[str, typer.Argument(metavar="ROUND", help="The round's id.")],
    checkpoint: Annotated[
        Path | None,
        typer.Option(help="Prove it under this checkpoint, such as one that a witness cosigned.", show_default=False),
    ] = None,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
    keys: KeysFolder = None,
) -> None:
    """Write ROUND.zip into the current folder: the round, with proof for somebody who does not trust the house."""
    from infra.ledger.ledger import UnknownRound
    from infra.log.keys import default_folder
    from projections.evidence.current_bundle import make
    from projections.evidence.sources import NoEvidence, NotSealed

    under = None if checkpoint is None else read_checkpoint(checkpoint)
    with open_log(database_url, data_dir) as log:
        try:
            data = make(log, round_id, keys or default_folder(data_dir), under)
        except (UnknownRound, NotSealed, NoEvidence) as error:
            fail(str(error).rstrip("."))
    file = Path(f"{round_id}.zip")
    try:
        temporary = file.with_name(f"{file.name}.new")
        temporary.write_bytes(data)
        temporary.replace(file)
    except OSError as error:
        fail(f"{file} cannot be written: {error.strerror}")
    typer.echo(str(file))


@nothing_unforeseen("the bundle could not be checked")
def verify(
    bundle: Annotated[Path, typer.Argument(metavar="BUNDLE", help="A zip written by `evidence`.")],
    key: Annotated[
        list[str] | None,
        typer.Option(
            help="The log's key as you know it from elsewhere, or a file with it; a witness's too.", show_default=False
        ),
    ] = None,
    checkpoint: Annotated[
        list[Path] | None,
        typer.Option(help="A checkpoint that was kept elsewhere, such as a witness's.", show_default=False),
    ] = None,
) -> None:
    """Check an evidence bundle without a database or a network: every byte, the signature, the proofs, the round.

    The exit code is 0 if everything is right, 1 if not, and 2 if the file cannot be read or is not a zip.
    """
    from projections.evidence.verification import verify as check
    from projections.evidence.zip_file import is_zip, read_bounded

    try:
        with bundle.open("rb") as file:
            data = read_bounded(file)
    except OSError as error:
        fail(f"{bundle} cannot be read: {error.strerror}")
    if not is_zip(data):
        fail(f"{bundle} is not a zip, and so not an evidence bundle")
    verdict = check(data, read_keys(key or []), [read_checkpoint(file) for file in checkpoint or []])
    for fault in verdict.faults:
        typer.echo(f"WRONG  {fault.file}: {fault.detail}")
    if verdict.good:
        assert verdict.evidence is not None
        assert verdict.result is not None
        events, size = len(verdict.evidence.of_round), verdict.evidence.checkpoint.size
        typer.echo(f"good   every byte of {bundle.name} is as it was put together")
        typer.echo(f"good   the checkpoint of {size} events is signed by {verdict.evidence.key.text()}")
        typer.echo(f"good   all {events} events of round {verdict.evidence.round_id} are in that log")
        lines = len(verdict.result["lines"])
        typer.echo(f"good   decided again: {verdict.result['status']}, {lines} lines, the same to the cent")
    for note in verdict.notes:
        typer.echo(f"note   {note}")
    typer.echo("The bundle holds." if verdict.good else "The bundle does NOT hold.")
    if not verdict.good:
        raise typer.Exit(1)

"""`roundledger upgrade`: move a data folder to this release's PostgreSQL."""

from pathlib import Path
from typing import Annotated

import typer

from api.cli.terminal.database import DataDir
from api.cli.terminal.errors import fail, nothing_unforeseen

FINDINGS_EXIT = 1


@nothing_unforeseen("the database could not be upgraded")
def upgrade(
    data_dir: DataDir = None,
    old_install: Annotated[
        Path | None,
        typer.Option(metavar="DIR", show_default=False, help="Where the earlier PostgreSQL is installed."),
    ] = None,
) -> None:
    """Move the embedded database to the PostgreSQL of this release, and audit it there.

    It works on a copy, which needs disk space, and keeps the old folder. The exit code is 1 if the audit finds
    anything.
    """
    from infra.embedded import EmbeddedPostgresError, as_service, default_data_dir, embedded_postgres
    from infra.embedded.major_upgrade import upgrade as move
    from infra.schema.migrator import migrate
    from projections.audit.run import Audit

    folder = data_dir or default_data_dir()
    if not folder.is_dir():
        fail(f"{folder} does not exist; name the data folder with --data-dir")
    try:
        kept = move(folder, old_install, lambda what: typer.echo(f"roundledger: {what}", err=True))
        with embedded_postgres(folder) as url:
            migrate(url)
            found: list[str] = []
            summary = Audit(as_service(url), report=lambda finding: found.append(finding.what)).run()
    except EmbeddedPostgresError as error:
        fail(str(error))
    for what in found[:100]:
        typer.echo(what)
    typer.echo(f"Audit: {summary.rounds:,} rounds, {summary.findings:,} findings.")
    typer.echo(f"The database as it was is in {kept}. Make your own settings of its postgresql.conf again.")
    if not summary.clean:
        raise typer.Exit(FINDINGS_EXIT)
    typer.echo("Remove that folder after the next backup.")

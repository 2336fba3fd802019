"""`roundledger housekeeping` and `hold`: removing data past its retention, and legal holds."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from api.cli.terminal.database import (
    By,
    DatabaseUrl,
    DataDir,
    actor,
    ledger_folder,
    on_ledger,
    open_database,
    read_settings,
)
from api.cli.terminal.errors import fail

if TYPE_CHECKING:
    from infra.housekeeping.holds import Hold
    from infra.ledger.ledger import Ledger

holds = typer.Typer(help="Legal holds: keep everything about a round or a dispute.", no_args_is_help=True)


KindArgument = Annotated[Literal["round", "dispute"], typer.Argument(metavar="KIND", help="round or dispute.")]
Subject = Annotated[str, typer.Argument(metavar="ID", help="Of the round or the dispute.")]
Reason = Annotated[str, typer.Option(help="Why; one line.")]


def housekeeping(database_url: DatabaseUrl = None, data_dir: DataDir = None, by: By = None) -> None:
    """Remove receipts, looks, sign-ins, sessions and audits past their retention, and thin out old checkpoints.

    The service does this once a day. Nothing of the record is removed, and every removal is recorded.
    """
    from collections import Counter

    from infra.housekeeping.housekeeper import AlreadyTidying, tidy

    retention = read_settings().retention()
    if database_url is None:
        ledger_folder(data_dir)
    removed: Counter[str] = Counter()
    with open_database(database_url, data_dir) as url:
        try:
            for step in tidy(url, retention, actor(by).by):
                removed[step.kind] += step.rows
        except AlreadyTidying as error:
            fail(str(error))
    for kind, rows in removed.items():
        typer.echo(f"{kind.replace('_', '-')}: {rows:,} removed")
    if not removed:
        typer.echo("Nothing has passed its retention.")


@holds.command("place")
@on_ledger
def place(
    ledger: "Ledger",
    kind: KindArgument,
    subject: Subject,
    reason: Reason,
    by: By = None,
) -> None:
    """Keep everything about a round or a dispute, whatever its retention. The trail records the hold."""
    from infra.housekeeping.holds import Holds

    placed = Holds(ledger).place(kind, subject, reason, actor(by).by)
    for hold in placed:
        _print(hold)


@holds.command("lift")
@on_ledger
def lift(
    ledger: "Ledger",
    kind: KindArgument,
    subject: Subject,
    reason: Reason,
    by: By = None,
) -> None:
    """Lift a hold, so that retention applies again. The trail records it."""
    from infra.housekeeping.holds import Holds

    _print(Holds(ledger).lift(kind, subject, reason, actor(by).by))


@holds.command("list")
@on_ledger
def list_(
    ledger: "Ledger",
    everything: Annotated[bool, typer.Option("--all", help="Also those that were lifted.")] = False,
) -> None:
    """Print the holds in force as JSON, one per line, oldest first."""
    from infra.housekeeping.holds import Holds

    known = Holds(ledger)
    for hold in known.history() if everything else known.in_force():
        _print(hold)


def _print(hold: "Hold") -> None:
    import msgspec

    typer.echo(msgspec.json.encode(hold._asdict()))

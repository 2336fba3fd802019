"""`roundledger people`: who may sign in to the pages."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from api.cli.terminal.database import By, DatabaseUrl, DataDir, actor, open_ledger
from api.cli.terminal.errors import fail

if TYPE_CHECKING:
    from infra.access.staff import Staff

app = typer.Typer(help="People who may sign in to the pages.", no_args_is_help=True)

StaffId = Annotated[str, typer.Argument(metavar="ID", help="The staff id.")]
FromInput = Annotated[
    bool, typer.Option("--password-stdin", help="Read the password from standard input, one line, without asking.")
]


@contextmanager
def _people(database_url: str | None, data_dir: Path | None) -> "Iterator[Staff]":
    """What the ledger refuses is one sentence and exit code 2, like everything else."""
    from infra.access.passwords import WeakPassword
    from infra.access.staff import NotAllowed

    with open_ledger(database_url, data_dir) as ledger:
        try:
            yield ledger.staff
        except (NotAllowed, WeakPassword) as refusal:
            fail(str(refusal))


def _password(from_input: bool) -> str:
    if from_input:
        return sys.stdin.readline().rstrip("\n")
    found: str = typer.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
    return found


@app.command("add")
def add(
    staff_id: StaffId,
    name: Annotated[str, typer.Option(help="What others call the person.")],
    role: Annotated[
        list[str],
        typer.Option(help="floor, cage, counter, accounting, auditor, admin, or terminal:TABLE; may be repeated."),
    ],
    password_stdin: FromInput = False,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
    by: By = None,
) -> None:
    """Let somebody sign in; asks for the password twice."""
    from infra.access.callers import STAFF_ID
    from infra.access.staff import NotAllowed, StaffMember, check_parts

    if not STAFF_ID.fullmatch(staff_id):
        fail("an id has small letters, digits and hyphens, at most 40")
    if not name.strip() or len(name) > 80 or not name.isprintable():
        fail("--name has 1 to 80 characters")
    try:
        check_parts(role)
    except NotAllowed as refusal:
        fail(str(refusal))
    password = _password(password_stdin)
    with _people(database_url, data_dir) as people:
        people.add(StaffMember(staff_id, name.strip(), tuple(role), False), password, actor(by).by)
    typer.echo(f"roundledger: {staff_id} can sign in", err=True)


@app.command("list")
def list_people(database_url: DatabaseUrl = None, data_dir: DataDir = None) -> None:
    """Everybody, with the parts they may take."""
    with _people(database_url, data_dir) as people:
        for one in people.everybody():
            status = "disabled" if one.disabled else ""
            typer.echo("\t".join((one.staff_id, one.name, ",".join(one.parts), status)).rstrip())


@app.command("password")
def password(
    staff_id: StaffId,
    password_stdin: FromInput = False,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
    by: By = None,
) -> None:
    """Give somebody a new password; all sessions end."""
    new = _password(password_stdin)
    with _people(database_url, data_dir) as people:
        people.change(staff_id, actor(by).by, password=new)
    typer.echo(f"roundledger: the password of {staff_id} is changed", err=True)


@app.command("disable")
def disable(staff_id: StaffId, database_url: DatabaseUrl = None, data_dir: DataDir = None, by: By = None) -> None:
    """End all of somebody's sessions, and let him sign in no more."""
    with _people(database_url, data_dir) as people:
        people.change(staff_id, actor(by).by, disabled=True)
    typer.echo(f"roundledger: {staff_id} can no longer sign in", err=True)


@app.command("enable")
def enable(staff_id: StaffId, database_url: DatabaseUrl = None, data_dir: DataDir = None, by: By = None) -> None:
    """Let somebody who was disabled sign in again."""
    with _people(database_url, data_dir) as people:
        people.change(staff_id, actor(by).by, disabled=False)
    typer.echo(f"roundledger: {staff_id} can sign in again", err=True)

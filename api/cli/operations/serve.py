"""`roundledger serve`, `token` and `config`: the HTTP service, its callers and its settings."""

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from api.cli.terminal.database import By, DatabaseUrl, DataDir, actor, open_database, open_ledger, read_settings
from api.cli.terminal.errors import fail
from api.cli.terminal.signing import FromInput, Passwords, SecondPerson, first_and_second, signatures_of
from infra.access.callers import Role

if TYPE_CHECKING:
    from api.service.settings import Settings
    from infra.ledger.ledger import Ledger

tokens = typer.Typer(help="Tokens for callers of the service, if no identity provider issues them.")


def serve(
    host: Annotated[str, typer.Option(envvar="ROUNDLEDGER_HOST", help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(envvar="ROUNDLEDGER_PORT", min=0, max=65535)] = 8000,
    workers: Annotated[int, typer.Option(envvar="ROUNDLEDGER_WORKERS", min=1, max=64, help="Number of processes.")] = 1,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
) -> None:
    """Serve the HTTP interface until interrupted. Without authentication it listens on loopback only."""
    from api.service.settings import SHORTEST_KEY, is_loopback

    settings = read_settings()
    if not settings.authenticated and not is_loopback(host):
        fail(
            f"{host} is not loopback and no authentication is configured: set ROUNDLEDGER_TOKEN_KEY or "
            "ROUNDLEDGER_TOKEN_JWKS_URL first"
        )
    with (
        open_database(database_url, data_dir) as url,
        tempfile.TemporaryDirectory() as folder,
        _with_standby(url, database_url, data_dir, settings),
    ):
        if workers > 1:
            os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", folder)  # before anybody counts
        from api.service.server import run
        from infra.embedded import default_data_dir
        from infra.log.keys import FOLDER_VARIABLE, default_folder
        from infra.standby.standby_state import is_standby
        from infra.store.database import rights_beyond_service

        if too_much := rights_beyond_service(url):
            _check_login(too_much, settings)
        os.environ.setdefault(FOLDER_VARIABLE, str(default_folder(data_dir)))  # every worker seals, if no other does
        if database_url is None:
            os.environ.setdefault("ROUNDLEDGER_DISK_FOLDER", str(data_dir or default_data_dir()))
        typer.echo(f"roundledger: http://{host}:{port}", err=True)
        if not settings.authenticated:
            typer.echo("roundledger: no authentication: anybody who can reach this address may do everything", err=True)
            typer.echo(
                "roundledger: to have people sign in, set ROUNDLEDGER_TOKEN_KEY to a secret of at least "
                f"{SHORTEST_KEY} characters and start again",
                err=True,
            )
        elif not is_standby(url):
            settings = _with_setup_code(url, settings, f"http://{host}:{port}/setup", default_folder(data_dir))
        run(url, host, port, workers, settings)


@contextmanager
def _with_standby(url: str, given_url: str | None, data_dir: Path | None, settings: "Settings") -> Iterator[None]:
    """Watch the embedded primary's standby. On a standby itself the service only reads, and keeps it running."""
    from infra.embedded import default_data_dir, embedded_postgres
    from infra.standby.replica import primary_of
    from infra.standby.standby_state import is_standby
    from infra.standby.standby_watch import watching

    folder = data_dir or default_data_dir()
    if is_standby(url):
        typer.echo("roundledger: this is a standby: everything can be read, and nothing is stored", err=True)
        primary = primary_of(folder) if given_url is None else None
        with nullcontext() if primary is None else watching(primary.url, "wait"):
            yield
    elif given_url is None:
        with embedded_postgres(folder) as administrator, watching(administrator, settings.standby_away):
            yield
    else:
        yield


def _check_login(too_much: str, settings: "Settings") -> None:
    """Refuse a login with more rights than the service needs: the login is the boundary inside the database."""
    if settings.allow_owner_login:
        typer.echo(f"roundledger: {too_much}; see docs/deployment.md", err=True)
        return
    fail(
        f"{too_much}. Run `roundledger migrate` with this URL and ROUNDLEDGER_SERVICE_PASSWORD set, then serve with "
        "a URL like postgresql://roundledger_service@host/name (docs/deployment.md). "
        "ROUNDLEDGER_ALLOW_OWNER_LOGIN=true serves all the same"
    )


def _with_setup_code(database_url: str, settings: "Settings", address: str, folder: Path) -> "Settings":
    """Create a setup code while there are fewer than two admins: shown on this terminal, or else in a file that only we
    can read. Output without a terminal ends up in a log, which more people read."""
    import secrets

    from pydantic import SecretStr

    from infra.access.staff import Staff
    from infra.store.database import Database

    file = folder / "setup-code"
    database = Database(database_url, connections_at_most=1)
    try:
        if settings.setup_code is not None or Staff(database).admins() >= 2:
            _forget(file)
            return settings
    finally:
        database.close()
    code = "-".join(secrets.token_hex(2) for _ in range(4))
    os.environ["ROUNDLEDGER_SETUP_CODE"] = code  # for the worker processes, which read their own settings
    where = code if sys.stderr.isatty() else f"in the file {_written(code, file)}"
    typer.echo(f"roundledger: make the first two admins at {address} with the code {where}", err=True)
    return settings.model_copy(update={"setup_code": SecretStr(code)})


def _written(code: str, file: Path) -> Path:
    """Write a file that only its owner can read."""
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _forget(file)
        with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as opened:
            opened.write(f"{code}\n")
    except OSError as error:
        fail(f"the code for the first admins cannot be written to {file}: {error.strerror}; set ROUNDLEDGER_SETUP_CODE")
    return file


def _forget(file: Path) -> None:
    with suppress(OSError):
        file.unlink()


def config() -> None:
    """Show the service's settings as read from the environment, with secrets masked."""
    from api.service.settings import PREFIX

    database = os.environ.get(f"{PREFIX}DATABASE_URL")
    typer.echo(f"{PREFIX}DATABASE_URL={'(set)' if database else ''}")  # it may contain a password
    for name, value in read_settings().shown().items():
        shown = json.dumps(value) if isinstance(value, dict) else "" if value is None else value
        typer.echo(f"{PREFIX}{name.upper()}={shown}")


@tokens.command("create")
def create_token(
    role: Annotated[Role, typer.Option(help="What the caller may do.")],
    table: Annotated[str | None, typer.Option(metavar="ID", help="The one table of a terminal.")] = None,
    days: Annotated[float, typer.Option(min=0.01, max=366, help="For how long.")] = 30,
    staff: Annotated[
        str | None,
        typer.Option(
            "--for",
            metavar="STAFF",
            show_default=False,
            help="The staff id that is recorded with every action; by default the terminal's table, or your login.",
        ),
    ] = None,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
    by: By = None,
    second: SecondPerson = None,
    password_stdin: FromInput = False,
) -> None:
    """Print a new token, and the id for revoking it on standard error. The trail records it.

    It belongs to a person on the staff register or to a machine, which signs nothing. Two admins sign for every role
    except terminal, --by and --second, unless the register is empty.
    """
    from api.service.identity.tokens import make_token
    from infra.access.callers import STAFF_ID, Forbidden
    from infra.access.role_matrix import NotAllowed

    settings = read_settings()
    if settings.token_key is None:
        fail("ROUNDLEDGER_TOKEN_KEY is not set: there is nothing to sign a token with")
    maker = actor(by).by
    holder = staff or (maker if table is None else f"terminal-{table}"[:40])
    for name, value in (("--for", holder), ("--table", table)):
        if value is not None and not STAFF_ID.fullmatch(value):
            fail(f"{name} has lower-case letters, digits and hyphens, at most 40")
    if (role == "terminal") != (table is not None):
        fail("a terminal's token names its --table, and nobody else's does")
    key = settings.token_key.get_secret_value()
    token, token_id = make_token(key, settings, holder, role, table, days)
    part = role if table is None else f"{role}:{table}"
    with open_ledger(database_url, data_dir) as ledger:
        try:
            machine = _recorded(ledger, Passwords(password_stdin), by, second, (holder, part, token_id, days))
        except (Forbidden, NotAllowed) as refusal:
            fail(str(refusal))
    sys.stdout.write(token + "\n")
    typer.echo(f"roundledger: id {token_id}", err=True)
    if machine:
        typer.echo(f"roundledger: {holder} is not on the staff register: this token is a machine's", err=True)


def _recorded(
    ledger: "Ledger", passwords: Passwords, by: str | None, second: str | None, made: tuple[str, str, str, float]
) -> bool:
    """Return whether the token is a machine's. A terminal's token, and any while the register is empty, needs no
    signature."""
    from infra.access.callers import OPEN, Caller
    from infra.access.grants import Grants
    from infra.access.role_matrix import takes_two
    from infra.access.tokens import Tokens

    grants = Grants(ledger.staff, Tokens(ledger.events.recorder.database), signatures_of(ledger))
    if ledger.staff.any() and takes_two([made[1]]):
        first, other = first_and_second(ledger, passwords, by, second, "admin")
        return grants.make_token(first, other, *made)
    return grants.make_token(Caller(actor(by).by, OPEN), None, *made)


@tokens.command("revoke")
def revoke_token(
    token_id: Annotated[str, typer.Argument(metavar="ID", help="The token's id, as `create` printed it.")],
    reason: Annotated[str, typer.Option(help="Why.")] = "revoked on the command line",
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
    by: By = None,
) -> None:
    """Revoke a token for good; every process of the service knows within a second."""
    from infra.access.tokens import Tokens

    with open_ledger(database_url, data_dir) as ledger:
        Tokens(ledger.events.recorder.database).revoke(token_id, actor(by).by, reason)
    typer.echo(f"roundledger: {token_id} is revoked", err=True)

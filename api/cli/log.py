"""`roundledger log` and `witness`: the transparency log, its keys, and an outside witness."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from api.cli.terminal.database import By, DatabaseUrl, DataDir, actor, open_database, open_ledger
from api.cli.terminal.errors import fail
from api.cli.terminal.signing import FromInput, Passwords, two_signed

if TYPE_CHECKING:
    from infra.log.checkpoints import Checkpoint
    from infra.log.sealer import Sealer
    from infra.log.signed_notes import Verifier
    from infra.log.stored_log import LogReader

app = typer.Typer(help="The transparency log of the events: seal it, show it, manage its key.", no_args_is_help=True)
keys_app = typer.Typer(help="The key that signs the log's checkpoints.", no_args_is_help=True)
app.add_typer(keys_app, name="key")

SUCCEEDING = ("admin", "auditor", "accounting")  # who, with an admin, signs that a log continues under a new name
MOST_NOTE_BYTES = 1 << 20  # of a key, a checkpoint or a proof: a few hundred in practice

KeysFolder = Annotated[
    Path | None,
    typer.Option(
        "--keys",
        envvar="ROUNDLEDGER_LOG_KEYS",
        show_default=False,
        help="The folder of private keys; `keys` in the data folder by default.",
    ),
]


@contextmanager
def open_log(database_url: str | None, data_dir: Path | None) -> "Iterator[LogReader]":
    from infra.log.stored_log import LogReader
    from infra.store.database import Database

    with open_database(database_url, data_dir) as url:
        database = Database(url)
        try:
            yield LogReader(database)
        finally:
            database.close()


@contextmanager
def _open_sealer(database_url: str | None, data_dir: Path | None, keys: Path | None) -> "Iterator[Sealer]":
    """Open the sealer, or exit with code 2 and the reason."""
    from infra.log.keys import KeyProblem, default_folder
    from infra.log.sealer import AlreadySealing, BrokenLog, Sealer
    from infra.log.signed_notes import BadNote

    with open_database(database_url, data_dir) as url:
        try:
            with Sealer(url, keys or default_folder(data_dir)) as sealer:
                yield sealer
        except (AlreadySealing, BrokenLog, KeyProblem, BadNote) as error:
            fail(str(error))


@app.command()
def seal(
    once: Annotated[bool, typer.Option("--once", help="Seal the events stored so far, then stop.")] = False,
    every: Annotated[float, typer.Option(min=0.05, max=3600, help="Seconds between checks.")] = 1.0,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
    keys: KeysFolder = None,
) -> None:
    """Seal the settled events, then new ones as they arrive, until interrupted."""
    from api.cli.terminal.progress import counting

    with _open_sealer(database_url, data_dir, keys) as sealer:
        with counting(sealer.log.lag().events, "Sealing") as progress:
            sealed = sealer.seal(progress)
        goes_on = "" if once else "; going on with those that come, until Ctrl-C"
        typer.echo(f"roundledger: {sealed} events sealed, {sealer.size} in the log{goes_on}", err=True)
        if not once:
            stop = threading.Event()
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, lambda *_: stop.set())
            sealer.follow(stop, every)


@app.command()
def checkpoint(
    since: Annotated[
        int | None,
        typer.Option(
            min=1,
            show_default=False,
            help="Print the hashes that prove that the log has only grown since the checkpoint of this size.",
        ),
    ] = None,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
) -> None:
    """Print the log's last signed checkpoint. Keep it somewhere else: it shows whether the log was changed."""
    from infra.log.proofs import Nodes, consistency, hash_lines
    from infra.log.stored_log import NotSigned

    with open_log(database_url, data_dir) as log:
        latest = log.latest()
        if latest is None:
            fail("nothing has been sealed yet: run `roundledger log seal --once`")
        if since is None:
            sys.stdout.write(latest.note)
        elif since > latest.size:
            fail(f"the log has {latest.size} events, fewer than {since}")
        else:
            try:
                log.check_signed(since)
            except NotSigned as refusal:
                fail(str(refusal))
            sys.stdout.write(hash_lines(consistency(Nodes(log, latest.size), since, latest.size)))


@app.command()
def succeed(
    reason: Annotated[str, typer.Option(help="Why events that were published are lost, in one line.")],
    second: Annotated[str, typer.Option(metavar="ID", help="The second person, who signs with a password.")],
    by: By = None,
    password_stdin: FromInput = False,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
    keys: KeysFolder = None,
) -> None:
    """Continue the log under a new name, after a restore that lost published events.

    Two people sign, and an event records it: an admin, and a second admin, an auditor or an accountant. Both give their
    passwords, unless the staff register is empty. Every later checkpoint names the old log, and a witness that knows
    the old log accepts the new one with the reason.
    """
    from infra.access.callers import Forbidden
    from infra.log.keys import KeyProblem, default_folder
    from infra.log.restored_log import continue_log
    from infra.log.sealer import AlreadySealing, BrokenLog

    with open_ledger(database_url, data_dir) as ledger:
        try:
            people = actor(by).by, second
            if ledger.staff.any():
                people = two_signed(ledger, Passwords(password_stdin), by, second, ["admin"], SUCCEEDING)
            url = ledger.events.recorder.database.url
            key = continue_log(url, keys or default_folder(data_dir), *people, reason)
        except (AlreadySealing, BrokenLog, Forbidden, KeyProblem) as error:
            fail(str(error))
    typer.echo(key.text())


@keys_app.command("create")
def create_key(
    origin: Annotated[
        str | None,
        typer.Option(
            envvar="ROUNDLEDGER_LOG_ORIGIN",
            show_default=False,
            help="The log's permanent name, like casino.example/floor; generated by default.",
        ),
    ] = None,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
    keys: KeysFolder = None,
) -> None:
    """Create the log's first key and print its public half. Sealing does this itself if there is no key."""
    with _open_sealer(database_url, data_dir, keys) as sealer:
        typer.echo(sealer.create_key(origin).text())


@keys_app.command("show")
def show_keys(
    pem: Annotated[bool, typer.Option("--pem", help="Print the current key for openssl.")] = False,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
) -> None:
    """Print the log's public keys, the current one first. Give them to everybody who verifies."""
    with open_log(database_url, data_dir) as log:
        known = log.keys()[::-1]
    if not known:
        fail("the log has no key yet: run `roundledger log seal --once`")
    if pem:
        sys.stdout.write(known[0].pem())
    else:
        sys.stdout.write("".join(f"{key.text()}\n" for key in known))


@keys_app.command("rotate")
def rotate_key(
    lost: Annotated[
        bool, typer.Option("--lost", help="The current key is lost and cannot vouch for the new one.")
    ] = False,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
    keys: KeysFolder = None,
) -> None:
    """Sign with a new key from now on, and print its public half. Signatures of the old key stay valid."""
    with _open_sealer(database_url, data_dir, keys) as sealer:
        typer.echo(sealer.rotate_key(lost=lost).text())


def witness(
    source: Annotated[str, typer.Argument(help="The service's address, http…, or a file with a checkpoint.")],
    folder: Annotated[Path, typer.Option(help="Where the witness keeps its key and what it has seen.")] = Path(
        "witness"
    ),
    name: Annotated[str, typer.Option(help="The witness's name, when its key is made.")] = "witness.example/auditor",
    key: Annotated[
        list[str] | None,
        typer.Option(
            help="The log's key as you know it, or a file with it; may be given several times.", show_default=False
        ),
    ] = None,
    proof: Annotated[
        Path | None,
        typer.Option(help="For a checkpoint from a file: hashes of `log checkpoint --since`.", show_default=False),
    ] = None,
    token: Annotated[
        str | None, typer.Option(envvar="ROUNDLEDGER_TOKEN", help="For the service.", show_default=False)
    ] = None,
) -> None:
    """Watch a log from outside: keep its checkpoint, check that it has only grown, and cosign it.

    The exit code is 1, with the reason, if the log is shorter than before, forked, or signed by somebody else.
    """
    from infra.log.keys import KeyProblem
    from infra.log.remote_log import RemoteLog, Unreachable
    from infra.log.signed_notes import BadNote
    from infra.log.witness import Refused, Witness

    trusted = read_keys(key or [])
    try:
        observer = Witness(folder, name)
        if source.startswith(("http://", "https://")):
            log = RemoteLog(source, token)
            text = log.checkpoint()
            cosigned = observer.look(text, log.prove, int(time.time()), trusted=trusted, offered=log.keys())
        else:
            text = read_note(Path(source))
            cosigned = observer.look(text, _proof_in(proof), int(time.time()), trusted=trusted)
    except Refused as refused:
        typer.echo(f"roundledger: refused: {refused}", err=True)
        raise typer.Exit(1) from None
    except (Unreachable, KeyProblem, BadNote, OSError) as error:
        fail(str(error))
    if accepted := observer.accepted_succession(cosigned):
        typer.echo(f"roundledger: {accepted}", err=True)
    sys.stdout.write(cosigned.text())
    typer.echo(f"roundledger: {cosigned.size} events of {cosigned.origin}, cosigned as {observer.key.text()}", err=True)


def _proof_in(file: Path | None) -> "Callable[[int, int], list[bytes]]":
    from infra.log.proofs import read_hashes
    from infra.log.witness import Refused

    def prove(old_size: int, size: int) -> list[bytes]:
        if file is None:
            raise Refused(
                "unproved", f"give the hashes of `roundledger log checkpoint --since {old_size}` with --proof"
            )
        return read_hashes(read_note(file))

    return prove


def read_keys(given: list[str]) -> "list[Verifier]":
    """Return keys given as text, or in files with one per line; or exit with code 2."""
    from infra.log.signed_notes import BadNote, parse_verifier

    keys = []
    for text in given:
        lines = read_note(Path(text)).splitlines() if os.path.exists(text) else [text]
        for line in filter(str.strip, lines):
            try:
                keys.append(parse_verifier(line))
            except BadNote as error:
                fail(f"{text} is neither a key of a log nor a file with one: {error}")
    return keys


def read_note(file: Path) -> str:
    """Return a key, a checkpoint or a proof as text; or exit with code 2."""
    try:
        with file.open("rb") as opened:
            content = opened.read(MOST_NOTE_BYTES + 1)
        if len(content) > MOST_NOTE_BYTES:
            fail(f"{file} has more than {MOST_NOTE_BYTES:,} bytes, so it is not a key, checkpoint or proof")
        return content.decode()
    except (OSError, UnicodeDecodeError) as error:
        fail(f"{file} cannot be read: {getattr(error, 'strerror', None) or error}")


def read_checkpoint(file: Path) -> "Checkpoint":
    from infra.log.checkpoints import parse_checkpoint
    from infra.log.signed_notes import BadNote

    try:
        return parse_checkpoint(read_note(file))
    except BadNote as error:
        fail(f"{file} is not a checkpoint: {error}")

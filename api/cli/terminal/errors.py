"""How a command fails: one sentence on standard error and exit code 2."""

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import typer


def fail(message: str) -> NoReturn:
    typer.echo(f"roundledger: {message}", err=True)
    raise typer.Exit(2)


def first_line(error: BaseException) -> str:
    """Return the first line of a database's message."""
    return next(iter(str(error).strip().splitlines()), "") or type(error).__name__


def database_failed(error: BaseException, said: str = "the database does not answer") -> NoReturn:
    """Fail with the first line of a database's message; on a standby, say that it is one."""
    if is_read_only(error):
        fail("this is a standby, which only reads: name the primary with --data-dir or --database-url")
    fail(f"{said}: {first_line(error)}")


def is_read_only(error: BaseException) -> bool:
    """Return whether this is the refusal of a server that only reads, in whichever library's exception."""
    return "in a read-only transaction" in str(error)


@contextmanager
def nothing_unforeseen(what: str) -> Iterator[None]:
    """Turn errors of the program into exit code 2, for commands whose exit code 1 means that something was found."""
    try:
        yield
    except (typer.Exit, typer.Abort):
        raise
    except Exception as error:
        if is_read_only(error):
            database_failed(error)
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(place.filename).name}, line {place.lineno}"
        fail(f"{what}: {type(error).__name__} in {where}: {first_line(error)}. This is an error of the program")

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


@contextmanager
def nothing_unforeseen(what: str) -> Iterator[None]:
    """Turn errors of the program into exit code 2, for commands whose exit code 1 means that something was found."""
    try:
        yield
    except (typer.Exit, typer.Abort):
        raise
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(place.filename).name}, line {place.lineno}"
        fail(f"{what}: {type(error).__name__} in {where}: {first_line(error)}. This is an error of the program")

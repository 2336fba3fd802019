"""How a command gives up: one sentence on standard error and exit code 2."""

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
    """Of what a database says, which goes on for several."""
    return next(iter(str(error).strip().splitlines()), "") or type(error).__name__


@contextmanager
def nothing_unforeseen(what: str) -> Iterator[None]:
    """For commands whose exit code 1 says that something was found: an error of the program is no finding."""
    try:
        yield
    except (typer.Exit, typer.Abort):
        raise
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(place.filename).name}, line {place.lineno}"
        fail(f"{what}: {type(error).__name__} in {where}: {first_line(error)}. This is an error of the program")

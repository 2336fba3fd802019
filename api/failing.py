"""How a command gives up: one sentence on standard error and exit code 2."""

from typing import NoReturn

import typer


def fail(message: str) -> NoReturn:
    typer.echo(f"roundledger: {message}", err=True)
    raise typer.Exit(2)


def first_line(error: BaseException) -> str:
    """Of what a database says, which goes on for several."""
    return next(iter(str(error).strip().splitlines()), "") or type(error).__name__

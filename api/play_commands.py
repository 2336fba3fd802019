"""`roundledger adjudicate`: what the rules say of a file of round documents, with nothing stored."""

import os
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

File = Annotated[
    Path | None,
    typer.Argument(help="Round documents, one JSON object a line; standard input without it.", show_default=False),
]


def open_documents(stack: ExitStack, file: Path | None) -> BinaryIO:
    """The documents to read, or exit code 2 and why they cannot be read."""
    if file is None:
        return sys.stdin.buffer
    try:
        return stack.enter_context(file.open("rb"))
    except OSError as error:
        typer.echo(f"roundledger: {file} cannot be read: {error.strerror}", err=True)
        raise typer.Exit(2) from None


def adjudicate(file: File = None) -> None:
    """Give the result of each round document by the rules of its rule set, with no database.

    A refused document is a result like any other and says what was refused, by which clause; the exit code is 0.
    """
    from api.lines import read_lines
    from domain.documents import adjudicate as adjudicate_line
    from domain.documents import encode_result

    with ExitStack() as stack:
        documents = open_documents(stack, file)
        out = sys.stdout.buffer
        try:
            for line in read_lines(documents):
                out.write(encode_result(adjudicate_line(line)) + b"\n")
            out.flush()
        except BrokenPipeError:  # whoever read the results has seen enough
            sys.stdout = open(os.devnull, "w")  # noqa: SIM115  # or the interpreter complains when it flushes at exit
        except OSError as error:
            typer.echo(f"roundledger: the documents cannot be read: {error.strerror}", err=True)
            raise typer.Exit(2) from None

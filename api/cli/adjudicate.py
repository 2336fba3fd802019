"""`roundledger adjudicate`: the results of a file of round documents; nothing is stored."""

import os
import sys
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from api.cli.terminal.errors import fail

File = Annotated[
    Path | None,
    typer.Argument(help="Round documents, one JSON object per line; standard input by default.", show_default=False),
]


def open_documents(stack: ExitStack, file: Path | None) -> BinaryIO:
    """Return the documents to read, or exit with code 2 and the reason."""
    if file is None:
        if sys.stdin is None:
            fail("there is no standard input to read documents from")
        return sys.stdin.buffer
    try:
        return stack.enter_context(file.open("rb"))
    except OSError as error:
        fail(f"{file} cannot be read: {error.strerror}")


def adjudicate(file: File = None) -> None:
    """Print the result of each round document under its rule set, without a database.

    A refused document is a result like any other: it names what was refused and the clause. The exit code is 0.
    """
    from api.cli.terminal.document_lines import read_lines
    from domain.documents.document import adjudicate as adjudicate_line
    from domain.documents.document import encode_result

    with ExitStack() as stack:
        documents = open_documents(stack, file)
        write_results(encode_result(adjudicate_line(line)) for line in read_lines(documents))


def write_results(results: Iterable[bytes], *, at_once: bool = False) -> None:
    """Write one result per line. Errors are one sentence, and a closed pipe is not an error.

    `at_once` flushes each result before the next document is read, because somebody may act on it.
    """
    if sys.stdout is None:
        fail("there is no standard output to write results to")
    out = sys.stdout.buffer
    writing = False
    try:
        for result in results:
            writing = True
            out.write(result + b"\n")
            if at_once:
                out.flush()
            writing = False
        writing = True
        out.flush()
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115  # or the interpreter complains when it flushes at exit
    except OSError as error:
        if writing:
            sys.stdout = open(os.devnull, "w")  # noqa: SIM115
            fail(f"the results cannot be written: {error.strerror}")
        fail(f"the documents cannot be read: {error.strerror}")

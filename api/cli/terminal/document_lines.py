"""Files of documents, one per line, read one at a time."""

from collections.abc import Iterator
from typing import BinaryIO

from domain.documents.json_reader import LONGEST_LINE


def read_lines(file: BinaryIO) -> Iterator[bytes]:
    """Yield each line without its end; blank ones are skipped, and one that is too long is cut just past the limit.

    The cut is enough for the reader of documents to refuse it, and keeps a file without line ends from filling
    memory."""
    while line := file.readline(LONGEST_LINE + 2):
        if not line.endswith(b"\n") and len(line) > LONGEST_LINE:
            while (rest := file.readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
                pass
        line = line.removesuffix(b"\n")
        if len(line) > LONGEST_LINE or line.strip():
            yield line

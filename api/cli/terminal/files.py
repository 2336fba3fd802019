"""Files that a command is given: read whole, or refused in one sentence."""

from pathlib import Path

from api.cli.terminal.errors import fail


def read_bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        fail(f"{file} cannot be read: {error.strerror}")


def read_text(file: Path) -> str:
    try:
        return read_bytes(file).decode()
    except UnicodeDecodeError:
        fail(f"{file} is not a text in UTF-8")

"""The manifest of an archive: what is in it."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import msgspec
from msgspec import Struct

NAME = "manifest.json"
LEAVES = Path("log") / "leaves"
CHECKPOINT = Path("log") / "checkpoint"
KEYS = Path("log") / "keys"
FORM = 1


class BadArchive(Exception):
    """A folder that is not an archive, or has a format that this program does not read."""


class ArchivedFile(Struct, frozen=True):
    path: str
    kind: str  # "rounds" or "floor"
    gaming_day: str
    table: str
    rows: int
    rounds: int
    sha256: str
    streams: dict[str, int] = {}  # for the floor: the ids of aggregates, and their first version here


class Manifest(Struct, frozen=True):
    """`whole`: it has all events up to the last position."""

    form: int
    property: str
    last_position: int
    whole: bool
    since_ms: int | None
    until_ms: int | None
    tree_size: int
    root: str | None
    files: list[ArchivedFile]


def read_manifest(folder: Path) -> Manifest:
    try:
        manifest = msgspec.json.decode((folder / NAME).read_bytes(), type=Manifest)
    except OSError as error:
        raise BadArchive(f"{folder} is not an archive: {error.strerror}") from None
    except msgspec.MsgspecError as error:
        raise BadArchive(f"The manifest of {folder} cannot be read: {error}") from None
    if manifest.form != FORM:
        raise BadArchive(f"{folder} is an archive of format {manifest.form}, which this program does not read.")
    for file in manifest.files:
        if not is_below(file.path):
            raise BadArchive(f"The manifest of {folder} names a file that is not in that folder: {file.path!r}.")
    return manifest


def is_below(path: str) -> bool:
    """Return whether a path of a manifest stays below the manifest's own folder."""
    parts = PurePosixPath(path).parts
    return bool(parts) and parts[0] != "/" and ".." not in parts and "\\" not in path and "\0" not in path

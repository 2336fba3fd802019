"""Count machines: how their files are read, and the count of a box in one.

A property describes the file of each machine in TOML. Some machines write a line for each denomination:

    box = "Box"              # the column with the box, where a file has several
    denomination = "Denom"
    pieces = "Count"
    amount = "Value"         # checked, where the file has it
    total = "TOTAL"          # the word in the denomination's place on the line that adds them up; checked

    [worth]                  # where a denomination is not written as an amount
    "C100" = "100.00"

Others write a line for each box, with a column for each denomination:

    box = "Box"
    total = "Total"          # the column with the sum; checked
    decimal = ","            # amounts are written 1.234,50

    [columns]
    "N100" = "100.00"
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from io import StringIO
from typing import Annotated, Literal

from msgspec import Meta, Struct

from domain.books.property_file import PropertyFile
from domain.errors import BadDocument
from domain.event import Event
from domain.money import cents, money
from domain.rules.file_schema import TRIMMED_PATTERN

_Column = Annotated[str, Meta(pattern=TRIMMED_PATTERN, max_length=100)]
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_WORTH = re.compile(r"(0|[1-9][0-9]{0,6})\.[0-9]{2}")
# By the mark before the cents, with what then separates thousands.
_NUMBERS = {
    mark: re.compile(
        rf"\$?(?P<whole>[0-9]{{1,15}}|[0-9]{{1,3}}(?:[{apart}][0-9]{{3}}){{1,4}})(?:[{mark}](?P<part>[0-9]+))?"
    )
    for mark, apart in ((".", ","), (",", ". '\u00a0\u2019\u202f"))
}
MOST_BYTES = 500_000
MOST_LINES = 20_000
MOST_DENOMINATIONS = 50
MOST_PIECES = 1_000_000
MOST_NAMED = 12  # columns in a refusal


class BadMachine(BadDocument):
    """A description of a machine's file that cannot be used; the message is for its author."""


class BadCountFile(BadDocument):
    """A machine's file that has no count to read; the message is for whoever counts."""


class MachineKept(Event, frozen=True):
    """How the files of a machine are read from now on, as it was written."""

    machine: str
    text: str


MACHINE_TOPICS: dict[str, type[Event]] = {"machine.kept.v1": MachineKept}


class Machine(Struct, frozen=True, forbid_unknown_fields=True):
    """The columns of its files by name, and `header`, the line with these names. `total` is a column where each
    denomination has a column of its own, and otherwise the word for the line with the sum. `decimal` is the mark
    before the cents."""

    denomination: _Column | None = None
    pieces: _Column | None = None
    amount: _Column | None = None
    box: _Column | None = None
    total: _Column | None = None
    header: Annotated[int, Meta(ge=1, le=1000)] = 1
    delimiter: Literal[",", ";", "\t", "|"] = ","
    decimal: Literal[".", ","] = "."
    worth: Mapping[str, str] = {}
    columns: Mapping[str, str] = {}

    @property
    def names(self) -> list[str]:
        """Every column that a file must have."""
        total = self.total if self.columns else None
        single = (self.box, self.denomination, self.pieces, self.amount, total)
        return [*(name for name in single if name is not None), *self.columns]


class FileCount(Struct, frozen=True):
    """The count of a box in a file; `digest` is the SHA-256 of the whole file, in hexadecimal."""

    pieces: Mapping[int, int]
    digest: str

    @property
    def total(self) -> int:
        return _total(self.pieces)


def _total(pieces: Mapping[int, int]) -> int:
    return sum(worth * number for worth, number in pieces.items())


# ---- describing a machine


def starter() -> str:
    """Return a description to start from."""
    return (
        "# A line for each denomination. Names are those of the columns in the machine's file.\n"
        'box = "Box"\ndenomination = "Denomination"\npieces = "Pieces"\namount = "Amount"\n'
    )


def read_machine(text: str) -> Machine:
    file = PropertyFile(text, "The description of the machine", BadMachine)
    machine = file.read(Machine)
    for what, path in _faults(machine):
        raise file.mistake(what, *path)
    return machine


def _faults(machine: Machine) -> Iterator[tuple[str, tuple[str, ...]]]:
    if machine.columns:
        for name in ("denomination", "pieces", "amount", "worth"):
            if getattr(machine, name):
                yield f"{name} is for files with a line for each denomination, and columns for the others", (name,)
    elif machine.denomination is None or machine.pieces is None:
        yield "it names neither the columns denomination and pieces, nor a column for each denomination", ()
    elif machine.total is not None and machine.amount is None:
        yield "the total is checked in the column amount, which it does not name", ("total",)
    names = machine.names
    for name in names:
        if names.count(name) > 1:
            yield f"the column {name!r} is named twice", ()
    for table in ("worth", "columns"):
        for name, worth in getattr(machine, table).items():
            if not _WORTH.fullmatch(worth) or not cents(worth):
                yield f"the worth of {name!r} is an amount such as 100.00, and not {worth!r}", (table, name)


def keep_machine(machine: str, text: str) -> MachineKept:
    """Store how a machine's files are read; refused if that cannot be used."""
    if not _NAME.fullmatch(machine):
        raise BadMachine(
            f"{machine!r} is not a name for a machine: lower-case letters, digits and hyphens, at most 40."
        )
    read_machine(text)
    return MachineKept(machine, text)


# ---- reading a file


class _Line(Struct, frozen=True):
    number: int
    cells: Mapping[str, str]


def read_count(machine: Machine, content: bytes, box: str) -> FileCount:
    """Return what a file says of a box. A file without a column for the box is of that box alone."""
    lines = _lines_of_box(machine, _lines(machine, content), box)
    pieces = _by_column(machine, lines) if machine.columns else _by_line(machine, lines)
    if len(pieces) > MOST_DENOMINATIONS:
        raise BadCountFile(f"The file has {len(pieces)} denominations; a count has at most {MOST_DENOMINATIONS}.")
    for worth, number in pieces.items():
        if number > MOST_PIECES:
            raise BadCountFile(
                f"The file has {number:,} pieces of {money(worth)}; a count has at most {MOST_PIECES:,}."
            )
    return FileCount(pieces, sha256(content).hexdigest())


def _lines_of_box(machine: Machine, lines: Sequence[_Line], box: str) -> list[_Line]:
    column = machine.box
    if column is None:
        if machine.columns and len(lines) > 1:
            raise BadCountFile(
                f"The file has {len(lines)} lines of counts, and the machine's description does not say which column"
                " has the box."
            )
        return list(lines)
    found = [line for line in lines if line.cells[column].casefold() == box.casefold()]
    if not found:
        raise BadCountFile(f"The file has no line of box {box} in its column {column!r}.")
    if machine.columns and len(found) > 1:
        places = ", ".join(str(line.number) for line in found[:MOST_NAMED])
        raise BadCountFile(f"The file has several counts of box {box}, in the lines {places}: which one is meant?")
    return found


def _by_line(machine: Machine, lines: Iterable[_Line]) -> dict[int, int]:
    assert machine.denomination is not None
    assert machine.pieces is not None
    pieces: dict[int, int] = {}
    total = None
    for line in lines:
        if line.cells[machine.denomination] == machine.total:
            assert machine.amount is not None
            total = _amount(machine, line, machine.amount)
            continue
        worth = _worth(machine, line)
        number = _whole(machine, line, machine.pieces)
        if machine.amount is not None and (amount := _amount(machine, line, machine.amount)) != worth * number:
            raise BadCountFile(
                f"Line {line.number} has {number:,} pieces of {money(worth)}, worth {money(worth * number)}, and says"
                f" {money(amount)}."
            )
        pieces[worth] = pieces.get(worth, 0) + number
    if not pieces:
        raise BadCountFile("The file has no count in it.")
    if total is not None and total != (found := _total(pieces)):
        raise BadCountFile(f"The pieces of the file are worth {money(found)}, and its total is {money(total)}.")
    return pieces


def _by_column(machine: Machine, lines: Iterable[_Line]) -> dict[int, int]:
    pieces: dict[int, int] = {}
    for line in lines:
        for name, worth in machine.columns.items():
            pieces[cents(worth)] = pieces.get(cents(worth), 0) + _whole(machine, line, name)
        found = _total(pieces)
        if machine.total is not None and (total := _amount(machine, line, machine.total)) != found:
            raise BadCountFile(
                f"The pieces of line {line.number} are worth {money(found)}, and its total is {money(total)}."
            )
    return pieces


def _worth(machine: Machine, line: _Line) -> int:
    assert machine.denomination is not None
    named = line.cells[machine.denomination]
    if (worth := machine.worth.get(named)) is not None:
        return cents(worth)
    if machine.worth and not _NUMBERS[machine.decimal].fullmatch(named):
        raise BadCountFile(f"Line {line.number} has the denomination {named!r}, which the description does not know.")
    found = _amount(machine, line, machine.denomination)
    if found == 0:
        raise BadCountFile(f"Line {line.number} has a denomination worth nothing.")
    return found


def _whole(machine: Machine, line: _Line, column: str) -> int:
    found = _NUMBERS[machine.decimal].fullmatch(line.cells[column])
    if found is None or found[0].startswith("$") or (found["part"] or "").strip("0"):
        raise BadCountFile(f"Line {line.number}, {column}: {line.cells[column]!r} is not a whole number of pieces.")
    return _digits(found["whole"])


def _amount(machine: Machine, line: _Line, column: str) -> int:
    found = _NUMBERS[machine.decimal].fullmatch(line.cells[column])
    if found is None or len(found["part"] or "") > 2:
        hint = _other_mark(machine, line.cells[column])
        raise BadCountFile(f"Line {line.number}, {column}: {line.cells[column]!r} is not an amount in dollars{hint}.")
    return _digits(found["whole"]) * 100 + int((found["part"] or "0").ljust(2, "0"))


def _digits(text: str) -> int:
    return int(re.sub("[^0-9]", "", text))


def _other_mark(machine: Machine, text: str) -> str:
    """Say how an amount could be read whose cents come after the other mark."""
    other = "," if machine.decimal == "." else "."
    return f'; if it has cents after {other!r}, the description says decimal = "{other}"' if other in text else ""


def _lines(machine: Machine, content: bytes) -> list[_Line]:
    """Return the lines below the header that have anything in them."""
    reader = csv.reader(StringIO(_text(content), newline=""), delimiter=machine.delimiter, strict=True)
    header: dict[str, int] | None = None
    found = []
    try:
        for row in reader:
            if reader.line_num > MOST_LINES:
                raise BadCountFile(f"The file has more than {MOST_LINES:,} lines.")
            cells = [cell.strip() for cell in row]
            if header is None:
                if reader.line_num >= machine.header:
                    header = _header(machine, cells)
            elif any(cells):
                found.append(_line(machine, reader.line_num, header, cells))
    except csv.Error as error:
        raise BadCountFile(f"Line {reader.line_num} of the file cannot be read: {error}.") from None
    if header is None or not found:
        raise BadCountFile("The file has no count in it.")
    return found


def _header(machine: Machine, cells: list[str]) -> dict[str, int]:
    for name in machine.names:
        if cells.count(name) != 1:
            there = ", ".join(repr(cell) for cell in cells[:MOST_NAMED] if cell) or "nothing"
            why = "has no column" if name not in cells else "has more than one column"
            raise BadCountFile(f"Line {machine.header} of the file {why} {name!r}; it has {there}.")
    return {name: cells.index(name) for name in machine.names}


def _line(machine: Machine, number: int, header: Mapping[str, int], cells: list[str]) -> _Line:
    if len(cells) <= max(header.values()):
        raise BadCountFile(f"Line {number} of the file is cut off: it has {len(cells)} of its columns.")
    return _Line(number, {name: cells[place] for name, place in header.items()})


def _text(content: bytes) -> str:
    if len(content) > MOST_BYTES:
        raise BadCountFile(f"The file has more than {MOST_BYTES:,} bytes.")
    wide = content.startswith((b"\xff\xfe", b"\xfe\xff"))
    try:
        text = content.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError:
        raise BadCountFile("The file is not text: save it as CSV in UTF-8.") from None
    if "\0" in text:
        raise BadCountFile("The file is not text: save it as CSV in UTF-8.")
    return text

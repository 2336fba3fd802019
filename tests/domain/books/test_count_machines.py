"""Files of count machines: what they say of a box, and what is wrong with one, in words and with its line."""

from __future__ import annotations

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.books.count_machines import (
    BadCountFile,
    BadMachine,
    Machine,
    keep_machine,
    read_count,
    read_machine,
    starter,
)
from domain.money import money

BY_LINE = """
box = "Box"
denomination = "Denom"
pieces = "Count"
amount = "Value"
total = "TOTAL"

[worth]
"C100" = "100.00"
"""
BY_COLUMN = """
header = 2
delimiter = ";"
total = "Sum"

[columns]
"N100" = "100.00"
N20 = "20.00"
"""
NAMED = b"Box,Denom,Count,Value\r\n"


def of(text: str, content: bytes, box: str = "t1-box-1") -> dict[int, int]:
    return dict(read_count(read_machine(text), content, box).pieces)


def test_a_line_for_each_denomination_is_read_by_the_names_of_columns():
    content = NAMED + (
        b'T1-BOX-1,C100,3,$300.00\r\n t1-box-1 ,20,"1,000","20,000.00"\r\nt2-box-1,5,1,6\r\n'
        b"t1-box-1,20,1,20\r\n\r\nt1-box-1,TOTAL,,20320.00\r\n"
    )
    found = read_count(read_machine(BY_LINE), content, "t1-box-1")
    assert found.pieces == {100_00: 3, 20_00: 1001}
    assert (found.total, found.digest) == (20_320_00, sha256(content).hexdigest())


def test_a_column_for_each_denomination_is_read_below_the_header():
    assert of(BY_COLUMN, b"Machine 5\nN20;N100;Sum\n3;2;260.00\n") == {100_00: 2, 20_00: 3}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_text_is_read_as_machines_write_it(encoding: str):
    assert of(starter(), "Box,Denomination,Pieces,Amount\nt1-box-1,5,2,10\n".encode(encoding)) == {5_00: 2}


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_amounts_with_commas_before_the_cents_are_read(ends: str):
    machine = f'decimal = ","\ndelimiter = ";"\n{starter()}'
    lines = ["Box;Denomination;Pieces;Amount", "t1-box-1;100,00;1.234;123.400,00", "t1-box-1;0,5;2,0;$1", ""]
    assert of(machine, ends.join(lines).encode("utf-8-sig")) == {100_00: 1234, 50: 2}
    assert of(machine, ends.join(lines).replace("1.234;123.400", "1 234;123'400").encode()) == {100_00: 1234, 50: 2}
    with pytest.raises(BadCountFile, match=r"'100.00' is not an amount in dollars; if it has cents after '\.'"):
        of(machine, ends.join(lines).replace("100,00", "100.00").encode())


@given(st.dictionaries(st.integers(1, 500_000), st.integers(0, 1_000_000), min_size=1, max_size=50))
def test_what_was_written_is_read(pieces: dict[int, int]):
    rows = [f"t1-box-1,{money(worth)},{number},{money(worth * number)}" for worth, number in pieces.items()]
    assert of(BY_LINE, NAMED + "\n".join(rows).encode()) == pieces


@pytest.mark.parametrize(
    ("text", "content", "why"),
    [
        (BY_LINE, b"", "has no count in it"),
        (BY_LINE, NAMED, "has no count in it"),
        (BY_LINE, NAMED + b"t1-box-1,TOTAL,,0\n", "has no count in it"),
        (
            BY_LINE,
            b"Box,Denom,Count\nt1-box-1,5,1\n",
            "Line 1 of the file has no column 'Value'; it has 'Box', 'Denom'",
        ),
        (BY_LINE, b"Box,Box,Denom,Count,Value\n", "has more than one column 'Box'"),
        (BY_LINE, NAMED + b"t2-box-1,5,1,5\n", "no line of box t1-box-1 in its column 'Box'"),
        (BY_LINE, NAMED + b"t1-box-1,5\n", "Line 2 of the file is cut off"),
        (BY_LINE, NAMED + b't1-box-1,"5', "Line 2 of the file cannot be read"),
        (BY_LINE, NAMED + b"t1-box-1,C50,1,50\n", "Line 2 has the denomination 'C50', which the description"),
        (BY_LINE, NAMED + b"t1-box-1,0,1,0\n", "Line 2 has a denomination worth nothing"),
        (BY_LINE, NAMED + b"t1-box-1,5,1.5,7.5\n", "Line 2, Count: '1.5' is not a whole number of pieces"),
        (BY_LINE, NAMED + b"t1-box-1,5,-1,5\n", "Line 2, Count: '-1' is not a whole number"),
        (BY_LINE, NAMED + "t1-box-1,5,\u0661,5\n".encode(), "is not a whole number"),
        (BY_LINE, NAMED + b"t1-box-1,5,1,five\n", "Line 2, Value: 'five' is not an amount in dollars"),
        (BY_LINE, NAMED + b't1-box-1,5,2,"10,0"\n', "if it has cents after ',', the description says decimal = \",\""),
        (BY_LINE, NAMED + b"t1-box-1,5,2,10.000\n", "'10.000' is not an amount in dollars."),
        (BY_LINE, NAMED + b"t1-box-1,5,$2,10\n", "'$2' is not a whole number of pieces"),
        (BY_LINE, NAMED + b"t1-box-1,5,2,11\n", "Line 2 has 2 pieces of 5.00, worth 10.00, and says 11.00"),
        (BY_LINE, NAMED + b"t1-box-1,5,2,10\nt1-box-1,TOTAL,,11\n", "worth 10.00, and its total is 11.00"),
        (BY_LINE, NAMED + b"t1-box-1,5,1000001,5000005\n", "has 1,000,001 pieces of 5.00"),
        (BY_LINE, b"\xff\x00", "is not text"),
        (BY_LINE, NAMED + b"\0", "is not text"),
        (BY_LINE, b"x" * 500_001, "more than 500,000 bytes"),
        (BY_LINE, NAMED + b"\n" * 20_001, "more than 20,000 lines"),
        (BY_LINE, NAMED + b"".join(b"t1-box-1,%d,1,%d\n" % (n, n) for n in range(1, 52)), "51 denominations"),
        (BY_COLUMN, b"x\nN20;N100;Sum\n3;2;261\n", "pieces of line 3 are worth 260.00, and its total is 261.00"),
        (BY_COLUMN, b"x\nN20;N100;Sum\n3;2;260\n1;0;20\n", "2 lines of counts, and the machine's description"),
        (f'box = "Box"\n{BY_COLUMN}', b"x\nBox;N20;N100;Sum\n" + b"t1-box-1;1;0;20\n" * 2, "in the lines 3, 4: which"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_with_its_line(text: str, content: bytes, why: str):
    with pytest.raises(BadCountFile) as refused:
        of(text, content)
    assert why in refused.value.detail


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "line 1: it names neither"),
        ('denomination = "D"', "line 1: it names neither"),
        ("\nbox = ", "cannot be read, line 2: this is no value"),
        ('box = """', "cannot be read, line 1"),
        (BY_LINE + "\nx = 1", "line 11: `worth.x` must be text in quotes; it is a whole number"),
        ("header = 0\n" + BY_LINE, "line 1: `header` must be a whole number of at least 1"),
        ("\ndelimitor = ';'", "line 2: `delimitor` is not known; perhaps `delimiter`"),
        ('denomination = "D"\npieces = "D"', "the column 'D' is named twice"),
        ('denomination = "D"\npieces = "P"\ntotal = "T"', "line 3: the total is checked in the column amount"),
        ('amount = "A"\n[columns]\n"N" = "1.00"', "line 1: amount is for files with a line for each denomination"),
        ('[columns]\n\n"N" = "0.00"', "line 3: the worth of 'N' is an amount such as 100.00"),
        ('[columns]\n"N" = 100', "line 2: `columns.N` must be text in quotes"),
    ],
)
def test_a_description_that_cannot_be_used_is_refused_with_its_line(text: str, why: str):
    with pytest.raises(BadMachine) as refused:
        read_machine(text)
    assert why in refused.value.detail


def test_a_machine_has_a_name_like_a_box():
    assert keep_machine("counter-1", BY_LINE).text == BY_LINE
    assert isinstance(read_machine(BY_LINE), Machine)
    with pytest.raises(BadMachine, match="is not a name for a machine"):
        keep_machine("Counter 1", BY_LINE)

"""How papers are laid out: the properties of the file, what stays on one page, and columns that can be read."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from infra.ledger.property import Property
from projections.export.column_layout import READABLE
from projections.export.formats import About
from projections.export.journal_sheet import journal_sheet
from projections.export.pdf_reports import table_sheet
from projections.export.pdf_sheet import Hand, Sheet
from projections.export.typeface import BOLD, shown, width
from tests.projections.export.pdf_text import drawn, page_count, pages

LINES = range(0, 48, 3)  # of text above, so that what follows comes to be everywhere on a page


def lines(sheet: Sheet, count: int) -> Sheet:
    for number in range(count):
        sheet.remark(f"line {number}")
    return sheet


def test_a_file_says_its_title_and_who_made_it_and_no_day_that_it_was_not_made_on():
    made_at = datetime(2026, 11, 16, 9, 30, 15, tzinfo=timezone(timedelta(hours=-8)))
    dated, undated = Sheet("Bankroll", made_at=made_at).finish(), Sheet("Round r-1").finish()
    assert b"/Title (Bankroll)" in dated
    assert b"/CreationDate (D:20261116093015-08'00')" in dated
    assert b"/Title (Round r-1)" in undated
    assert b"Date" not in undated
    for paper in (dated, undated):
        assert b"/Creator (roundledger)" in paper
        assert b"anonymous" not in paper
        assert b"/Lang (en)" in paper


def test_a_paper_without_a_moment_is_the_same_wherever_it_is_made(monkeypatch: pytest.MonkeyPatch):
    paper = lines(Sheet("Round r-1"), 90).finish()
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    assert lines(Sheet("Round r-1"), 90).finish() == paper


def test_every_page_says_which_of_how_many_it_is():
    paper = lines(Sheet("Round r-1", "As it stood."), 200).finish()
    found = pages(paper)
    assert len(found) == page_count(paper) > 3
    for number, page in enumerate(found, start=1):
        assert f"roundledger · page {number} of" in [words.strip() for words in page]
        assert "As it stood." in page


def test_a_paper_names_the_property_on_every_page_and_its_address_on_the_first():
    house = Property("Harbor Card Club", "1 Example Wharf, Oakland, California")
    first, *others = pages(lines(Sheet("Day", letterhead=house), 200).finish())
    assert first[:3] == ["Harbor Card Club", "1 Example Wharf, Oakland, California", "Day"]
    assert len(others) > 2
    assert all(page[:2] == ["Harbor Card Club", "Day"] for page in others)
    (unnamed,) = pages(Sheet("Day").finish())
    assert unnamed[0] == "Day"


@pytest.mark.parametrize("above", LINES)
def test_signatures_stand_under_what_is_signed(above: int):
    sheet = lines(Sheet("Dispute d-1"), above)
    sheet.signatures(("Arbiter", "Patron"), "Dispute d-1 is denied. " * 12)
    (signed,) = [page for page in pages(sheet.finish()) if any(words.startswith("Arbiter:") for words in page)]
    assert any(words.startswith("Dispute d-1 is denied.") for words in signed)
    assert "Signatures" in signed


@pytest.mark.parametrize("above", LINES)
def test_a_heading_and_a_total_are_on_a_page_with_rows(above: int):
    sheet = lines(Sheet("Day"), above)
    sheet.heading("Boxes")
    rows = [{"box": f"box-{number}", "counted": "1.00"} for number in range(3)]
    sheet.table(("box", "counted"), rows, {"counted": "3.00"})
    found = pages(sheet.finish())
    (with_heading,) = [page for page in found if "Boxes" in page]
    (with_total,) = [page for page in found if "Total" in page]
    for page in (with_heading, with_total):
        assert "Counted" in page
        assert any(words.startswith("box-") for words in page)
    assert [words for page in found for words in page if words.startswith("box-")] == ["box-0", "box-1", "box-2"]


def wide(columns: int, sentence: str) -> tuple[list[str], list[dict[str, Any]]]:
    names = [f"column-{number}" for number in range(columns)]
    row = {name: f"value-{number}-of-this-row" for number, name in enumerate(names)}
    return ["at", *names, "why"], [{"at": "2026-11-13T10:00:00.250-08:00", **row, "why": sentence} for _ in range(4)]


@pytest.mark.parametrize("columns", [2, 6, 9, 14])
def test_columns_that_do_not_fit_go_on_in_further_lines_and_words_stay_whole(columns: int):
    sentence = "The player-dealer's wager was used up before it came to this wager, so it has no action. " * 3
    names, rows = wide(columns, sentence)
    paper = table_sheet(About("Wide", ""), names, rows)
    said = [words for page in pages(paper) for words in page]
    for number in range(columns):
        assert said.count(f"value-{number}-of-this-row") == len(rows)
    assert said.count("2026-11-13 10:00:00-08:00") == len(rows)
    assert " ".join(said).count("player-dealer's") >= 3 * len(rows)
    for text, x, size in drawn(paper):
        if text.startswith(("Column-", "value-", "2026-")):
            assert size >= READABLE
            assert x >= 36
            assert x + width(text, BOLD, size) <= 792 - 36 + 0.1


def test_one_row_that_is_longer_than_a_page_is_whole():
    rows = [{"note": " ".join(f"word{number}" for number in range(4000))}]
    said = " ".join(words for page in pages(table_sheet(About("Long", ""), ["note"], rows)) for words in page)
    assert "word0 " in said
    assert "word3999" in said


def test_truth_lists_and_addresses_are_put_for_readers():
    row = {"round": "r-1", "matched": True, "seats": [1, 2], "hands": "/v1/rounds?table=t-1", "p": "0.125"}
    rows = [{**row, "card": "Td", "variance": "5.00"}, {**row, "card": None, "variance": "-1205.00"}]
    said = pages(table_sheet(About("Odd", ""), list(rows[0]), rows, {"variance": "-1200.00"}))[0]
    assert {"yes", "1, 2", "0.125", "10", "♦", "+5.00", "-1,205.00", "-1,200.00", "Total"} <= set(said)
    assert "Hands" not in said


def test_cards_are_drawn_with_their_suits_and_a_closed_one_shows_nothing():
    sheet = Sheet("Round r-1")
    sheet.hands([Hand("seat 1", ["As", "Td", None], "pair"), *[Hand(f"seat {n}", ["2c"] * 5) for n in range(2, 9)]])
    (said,) = pages(sheet.finish())
    assert said[said.index("A") : said.index("pair") + 1] == ["A", "♠", "10", "♦", "pair"]
    assert [words for words in said if words.startswith("seat ")] == [f"seat {number}" for number in range(1, 9)]


def test_a_paper_says_who_printed_it_and_when_on_every_page():
    made_at = datetime(2026, 11, 16, 9, 30, tzinfo=timezone(timedelta(hours=-8)))
    about = About("Bankroll", "As it stood.", made_at, Property("Harbor Card Club", ""), "acct-nia")
    found = pages(table_sheet(about, ["bettor"], [{"bettor": f"p-{number}"} for number in range(120)]))
    assert len(found) > 1
    assert all("Printed at 2026-11-16 09:30:00-08:00 by acct-nia." in page for page in found)


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("Nguyễn Thị Hằng đặt cược", "Nguyễn Thị Hằng đặt cược"),
        ("Nguye\u0302\u0303n", "Nguyễn"),  # letters and accents apart
        ("陈大文 說他贏了，没有拿到钱。", "陈大文 說他贏了，没有拿到钱。"),
        ("Łódź, Ærø, Ψ, Жуков → 5 €", "Łódź, Ærø, Ψ, Жуков → 5 €"),
        ("paid 😀 \u202e ع", "paid [U+1F600] [U+202E] [U+0639]"),
    ],
)
def test_what_somebody_wrote_is_printed_as_it_was_written(written: str, printed: str):
    sheet = Sheet("Statement")
    sheet.remark(written)
    sheet.table(("statement",), [{"statement": written}])
    (said,) = pages(sheet.finish())
    assert "".join(said).count(printed) == 2


def test_chinese_without_spaces_is_wrapped_within_its_column_and_no_line_begins_with_a_comma():
    statement = "我在第三門下注一百元，莊家爆了，但是沒有賠給我。" * 30
    paper = table_sheet(About("Statements", ""), ["who", "statement"], [{"who": "陳大文", "statement": statement}])
    said = [piece for piece in drawn(paper) if piece.text[:1] > "\u2e80"]
    assert "".join(piece.text for piece in said).count("一百元") >= 20
    assert not any(piece.text[0] in "，。" for piece in said)
    assert all(piece.x + width(piece.text, size=piece.size) <= 792 - 36 + piece.size + 1 for piece in said)


def test_a_narrow_table_takes_the_width_of_the_page_and_money_ends_in_one_line():
    rows = [{"bettor": f"p-{n}", **dict.fromkeys("abcdefgh", f"{10**n}.00")} for n in range(7)]
    paper = table_sheet(About("Bankroll", ""), list(rows[0]), rows)
    ends = {round(piece.x + width(piece.text, size=piece.size), 1) for piece in drawn(paper) if ".00" in piece.text}
    assert len(ends) == 8
    assert max(ends) > 700


def test_every_character_is_as_bold_as_it_is_regular():
    letters = [chr(code) for code in range(0x20, 0x1F00) if shown(chr(code)) == chr(code)]
    assert len(letters) > 900
    assert all(width(letter) > 0 or width(letter, BOLD) == 0 for letter in letters)


def posted(number: int, what: str, debit: tuple[str, str], credit: tuple[str, str]) -> list[dict[str, Any]]:
    head = {"source": f"s-{number}", "at": "2026-11-13T10:00:00.000-08:00", "round": None, "table": "t-1", "what": what}
    day = {"gaming_day": f"2026-11-{13 + number // 300}", "position": number}
    return [
        {**head, **day, "account": debit[0], "debit": debit[1], "credit": "0.00"},
        {**head, **day, "account": credit[0], "debit": "0.00", "credit": credit[1]},
    ]


@pytest.mark.parametrize(("sources", "singly"), [(150, True), (600, False)])
def test_the_journal_is_added_up_by_day_and_kind_of_source(sources: int, singly: bool):
    rows = [
        row
        for number in range(sources)
        for row in posted(number, f"fill, slip {number}", ("tray:t-1", "1000.00"), (f"player:p-{number}", "1000.00"))
    ]
    said = [words for page in pages(journal_sheet(About("Journal", ""), rows)) for words in page]
    days = sorted({row["gaming_day"] for row in rows})
    assert [words for words in said if words.startswith("Gaming day 2")] == [
        f"Gaming day {day}: posted by kind of source" for day in days
    ]
    assert said.count("players") == said.count("Fill") == len(days)
    assert {"tray:t-1", "s-0", f"s-{sources - 1}", f"{sources * 1000:,}.00", "0.00"} <= set(said)
    assert ("fill, slip 77" in said) == singly

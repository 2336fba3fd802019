"""A gaming day in the property's own accounts: mapped whole, balanced, and read by a program that is not ours."""

from __future__ import annotations

import csv
import io
import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from api.cli.day_journal import journal
from domain.books.chart_of_accounts import BadChart, Chart, read_chart
from domain.money import cents, money
from infra.ledger.ledger import Ledger
from projections.engine.runner import Runner
from projections.export.journal_export import WRITERS, DayJournal, day_journal, entries_behind
from projections.reports.report import Filters
from projections.reports.report_query import rows
from tests.databases import migrated_database
from tests.projections.simulated_floor import record, simulated

Rows = list[dict[str, Any]]
CHART = Path(__file__).parents[3] / "docs" / "examples" / "chart-of-accounts.toml"
EXAMPLES = CHART.parent  # with a rules file for each CSV format


@pytest.fixture(scope="module")
def url(server_url: str) -> Iterator[str]:
    with migrated_database(server_url) as url:
        ledger = Ledger(url)
        record(ledger, [*simulated(6, tables=2, only="uth-casino-club"), *simulated(8, tables=1, only="uth-sd")])
        ledger.close()
        with Runner(url) as runner:
            runner.catch_up()
        yield url


@pytest.fixture(scope="module")
def entries(url: str) -> Rows:
    found = rows(url, "journal")
    day = max(entry["gaming_day"] for entry in found)
    return rows(url, "journal", Filters(gaming_day=date.fromisoformat(day)))


@pytest.fixture(scope="module")
def chart() -> Chart:
    return read_chart(CHART.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def day(entries: Rows, chart: Chart) -> DayJournal:
    return day_journal(entries, chart, date.fromisoformat(entries[0]["gaming_day"]))


def table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_a_day_balances_and_every_line_leads_to_its_rounds(entries: Rows, chart: Chart, day: DayJournal):
    assert day.lines
    assert sum(line.debit_cents for line in day.lines) == 0
    for line in day.lines:
        behind = entries_behind(entries, chart, line.account.code)
        assert sum(cents(entry["debit"]) - cents(entry["credit"]) for entry in behind) == line.debit_cents
        assert len(behind) == line.entries
    assert any(entry["round"] for entry in entries_behind(entries, chart, day.lines[0].account.code))


def test_three_programs_get_the_same_figures(day: DayJournal):
    plain, quickbooks, xero = (table(WRITERS[name](day)) for name in ("csv", "quickbooks", "xero"))
    signed = [money(line.debit_cents) for line in day.lines]
    for found, debit, credit in ((plain, "debit", "credit"), (quickbooks, "Debits", "Credits")):
        assert [row[debit] or f"-{row[credit]}" for row in found] == signed
    assert [row["*Amount"] for row in xero] == signed
    assert {row["JournalDate"] for row in quickbooks} == {f"{day.day:%m/%d/%Y}"}
    assert {row["*Date"] for row in xero} == {f"{day.day:%d/%m/%Y}"}
    assert [row["AccountName"] for row in quickbooks] == [row["account_name"] for row in plain]
    assert [row["*AccountCode"] for row in xero] == [row["account_code"] for row in plain]


def test_the_same_day_has_the_same_number_and_another_digest_after_one_cent(
    entries: Rows, chart: Chart, day: DayJournal
):
    again = day_journal(entries, chart, day.day)
    assert (again.number, again.digest) == (day.number, day.digest)
    first = next(entry for entry in entries if entry["debit"] != "0.00")
    changed = [
        {**first, "debit": money(cents(first["debit"]) + 1)},
        *(entry for entry in entries if entry is not first),
    ]
    other = day_journal(changed, chart, day.day)
    assert other.number == day.number
    assert other.digest != day.digest


def hledger(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    program = shutil.which("hledger")
    if program is None:
        pytest.skip("hledger is not installed")
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)


def imported(content: str, format_: str, folder: Path) -> Path:
    """The file as hledger reads it by the rules that come with the documentation, and what those say in the end:
    nothing is left on the account opposite all lines."""
    (folder / "day.csv").write_text(content, encoding="utf-8")
    printed = hledger("-f", folder / "day.csv", "--rules-file", EXAMPLES / f"hledger-{format_}.rules", "print")
    assert printed.returncode == 0, printed.stderr
    nothing_left = "\n9999-12-31 * nothing is left\n    clearing    0.00 USD = 0.00 USD\n"
    journal = folder / "day.journal"
    journal.write_text(printed.stdout + nothing_left, encoding="utf-8")
    return journal


@pytest.mark.parametrize("format_", ["csv", "quickbooks", "xero"])
def test_hledger_imports_the_file_by_rules_and_refuses_one_changed_cent(format_: str, day: DayJournal, tmp_path: Path):
    content = WRITERS[format_](day)
    journal = imported(content, format_, tmp_path)
    assert hledger("-f", journal, "check").returncode == 0
    balances = table(hledger("-f", journal, "balance", "-N", "-O", "csv", "not:clearing").stdout)
    by_name = format_ == "quickbooks"
    assert {row["account"]: cents(row["balance"].removeprefix("USD")) for row in balances} == {
        line.account.name if by_name else line.account.code: line.debit_cents for line in day.lines
    }
    amount, other = money(abs(day.lines[0].debit_cents)), money(abs(day.lines[0].debit_cents) + 1)
    changed = hledger("-f", imported(content.replace(amount, other, 1), format_, tmp_path), "check")
    assert changed.returncode == 1
    assert "balance assertion" in changed.stderr.lower()


def accepted(program: str, content: str, folder: Path) -> bool:
    command = {"beancount": ["bean-check"], "hledger": ["hledger", "check", "--strict", "-f"]}[program]
    beside = Path(sys.executable).with_name(command[0])
    found = str(beside) if beside.exists() else shutil.which(command[0])
    if found is None:
        pytest.skip(f"{command[0]} is not installed")
    file = folder / f"day.{program}"
    file.write_text(content, encoding="utf-8")
    return subprocess.run([found, *command[1:], str(file)], capture_output=True).returncode == 0


@pytest.mark.parametrize("program", ["beancount", "hledger"])
def test_programs_that_are_not_ours_take_the_day_and_refuse_one_changed_cent(
    program: str, day: DayJournal, tmp_path: Path
):
    content = WRITERS[program](day)
    assert accepted(program, content, tmp_path)
    amount, other = money(day.lines[0].debit_cents), money(day.lines[0].debit_cents + 1)
    assert not accepted(program, content.replace(f" {amount} ", f" {other} ", 1), tmp_path)


def test_hledger_writes_what_it_read(day: DayJournal, tmp_path: Path):
    assert accepted("hledger", WRITERS["hledger"](day), tmp_path)
    hledger = shutil.which("hledger")
    assert hledger is not None
    command = [hledger, "-f", str(tmp_path / "day.hledger"), "print", "-O", "csv"]
    found = table(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert [row["amount"] for row in found] == [money(line.debit_cents) for line in day.lines]
    assert {row["code"] for row in found} == {day.number}


# ---- the chart


def test_an_account_without_a_place_is_named(entries: Rows):
    without_boxes = read_chart('["player:*"]\ncode = "1"\nname = "Players"\n')
    with pytest.raises(BadChart, match="has no place for box:"):
        day_journal(entries, without_boxes, date(2026, 9, 1))


def test_the_exact_account_counts_before_its_kind_and_a_ruling_s_own_is_one():
    opened = read_chart('[marketing]\ncode = "7"\nname = "Marketing"\n').account_for("marketing")
    assert opened is not None
    both = read_chart('["box:*"]\ncode = "1"\nname = "Boxes"\n["box:b-1"]\ncode = "2"\nname = "The first"\n')
    found = [both.account_for(account) for account in ("box:b-1", "box:b-2")]
    assert [account and account.code for account in found] == ["2", "1"]


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", "it has no accounts"),
        ('["purse:*"]\ncode = "1"\nname = "x"\n', "no account 'purse:\\*'"),
        ('["box:"]\ncode = "1"\nname = "x"\n', "no account 'box:'"),
        ('[cage]\ncode = "1"\n', "`name` is missing in `cage`"),
        ('[cage]\ncode = 1\nname = "x"\n', "`cage.code` must be text in quotes"),
        ('[cage]\ncode = "1"\nname = "x"\nkind = "asset"\n', "`kind` is not known in `cage`"),
        ('[cage]\ncode = "1"\nname = "x"\n["box:*"]\ncode = "1"\nname = "y"\n', "code 1 is called 'x' and 'y'"),
        ("[cage", "cannot be read"),
    ],
)
def test_a_wrong_chart_is_refused_in_a_sentence(text: str, wrong: str):
    with pytest.raises(BadChart, match=wrong):
        read_chart(text)


# ---- the command


def test_the_command_writes_a_day_and_lists_what_is_behind_an_account(url: str, day: DayJournal, tmp_path: Path):
    app = typer.Typer()
    app.command()(journal)
    asked = [day.day.isoformat(), "--chart", str(CHART), "--database-url", url]
    assert CliRunner().invoke(app, asked).stdout == WRITERS["csv"](day)
    assert CliRunner().invoke(app, [*asked, "--format", "xero"]).stdout == WRITERS["xero"](day)
    again = CliRunner().invoke(app, asked)
    assert again.stdout == WRITERS["csv"](day)
    said = f"{day.day} was exported for csv 1 time before, with the same figures: import it once."
    assert again.stderr == f"roundledger: {said}\n"
    behind = CliRunner().invoke(app, [*asked, "--behind", "1020"])
    assert behind.exit_code == 0
    assert "box:" in behind.stdout
    missing = CliRunner().invoke(
        app, [day.day.isoformat(), "--chart", str(tmp_path / "no.toml"), "--database-url", url]
    )
    assert (missing.exit_code, "cannot be read" in missing.stderr) == (2, True)

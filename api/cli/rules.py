"""`roundledger rules`: list, show, compare, check, try and adopt rule sets."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from api.cli.audit import ArchiveFolder, BettorOption, Processes, Scheduler, Since, TableOption, Until, scope_of
from api.cli.terminal.database import By, DatabaseUrl, DataDir, actor, open_ledger
from api.cli.terminal.errors import fail, nothing_unforeseen
from api.cli.terminal.output import AsJson, Into, print_json
from api.cli.terminal.rule_trial import print_trial, trial_document
from api.cli.terminal.signing import FromInput, Passwords, two_signed
from api.cli.whatif import OutputFormat, settled_otherwise, show

if TYPE_CHECKING:
    from domain.rules.loader import RuleSetError
    from domain.rules.rulebook import RuleBook
    from domain.rules.ruleset import RuleSet
    from infra.ledger.ledger import Actor, Ledger

app = typer.Typer(help="List, show, compare, check, try, adopt and retire rule sets.", invoke_without_command=True)


class Asked(NamedTuple):
    """Options before the subcommand: `rules --json show ID` means the same as `rules show ID --json`."""

    as_json: bool
    database_url: str | None
    data_dir: Path | None

    def book(self) -> RuleBook:
        """Return the rule sets of the named ledger; by default those that ship."""
        from domain.rules.rulebook import SHIPPED

        if self.database_url is None and self.data_dir is None:
            return SHIPPED
        with open_ledger(self.database_url, self.data_dir) as ledger:
            return ledger.rulebook.latest()[0]


@app.callback()
def list_rules(
    context: typer.Context, as_json: AsJson = False, database_url: DatabaseUrl = None, data_dir: DataDir = None
) -> None:
    """List, show, compare, check, try, adopt and retire rule sets.

    Adopted rule sets are included only if a database or its folder is named.
    """
    context.obj = Asked(as_json, database_url, data_dir)
    if context.invoked_subcommand is not None:
        return
    from domain.rules.description.contents import summary
    from domain.rules.description.wording import dates

    book = context.obj.book()
    every = [book.load(id) for id in book.ids()]
    if as_json:
        print_json([summary(rules) for rules in every])
        return

    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for heading in ("rule set", "game", "bank", "seats", "version", "in force"):
        table.add_column(heading, no_wrap=heading != "game")
    for rules in every:
        version = str(rules.version)
        table.add_row(rules.id, rules.game.title, rules.bank, str(rules.seats), version, dates(rules))
    Console().print(table)


RulesetId = Annotated[str, typer.Argument(metavar="ID", help="The rule set's id, as `roundledger rules` lists it.")]
Version = Annotated[int | None, typer.Option(metavar="N", help="Another version than the newest.")]


@app.command("show")
def show_rules(
    context: typer.Context,
    ruleset: RulesetId,
    version: Version = None,
    text: Annotated[bool, typer.Option("--text", help="The text of its file, whose SHA-256 is the hash.")] = False,
    as_json: AsJson = False,
) -> None:
    """Print a rule set: pay tables, fees, dealing, order of settlement, clauses and decisions."""
    from domain.rules.description.contents import contents
    from domain.rules.description.markdown import markdown

    book = context.obj.book()
    rules = _load(book, ruleset, version)
    if text:
        typer.echo(rules.text, nl=False)
        return
    if as_json or context.obj.as_json:
        print_json(contents(rules, book))
        return

    from rich.console import Console
    from rich.markdown import Markdown

    Console().print(Markdown(markdown(rules)))


@app.command("figures")
def list_figures(context: typer.Context, ruleset: RulesetId, version: Version = None, as_json: AsJson = False) -> None:
    """List every figure of a rule set under its name for `whatif --set`."""
    from domain.rules.description.contents import contents

    book = context.obj.book()
    figures: Any = contents(_load(book, ruleset, version), book)["figures"]
    if as_json or context.obj.as_json:
        print_json(figures)
        return
    for figure in figures:
        typer.echo(f"{figure['place']} = {json.dumps(figure['value'], ensure_ascii=False)}")


Source = Annotated[str, typer.Argument(metavar="FILE", help="A rule-set file, or the id of a rule set that ships.")]


@app.command("diff")
def compare(
    context: typer.Context,
    before: Annotated[str, typer.Argument(metavar="A", help="A file, ID or ID:VERSION to begin with.")],
    after: Annotated[str, typer.Argument(metavar="B", help="What to compare with it.")],
    other: Annotated[int | None, typer.Argument(metavar="[N]", help="`diff ID N N` compares two versions.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show the figures, clauses and house edges that differ between two rule sets, and whom they concern."""
    from domain.rules.description.version_comparison import differences, edge_differences

    if other is not None:
        before, after = f"{before}:{after}", f"{before}:{other}"
    both = _source(context.obj.book(), before), _source(context.obj.book(), after)
    found = [*differences(*both), *edge_differences(*both)]
    if as_json or context.obj.as_json:
        print_json([{**difference._asdict(), "concerns": difference.concerns} for difference in found])
        return
    if not found:
        typer.echo("No figure and no clause differs.")
    for difference in found:
        typer.echo(f"{difference.what} {difference.name}")
        for sign, text in (("-", difference.before), ("+", difference.after)):
            if text is not None:
                typer.echo(f"  {sign} {text}")
        typer.echo(f"  concerns {difference.concerns}")


@app.command("check")
def check(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A rule-set file.")],
    as_json: AsJson = False,
) -> None:
    """Report every mistake in a rule-set file with its line; the exit code is 1 if there is one."""
    found = _mistakes(file)
    if as_json or context.obj.as_json:
        print_json([{"file": error.file, "line": error.line, "message": error.message} for error in found])
    elif found:
        for error in found:
            typer.echo(str(error))
    else:
        typer.echo(f"{file.name}: no mistakes.")
    raise typer.Exit(1 if found else 0)


@app.command("new")
def new(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write, named after its rule set: ID.toml.")],
    like: Annotated[str, typer.Option("--from", metavar="ID", help="The rule set to begin with.")],
    since: Annotated[
        datetime | None, typer.Option(formats=["%Y-%m-%d"], help="The first day in force; tomorrow if left out.")
    ] = None,
) -> None:
    """Start your own rule set from the text of another."""
    from domain.errors import BadDocument
    from domain.rules.new_file import new_text

    first_day = since.date() if since is not None else datetime.now(UTC).date() + timedelta(days=1)
    try:
        text = new_text(_load(context.obj.book(), like, None), file.stem, first_day)
        with file.open("x", encoding="utf-8") as written:
            written.write(text)
    except BadDocument as error:
        fail(error.detail)
    except FileExistsError:
        fail(f"{file} already exists; nothing was written.")
    except OSError as error:
        fail(f"{file} cannot be written: {error.strerror}.")
    typer.echo(f"Wrote {file}. Change it, then run `roundledger rules check {file}`.")


@app.command("test")
def try_out(
    context: typer.Context,
    source: Source,
    rounds: Annotated[int, typer.Option(min=1, help="How many rounds to simulate.")] = 2000,
    seed: Annotated[int, typer.Option(help="The same seed gives the same rounds.")] = 1,
    meter: Annotated[str | None, typer.Option(metavar="AMOUNT", help="What a progressive meter shows.")] = None,
    decks: Annotated[int | None, typer.Option(metavar="N", help="House edges with this number of decks only.")] = None,
    as_json: AsJson = False,
) -> None:
    """Simulate rounds under a rule set, check the laws of money in each, and print exact house edges."""
    from infra.simulation.trial import trial

    rules, shown = _source(context.obj.book(), source), _meter(meter)
    fewest, most = rules.decks
    if decks is not None and not fewest <= decks <= most:
        fail(f"{rules.id} is played with {'one deck' if most == 1 else f'{fewest} to {most} decks'}.")
    edges = [edge for edge in rules.game.house_edges(rules) if decks is None or edge.decks in (None, decks)]
    found = trial(rules, rounds, seed)
    if as_json or context.obj.as_json:
        print_json(trial_document(found, edges, shown))
    else:
        print_trial(found, edges, shown)
    raise typer.Exit(1 if found.broken else 0)


@app.command("try")
@nothing_unforeseen("the rounds could not be settled again")
def try_on_history(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A rule-set file.")],
    of: Annotated[
        str | None, typer.Option(metavar="ID", help="The rule set of the rounds, if the file's is another one.")
    ] = None,
    since: Since = None,
    until: Until = None,
    table: TableOption = None,
    bettor: BettorOption = None,
    processes: Processes = None,
    archive_folder: ArchiveFolder = None,
    scheduler: Scheduler = None,
    output: OutputFormat = "table",
    into: Into = None,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
) -> None:
    """Settle past rounds under a rule-set file and show what would have changed; nothing is stored."""
    from domain.disputes.whatif import RuleChanges

    rules = _parsed(file)
    scope = scope_of(since, until, table, of or rules.id, bettor)
    changes = RuleChanges(file=(file.name, rules.text))
    found = settled_otherwise(scope, changes, processes, (archive_folder, scheduler), (database_url, data_dir))
    show(found, output, into)


# ---- adopting and retiring

Day = Annotated[datetime, typer.Option("--from", formats=["%Y-%m-%d"], help="The first day (UTC).")]
Second = Annotated[str, typer.Option(metavar="ID", help="The second person's staff id.")]


@app.command("adopt")
def adopt(
    context: typer.Context,
    source: Annotated[
        str, typer.Argument(metavar="FILE", help="A rule-set file, or the id of a rule set that ships, as it is.")
    ],
    first_day: Day,
    approval: Annotated[str, typer.Option(metavar="NUMBER", help="The number under which it was approved.")],
    second: Second,
    approved_on: Annotated[
        datetime | None, typer.Option(formats=["%Y-%m-%d"], help="The day of that approval.")
    ] = None,
    until: Annotated[datetime | None, typer.Option(formats=["%Y-%m-%d"], help="The last day, if it is known.")] = None,
    by: By = None,
    password_stdin: FromInput = False,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Put a rule set into force from a given day; two people sign. Open rounds finish under the old version."""
    from domain.errors import Refusal
    from domain.rules.adoption import Approval, Days
    from domain.rules.description.contents import adoption_document

    rules = _to_adopt(source, first_day.date())
    days = Days(first_day.date(), None if until is None else until.date())
    approved = Approval(approval, None if approved_on is None else approved_on.date())
    with open_ledger(*_ledger_of(context, database_url, data_dir)) as ledger:
        try:
            who, other = _signed(ledger, by, second, password_stdin)
            adopted = ledger.adopt_rules(rules.text, rules.id, days, approved, other, who)
        except Refusal as refusal:
            fail(refusal.detail)
    if as_json or context.obj.as_json:
        print_json(adoption_document(adopted))
    else:
        typer.echo(f"Version {rules.version} of {rules.id} is in force from {days.first} on.")


@app.command("retire")
def retire(
    context: typer.Context,
    ruleset: RulesetId,
    first_day: Day,
    second: Second,
    reason: Annotated[str, typer.Option(help="Why, in one line.")] = "",
    by: By = None,
    password_stdin: FromInput = False,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
) -> None:
    """Take a rule set out of force from a given day; two people sign. Open rounds finish under it."""
    from domain.errors import Refusal

    with open_ledger(*_ledger_of(context, database_url, data_dir)) as ledger:
        try:
            who, other = _signed(ledger, by, second, password_stdin)
            retired = ledger.retire_rules(ruleset, first_day.date(), reason, other, who)
        except Refusal as refusal:
            fail(refusal.detail)
    typer.echo(f"The last day of version {retired.version} of {ruleset} is {retired.in_force.until}.")


def _signed(ledger: Ledger, by: str | None, second: str, password_stdin: bool) -> tuple[Actor, str]:
    """Return both signers, who authenticate unless the staff register is empty."""
    from api.service import roles
    from infra.access.callers import Forbidden

    if not ledger.staff.any():
        return actor(by), second
    try:
        first, other = two_signed(ledger, Passwords(password_stdin), by, second, roles.ADOPTING, roles.ADOPTING)
    except Forbidden as refusal:
        fail(str(refusal))
    return actor(first), other


@app.command("adoptions")
def list_adoptions(
    context: typer.Context,
    ruleset: Annotated[str | None, typer.Argument(metavar="[ID]", help="Only of this rule set.")] = None,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """List adopted versions with their approvals, days in force and signatures."""
    from domain.rules.description.contents import adoption_document

    with open_ledger(*_ledger_of(context, database_url, data_dir)) as ledger:
        book = ledger.rulebook.latest()[0]
    found = [adoption_document(adoption) for adoption in book.adoptions(ruleset)]
    if as_json or context.obj.as_json:
        print_json(found)
        return
    for one in found:
        days = f"from {one['first_day']} on" if one["last_day"] is None else f"{one['first_day']} to {one['last_day']}"
        typer.echo(
            f"{one['ruleset']} version {one['version']}, {days}, approval {one['approval']}, "
            f"by {one['by']} and {one['second_person']}"
        )


def _ledger_of(
    context: typer.Context, database_url: str | None, data_dir: Path | None
) -> tuple[str | None, Path | None]:
    return database_url or context.obj.database_url, data_dir or context.obj.data_dir


def _meter(amount: str | None) -> int | None:
    from domain.errors import BadDocument
    from domain.money import positive_cents

    if amount is None:
        return None
    try:
        return positive_cents(amount)
    except BadDocument as error:
        fail(error.detail)


def _to_adopt(source: str, day: date) -> RuleSet:
    """Return a file by its path, or what ships in the version of that day."""
    from domain.rules import rulesets

    if source.endswith(".toml") or source not in rulesets.ids():
        return _parsed(Path(source))
    return rulesets.in_force(source, day)


def _source(book: RuleBook, name: str) -> RuleSet:
    """Return a file by its path, or a rule set by its id, with a version after a colon."""
    if name.endswith(".toml"):
        return _parsed(Path(name))
    id, _, version = name.partition(":")
    if version and not version.isdigit():
        fail(f"{version!r} is not a version of a rule set: it is a number.")
    return _load(book, id, int(version) if version else None)


def _parsed(file: Path) -> RuleSet:
    """Return the rule set of a file, or print every mistake and exit with code 2."""
    from domain.rules.loader import parse

    if found := _mistakes(file):
        for error in found:
            typer.echo(str(error), err=True)
        raise typer.Exit(2)
    return parse(file.read_text(encoding="utf-8"), file.name)


def _mistakes(file: Path) -> list[RuleSetError]:
    from domain.rules.loader import RuleSetError
    from domain.rules.mistakes.report import mistakes

    try:
        content = file.read_bytes()
    except OSError as error:
        fail(f"{file} cannot be read: {error.strerror}.")
    try:
        return mistakes(content.decode(), file.name)
    except UnicodeDecodeError as error:
        return [RuleSetError(file.name, content[: error.start].count(b"\n") + 1, "the text is not in UTF-8")]


def _load(book: RuleBook, ruleset: str, version: int | None) -> RuleSet:
    from domain.errors import UnknownRuleset

    try:
        return book.load(ruleset, version)
    except UnknownRuleset as error:
        fail(error.detail)

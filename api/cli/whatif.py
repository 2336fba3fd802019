"""`roundledger whatif`: settle past rounds under another pay table, schedule, coverage policy, limit or figure."""

import csv
import io
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from api.cli.audit import (
    ArchiveFolder,
    BettorOption,
    Processes,
    Scheduler,
    Since,
    TableOption,
    Until,
    auditable,
    check_scheduler,
    readable_archive,
    scope_of,
)
from api.cli.terminal.database import DatabaseUrl, DataDir, open_ledger
from api.cli.terminal.errors import fail, nothing_unforeseen
from api.cli.terminal.output import Into, open_page, print_table, write

if TYPE_CHECKING:
    from domain.disputes.whatif import RuleChanges
    from domain.rules.ruleset import RuleSet
    from projections.audit.scope import Scope


OutputFormat = Annotated[Literal["table", "json", "csv"], typer.Option("--format", help="For people or for programs.")]


@nothing_unforeseen("the rounds could not be settled again")
def whatif(
    ruleset: Annotated[str, typer.Option(metavar="ID", help="The rule set of the rounds to settle again.")],
    trips: Annotated[str | None, typer.Option(metavar="ID", help="Another trips pay table, as in UTH-02.")] = None,
    schedule: Annotated[
        str | None,
        typer.Option(metavar="OPTION", help="Another fee schedule: a printed option's number, none, or one as JSON."),
    ] = None,
    coverage: Annotated[str | None, typer.Option(metavar="POLICY", help="single-pool or separate-limits.")] = None,
    limit: Annotated[
        list[str] | None, typer.Option(metavar="SPOT=LOW:HIGH", help="Other limits, as in ante=5.00:100.00.")
    ] = None,
    paytable: Annotated[
        list[str] | None, typer.Option(metavar="TABLE.HAND=ODDS", help="Other odds, as in BLIND.flush=2:1.")
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="FIGURE=VALUE",
            help="Any figure by its place in the rule set, as in odds.play.pays=2:1; `rules figures ID` lists them.",
        ),
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
    """Settle past rounds differently and show the differences by gaming day, table, wager, bettor and box.

    Nothing is stored. Rounds that could not have been played that way, such as with a wager outside the limits, are
    listed and not counted.
    """
    from domain.disputes.whatif import changed_rules
    from domain.errors import BadTerms

    rules = _newest(ruleset, database_url, data_dir)
    figures = _figures(rules, set_ or [])
    changes = _changes(trips, schedule, coverage, limit or [], paytable or [], figures)
    try:
        _check(changed_rules(rules, changes), changes)
    except BadTerms as refusal:
        fail(refusal.detail)
    scope = scope_of(since, until, table, ruleset, bettor)
    found = settled_otherwise(scope, changes, processes, (archive_folder, scheduler), (database_url, data_dir))
    show(found, output, into)


def settled_otherwise(
    scope: "Scope",
    changes: "RuleChanges",
    processes: int | None,
    archive: tuple[Path | None, str | None],
    database: tuple[str | None, Path | None],
) -> dict[str, Any]:
    """Settle past rounds of a database, or of an archive, which a cluster may read."""
    from api.cli.terminal.progress import progress_with_rate
    from projections.audit.whatif_history import what_if

    folder, scheduler = archive
    check_scheduler(scheduler, folder)
    if folder is not None:
        with readable_archive(), progress_with_rate("Settling again") as progress:
            from projections.archive.archive_whatif import archive_what_if

            return archive_what_if(folder, scope, changes, progress, processes, scheduler).document()
    with auditable(*database) as url, progress_with_rate("Settling again") as progress:
        return what_if(url, scope, changes, progress, processes).document()


# ---- parsing options


def _changes(
    trips: str | None,
    schedule: str | None,
    coverage: str | None,
    limits: list[str],
    pays: list[str],
    figures: dict[str, Any],
) -> "RuleChanges":
    from domain.disputes.whatif import UNCHANGED, RuleChanges

    asked = RuleChanges(
        trips,
        UNCHANGED if schedule is None else _schedule(schedule),
        coverage,
        dict(map(_limit, limits)),
        dict(map(_paytable, pays)) | figures,
    )
    if asked == RuleChanges():
        fail("name what to change: --trips, --schedule, --coverage, --limit, --paytable or --set")
    return asked


def _paytable(text: str) -> tuple[str, Any]:
    place, equals, odds = text.partition("=")
    table, dot, hand = place.partition(".")
    if not (table and dot and hand and equals and odds):
        fail(f"--paytable is like BLIND.flush=2:1, not {text!r}")
    return f"paytable.{table}.pays.{hand}", odds


def _newest(ruleset: str, database_url: str | None, data_dir: Path | None) -> "RuleSet":
    """Return the newest version that ships; otherwise ask the ledger whether it was adopted."""
    from domain.errors import UnknownRuleset
    from domain.rules import rulesets

    if ruleset in rulesets.ids():
        return rulesets.load(ruleset)
    with open_ledger(database_url, data_dir) as ledger:
        book = ledger.rulebook.latest()[0]
    try:
        return book.load(ruleset)
    except UnknownRuleset:
        fail(f"there is no rule set {ruleset}; there are {', '.join(book.ids())}")


def _figures(rules: "RuleSet", texts: list[str]) -> dict[str, Any]:
    """Return each place and its value, parsed like the current value: text and money as they are, anything else as
    JSON."""
    from domain.rules import rulesets

    is_text = {figure.place for figure in rulesets.figures(rules) if isinstance(figure.value, str)}
    found: dict[str, Any] = {}
    for text in texts:
        place, equals, value = text.partition("=")
        if not (place and equals and value):
            fail(f"--set is like odds.play.pays=2:1 or split.most_hands=2, not {text!r}")
        try:
            found[place] = value if place in is_text else json.loads(value)
        except ValueError:
            found[place] = value
    return found


def _schedule(text: str) -> Any:
    if text == "none":
        return None
    try:
        found = json.loads(text)
    except ValueError:
        found = text
    if isinstance(found, dict) or (isinstance(found, int) and not isinstance(found, bool)):
        return found
    fail(f"--schedule is an option's number, none, or a schedule as JSON, not {text!r}")


def _limit(text: str) -> tuple[str, tuple[str, str]]:
    found = re.fullmatch(r"([a-z_]+)=([0-9]+\.[0-9]{2}):([0-9]+\.[0-9]{2})", text)
    if found is None:
        fail(f"--limit is like ante=5.00:100.00, not {text!r}")
    return found[1], (found[2], found[3])


def _check(rules: Any, changes: "RuleChanges") -> None:
    """Refuse at once what no round of the rule set could be settled by."""
    import msgspec

    from domain.rules.terms import TermsDocument, resolve
    from domain.shape_errors import in_words

    terms: dict[str, Any] = {"limits": dict(changes.limits)}
    if len(rules.schedules) > 1:
        terms["schedule"] = next(iter(rules.schedules))
    if rules.usual_trips is None and (tables := rules.tables_for("trips")):
        terms["trips"] = next(iter(tables))
    for name, value in (("trips", changes.trips), ("coverage", changes.coverage)):
        if value is not None:
            terms[name] = value
    if changes.schedule != "unchanged":
        terms["schedule"] = changes.schedule
    try:
        resolve(rules, msgspec.convert(terms, TermsDocument))
    except msgspec.ValidationError as error:
        fail(f"these terms cannot be read: {in_words(error)}")


# ---- output


def show(found: dict[str, Any], output: Literal["table", "json", "csv"], into: Path | None) -> None:
    if output == "table":
        _print(found, into)
    else:
        write((_as_json if output == "json" else _as_csv)(found).encode(), into)


SECTIONS = {"days": "gaming_day", "tables": "table", "wagers": "wager", "bettors": "bettor", "boxes": "box"}


def _as_json(found: dict[str, Any]) -> str:
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def _as_csv(found: dict[str, Any]) -> str:
    """Return one table: what a row is about, and its figures; empty where they do not apply."""
    figures = list(found["total"])
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["by", "of", *figures, "reason", "clause"])
    writer.writerow(["total", "", *found["total"].values(), "", ""])
    for section, key in SECTIONS.items():
        for row in found[section]:
            writer.writerow([key, row[key], *(row.get(name, "") for name in figures), "", ""])
    for row in found["unplayable"]:
        writer.writerow(["unplayable", row["round"], *("" for _ in figures), row["reason"], row["clause"] or ""])
    return out.getvalue()


def _print(found: dict[str, Any], into: Path | None) -> None:
    total = found["total"]
    with open_page(into) as page:
        typer.echo(f"{total['rounds']:,} rounds, {total['changed']:,} of them settled differently; ", page, nl=False)
        changes = (f"{name} {total[f'{name}_change']}" for name in ("fees", "paid", "collected"))
        typer.echo(f"change in {', '.join(changes)}", page)
        for section in SECTIONS:
            if found[section]:
                rows = [{name.replace("_then", "_would_be"): it for name, it in row.items()} for row in found[section]]
                typer.echo("", page)
                print_table(list(rows[0]), rows, page)
        if found["unplayable_rounds"]:
            typer.echo(f"\n{found['unplayable_rounds']:,} rounds could not have been played so:", page)
            for row in found["unplayable"]:
                typer.echo(f"  {row['round']}  {row['reason']}", page)

"""`roundledger audit`: decides every stored round again and checks the floor, the reports and the log."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, Protocol, TextIO

import msgspec
import typer

from api.cli.log import read_checkpoint
from api.cli.terminal.database import By, DatabaseUrl, DataDir, actor, open_database
from api.cli.terminal.errors import database_failed, fail, first_line, nothing_unforeseen
from api.cli.terminal.output import Into
from api.cli.terminal.time_options import moment_ms

if TYPE_CHECKING:
    from collections.abc import Callable

    from domain.audit.findings import Finding
    from infra.ledger.property import Property
    from projections.audit.run import Audit, Summary
    from projections.audit.scope import Scope

FINDINGS_EXIT = 1
FindingsFormat = Literal["table", "jsonl", "pdf"]


class CheckName(StrEnum):
    FLOOR = "floor"
    PROJECTIONS = "projections"
    LOG = "log"
    TRAIL = "trail"


Since = Annotated[str | None, typer.Option("--from", metavar="TIME", help="Only rounds that opened then or later.")]
Until = Annotated[str | None, typer.Option("--to", metavar="TIME", help="Only rounds that opened before then.")]
TableOption = Annotated[str | None, typer.Option("--table", metavar="ID", help="Only rounds of this table.")]
RulesetOption = Annotated[str | None, typer.Option("--ruleset", metavar="ID", help="Only rounds of this rule set.")]
RoundOption = Annotated[str | None, typer.Option("--round", metavar="ROUND", help="Only this round.")]
BettorOption = Annotated[
    str | None, typer.Option("--bettor", metavar="ID", help="Only rounds in which they bet or held the bank.")
]
ArchiveFolder = Annotated[
    Path | None, typer.Option("--archive", metavar="DIR", help="Read an archive instead of a database.")
]
Scheduler = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="The Dask scheduler of a cluster whose workers reach the archive."),
]
Processes = Annotated[
    int | None, typer.Option(min=1, max=256, metavar="N", help="Number of processes; by default one per core.")
]


@nothing_unforeseen("the audit could not be run")
def audit(
    since: Since = None,
    until: Until = None,
    table: TableOption = None,
    ruleset: RulesetOption = None,
    bettor: BettorOption = None,
    round_id: RoundOption = None,
    processes: Processes = None,
    without: Annotated[
        list[CheckName] | None, typer.Option(help="Leave a kind of check out; may be given several times.")
    ] = None,
    checkpoints: Annotated[
        list[Path] | None,
        typer.Option("--checkpoint", metavar="FILE", help="A checkpoint of the log that was kept elsewhere."),
    ] = None,
    archive_folder: ArchiveFolder = None,
    scheduler: Scheduler = None,
    output: Annotated[FindingsFormat, typer.Option("--format", help="For people or for programs.")] = "table",
    into: Into = None,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
    by: By = None,
) -> None:
    """Decide stored rounds again under the rules of their day and compare every fee, button and line.

    Tables, boxes, meters and the hash log are checked against the events too; with filters, as far as the selected
    rounds touch them. The reports' tables are checked only without filters. The exit code is 0 if nothing was found, 1
    if something was, and 2 if the audit could not run. A note, such as a sentence that is worded differently today, is
    not a finding.
    """
    from api.cli.terminal.progress import progress_with_rate
    from infra.ledger.property import UNNAMED, property_at
    from projections.audit.audit_process import on_record
    from projections.audit.run import Audit

    outside = [read_checkpoint(file) for file in checkpoints or ()]
    scope = scope_of(since, until, table, ruleset, bettor, round_id)
    if output == "pdf" and into is None and sys.stdout.isatty():
        fail("a PDF needs --output FILE")
    check_scheduler(scheduler, archive_folder)

    options = {"scope": scope, "processes": processes, "without": without or (), "outside": outside}

    def run(make: "Callable[..., Audit]", letterhead: "Property") -> "Summary":
        with _written(output, into, _scope_text(scope, archive_folder), letterhead) as writer:
            with progress_with_rate("Auditing") as show:
                report = make(**options, report=writer.take, progress=lambda now: show(now.done, now.total, now.rounds))
                summary = report.run()
            writer.finish(summary)
        return summary

    if archive_folder is not None:
        with readable_archive():
            from projections.archive.archive_audit import ArchiveAudit

            summary = run(partial(ArchiveAudit, archive_folder, scheduler=scheduler), UNNAMED)
    else:
        asked = msgspec.json.encode({**msgspec.to_builtins(scope), "without": sorted(without or ())}).decode()
        with auditable(database_url, data_dir) as url, on_record(url, actor(by).by, asked) as record_summary:
            summary = run(partial(Audit, url), property_at(url))
            record_summary(summary)
    if round_id is not None and not summary.rounds and summary.clean:
        fail(_unknown_round(round_id, scope))
    if not summary.rounds and any((since, until, table, ruleset, bettor)):
        typer.echo("roundledger: no stored round matches these filters", err=True)
    raise typer.Exit(0 if summary.clean else FINDINGS_EXIT)


@nothing_unforeseen("the archive could not be written")
def archive(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Replaced as a whole if it is an archive already.")],
    since: Since = None,
    until: Until = None,
    property_: Annotated[
        str, typer.Option("--property", metavar="NAME", help="The property that the archive is of.")
    ] = "main",
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
) -> None:
    """Write the events to Parquet files by property, gaming day and table, with their proofs.

    With --from or --to, only rounds opened in that period, without tables, boxes and meters.
    """
    import re

    from api.cli.terminal.progress import progress_with_rate

    if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,39}", property_):
        fail("--property is a name like north-hall: lower-case letters, digits and hyphens")
    scope = scope_of(since, until, None, None, None)
    with readable_archive(), auditable(database_url, data_dir) as url, progress_with_rate("Archiving") as show:
        from projections.archive.writer import write_archive

        written = write_archive(url, folder, property_, scope, lambda done, total: show(done, total, 0))
    typer.echo(f"{written.rounds:,} rounds, {written.events:,} events in {written.files:,} files.", err=True)


def _unknown_round(round_id: str, scope: "Scope") -> str:
    from projections.audit.scope import Scope

    return f"there is no round {round_id}" + (
        "" if scope == Scope(round=round_id) else " that matches the other filters"
    )


def scope_of(
    since: str | None,
    until: str | None,
    table: str | None,
    ruleset: str | None,
    bettor: str | None,
    round_id: str | None = None,
) -> "Scope":
    from domain.rules import rulesets
    from projections.audit.scope import Scope

    since_ms, until_ms = moment_ms(since, "--from"), moment_ms(until, "--to")
    if since_ms is not None and until_ms is not None and since_ms >= until_ms:
        fail("--from must be before --to")
    if ruleset is not None and ruleset not in rulesets.ids():
        typer.echo(f"roundledger: {ruleset} does not ship with this program; it may have been adopted", err=True)
    return Scope(since_ms, until_ms, table, ruleset, bettor, round_id)


def check_scheduler(scheduler: str | None, archive_folder: Path | None) -> None:
    if scheduler is not None and archive_folder is None:
        fail("--scheduler needs --archive DIR: a cluster reads an archive, not a database")


@contextmanager
def readable_archive() -> Iterator[None]:
    """Turn whatever prevents reading or writing an archive into one sentence and exit code 2."""
    from projections.archive.manifest import BadArchive
    from projections.archive.optional_packages import ExtraMissing
    from projections.archive.writer import NotAnArchive

    try:
        yield
    except (BadArchive, ExtraMissing, NotAnArchive) as error:
        fail(str(error))
    except OSError as error:
        fail(f"the archive or the cluster does not answer: {first_line(error)}")


@contextmanager
def auditable(database_url: str | None, data_dir: Path | None) -> Iterator[str]:
    """Yield the database to audit; whatever prevents the audit is one sentence and exit code 2, never a finding."""
    from infra.store.errors import DATABASE_ERRORS

    with open_database(database_url, data_dir) as url:
        try:
            yield url
        except DATABASE_ERRORS as error:
            database_failed(error, "the audit could not be run")


# ---- writing findings


class FindingsWriter(Protocol):
    """Writes each finding as it arrives, so that a million of them do not fill the memory."""

    def take(self, finding: "Finding") -> None: ...
    def finish(self, summary: "Summary") -> None: ...


class JsonFindings:
    def __init__(self, out: TextIO) -> None:
        self._out = out

    def take(self, finding: "Finding") -> None:
        self._out.write(msgspec.json.encode(finding.document()).decode() + "\n")

    def finish(self, summary: "Summary") -> None:
        self._out.flush()
        for line in summary_lines(summary):
            typer.echo(line, err=True)


class TextFindings:
    """A heading and a sentence for each finding, which are too long for columns. The first notes follow at the end."""

    MOST_NOTES = 100

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._notes: list[Finding] = []

    def take(self, finding: "Finding") -> None:
        if not finding.is_note:
            self._write(finding)
        elif len(self._notes) < self.MOST_NOTES:
            self._notes.append(finding)

    def _write(self, finding: "Finding") -> None:
        seat = None if finding.seat is None else f"seat {finding.seat}"
        table = None if finding.table is None else f"table {finding.table}"
        position = None if finding.position is None else f"position {finding.position}"
        place = (finding.round or finding.stream, table, seat, finding.spot, finding.clause, position)
        self._out.write(f"{finding.kind}  {' · '.join(part for part in place if part)}\n    {finding.what}\n")

    def finish(self, summary: "Summary") -> None:
        if summary.findings:
            self._out.write("\n")
        if self._notes:
            self._out.write("Notes, which are not findings:\n")
            for note in self._notes:
                self._write(note)
            if summary.notes > len(self._notes):
                self._out.write(f"{summary.notes - len(self._notes):,} more: --format jsonl has all of them.\n")
            self._out.write("\n")
        self._out.writelines(line + "\n" for line in summary_lines(summary))
        self._out.flush()


class PdfFindings:
    """Write the first few thousand findings in full; JSON lines have the rest."""

    MOST = 5_000

    def __init__(self, out: TextIO, scope: str, letterhead: "Property") -> None:
        self._out, self._scope, self._letterhead = out, scope, letterhead
        self._found: list[Finding] = []
        self._notes: list[Finding] = []

    def take(self, finding: "Finding") -> None:
        kept = self._notes if finding.is_note else self._found
        if len(kept) < self.MOST:
            kept.append(finding)

    def finish(self, summary: "Summary") -> None:
        from projections.export.pdf_reports import findings_sheet

        found = self._found, summary.findings, self._notes, summary.notes
        made = datetime.now().astimezone(), self._letterhead, actor(None).by
        self._out.buffer.write(findings_sheet(self._scope, summary_lines(summary), *found, *made))
        self._out.buffer.flush()


def summary_lines(summary: "Summary") -> list[str]:
    """Return what was checked and found, for people."""
    from domain.audit.findings import KINDS

    rate = summary.rounds / summary.seconds if summary.seconds else 0.0
    lines = [
        f"{summary.rounds:,} rounds and {summary.events:,} events in {summary.seconds:,.1f} s ({rate:,.0f} rounds/s)"
    ]
    lines += [f"{check.name}: {'' if check.done else 'not checked, '}{check.text}" for check in summary.checks]
    for one, count, by_kind in (
        ("finding", summary.findings, summary.by_kind),
        ("note", summary.notes, summary.notes_by_kind),
    ):
        if count:
            lines.append(f"{count:,} {one}{'s' if count > 1 else ''}:")
            lines += [f"  {number:,} × {KINDS.get(kind, kind)}" for kind, number in sorted(by_kind.items())]
        elif one == "finding":
            lines.append("No findings.")
    return lines


def _scope_text(scope: "Scope", archive_folder: Path | None) -> str:
    """Return the scope of an audit in a sentence; moments by the local clock, with its offset."""
    from domain.moments import format_moment

    moments = (("from", scope.since_ms), ("before", scope.until_ms))
    said = [
        f"{word} {format_moment(datetime.fromtimestamp(at / 1000).astimezone())}"
        for word, at in moments
        if at is not None
    ]
    others = (("of table", scope.table), ("under", scope.ruleset), ("of", scope.bettor), ("called", scope.round))
    said += [f"{word} {name}" for word, name in others if name is not None]
    of = "the ledger" if archive_folder is None else f"the archive {archive_folder.name}"
    return f"Rounds of {of} {', '.join(said)}." if said else f"All rounds of {of}."


@contextmanager
def _written(output: FindingsFormat, into: Path | None, scope: str, letterhead: "Property") -> Iterator[FindingsWriter]:
    with ExitStack() as stack:
        try:
            out = sys.stdout if into is None else stack.enter_context(into.open("w", encoding="utf-8"))
            if output == "pdf":
                yield PdfFindings(out, scope, letterhead)
            else:
                yield JsonFindings(out) if output == "jsonl" else TextFindings(out)
        except OSError as error:
            if into is None:
                raise
            fail(f"{into} cannot be written: {error.strerror}")

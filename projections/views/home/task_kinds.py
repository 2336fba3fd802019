"""The kinds of things that wait: boxes, disputes, tables, payments, and the state of the ledger itself."""

from __future__ import annotations

from typing import LiteralString

from domain.money import dollars
from infra.access.callers import COUNTER
from infra.ledger.access_reviews import reviews
from infra.ledger.audit_runs import AuditRuns
from projections.reports.cash_reports import CASH_LOG
from projections.views.home.tasks import (
    MOST_NAMED,
    OpenTask,
    OpenTasks,
    TaskKind,
    TaskQuery,
    ago,
    moment,
    single_task,
    task_of,
    tasks_of,
)
from projections.views.named_rows import Row

FLOOR = ("floor",)
OVERSEERS = ("floor", "accounting", "auditor")
ACCOUNTING = ("accounting",)
BOOKS = ("accounting", "auditor")
RULING = ("floor", "accounting", "auditor")
KEEPERS = ("accounting", "auditor", "admin")
# The first boxes of each status, those that the caller has counted apart, and in `alike` how many there are.
BOXES: LiteralString = (
    "SELECT box, table_id, seal, removed_at, counters, variance, status, own, alike FROM (SELECT *, "
    "count(*) OVER same AS alike, row_number() OVER (same ORDER BY removed_at, box) AS place FROM (SELECT box, "
    "table_id, seal, removed_at, counters, variance, status, %(by)s = ANY(counters) AS own FROM projections.drops "
    "WHERE status IN ('removed', 'counted', 'variance') ORDER BY removed_at, box LIMIT 600) waiting "
    f"WINDOW same AS (PARTITION BY status, own)) numbered WHERE place <= {MOST_NAMED} ORDER BY removed_at, box"
)
DISPUTES: LiteralString = (
    "SELECT dispute, table_id, kind, claimed, status, deadline FROM projections.disputes "
    "WHERE status IN ('open', 'appealed') ORDER BY deadline, dispute LIMIT 200"
)
TABLES: LiteralString = (
    "SELECT table_id, opened_at, dealer, round, round_at, round_status FROM projections.tables "
    "WHERE open ORDER BY table_id LIMIT 500"
)
TRAYS: LiteralString = (
    "SELECT i.table_id, i.began_at FROM projections.inventory i JOIN projections.tables t USING (table_id) "
    "WHERE i.opening IS NOT NULL AND i.closing IS NULL AND (t.session > i.session OR NOT t.open) "
    "ORDER BY i.began_at LIMIT 200"
)
SLIPS: LiteralString = (
    "SELECT number, kind, table_id, amount, at FROM projections.slips WHERE status = 'requested' "
    "ORDER BY number LIMIT 200"
)
# Only the last ones: counting all would mean adding them all up.
PAYMENTS: LiteralString = (
    "SELECT round, table_id, at, seat, spot, difference + coalesce(corrected, 0) AS left FROM projections.payments "
    "LEFT JOIN projections.payments_put_right USING (round, seat, bettor, hand, spot) "
    "WHERE difference <> 0 AND difference + coalesce(corrected, 0) <> 0 ORDER BY at DESC LIMIT 51"
)
CASH: LiteralString = (
    "SELECT bettor, gaming_day, greatest(cash_in, cash_out) AS most, last_at FROM "
    + CASH_LOG.source.replace("{schema}", "projections")
    + " WHERE level = 'report' AND gaming_day >= current_date - 7 ORDER BY last_at DESC LIMIT 200"
)
MOST_PAYMENTS = 50
OPEN_MINUTES = 30.0  # after which an inactive round was probably abandoned
LATE_SECONDS = 10.0
UNSEALED_SECONDS = 300.0
AUDIT_DAYS = 31.0


# ---- boxes


@task_of((COUNTER,), "drops", asks=BOXES, shown_to_blind=True)
def boxes_to_count(query: TaskQuery) -> OpenTasks | None:
    """Return boxes that the caller has not counted yet."""
    boxes, count = _boxes(query, "removed", by_others=True)
    things = (_uncounted(box, f"/drop/{box['box']}/count") for box in boxes)
    titles = "Box for you to count", "Boxes for you to count"
    return tasks_of("boxes_to_count", titles, "/drop?status=removed", things, count=count)


@task_of(OVERSEERS, "drops", asks=BOXES, shown_to_blind=True)
def boxes_uncounted(query: TaskQuery) -> OpenTasks | None:
    boxes, count = _boxes(query, "removed")
    things = (_uncounted(box, f"/drop/{box['box']}") for box in boxes)
    titles = "Box that is not counted yet", "Boxes that are not counted yet"
    return tasks_of("boxes_uncounted", titles, "/drop?status=removed", things, count=count)


@task_of(BOOKS, "drops", asks=BOXES)
def boxes_short(query: TaskQuery) -> OpenTasks | None:
    """Return boxes whose agreed count differs from the fees."""
    if not (query.sight.books or query.sight.open):
        return None
    boxes, count = _boxes(query, "variance")
    things = (
        OpenTask(box["box"], f"/drop/{box['box']}", _variance(box["variance"]), since=moment(box["removed_at"]))
        for box in boxes
    )
    titles = "Box with a variance to explain", "Boxes with a variance to explain"
    return tasks_of("boxes_short", titles, "/drop?status=variance", things, urgent=True, count=count)


@task_of(ACCOUNTING, "drops", asks=BOXES)
def boxes_to_sign(query: TaskQuery) -> OpenTasks | None:
    """Return boxes counted by others. People who may not see the figures do not learn which of them are short."""
    sighted = query.sight.books or query.sight.open
    boxes, count = _boxes(query, "counted", *(() if sighted else ("variance",)), by_others=True)
    things = (
        OpenTask(box["box"], f"/drop/{box['box']}", f"table {box['table_id']}", since=moment(box["removed_at"]))
        for box in boxes
    )
    titles = "Box to sign off", "Boxes to sign off"
    return tasks_of("boxes_to_sign", titles, "/drop?status=counted", things, count=count)


def _boxes(query: TaskQuery, *statuses: str, by_others: bool = False) -> tuple[list[Row], int]:
    """Return the first boxes, if asked only those that others have counted or nobody, and how many there are."""
    boxes = [box for box in query.rows[BOXES] if box["status"] in statuses and not (by_others and box["own"])]
    alike = {(box["status"], box["own"]): box["alike"] for box in boxes}
    return boxes, sum(alike.values())


def _uncounted(box: Row, page: str) -> OpenTask:
    note = f"table {box['table_id']}, seal {box['seal']}"
    if len(box["counters"]) > 1:
        note += "; the counts so far differ"
    return OpenTask(box["box"], page, note, since=moment(box["removed_at"]))


def _variance(cents: int) -> str:
    return f"{dollars(abs(cents))} {'short' if cents < 0 else 'over'}"


# ---- disputes


@task_of(RULING, "disputes", asks=DISPUTES)
def disputes_to_rule(query: TaskQuery) -> OpenTasks | None:
    things = [
        OpenTask(
            row["dispute"],
            f"/disputes/{row['dispute']}",
            f"table {row['table_id']}, {row['kind']}, {dollars(row['claimed'])} claimed"
            + (", appealed" if row["status"] == "appealed" else ""),
            due=moment(row["deadline"]),
            late=row["deadline"] < query.at,
        )
        for row in query.rows[DISPUTES]
        if row["status"] == "appealed" or query.caller.role != "accounting"
    ]
    titles = (
        ("Open dispute", "Open disputes")
        if query.caller.role == "auditor"
        else ("Dispute to rule on", "Disputes to rule on")
    )
    return tasks_of("disputes_to_rule", titles, "/disputes", things)


# ---- tables


@task_of(FLOOR, "tables", asks=TABLES)
def rounds_left_open(query: TaskQuery) -> OpenTasks | None:
    things = [
        OpenTask(row["round"], f"/rounds/{row['round']}", f"table {row['table_id']}", since=moment(row["round_at"]))
        for row in query.rows[TABLES]
        if row["round_status"] == "open" and row["round_at"] < ago(query, minutes=OPEN_MINUTES)
    ]
    titles = "Round that is still open", "Rounds that are still open"
    return tasks_of("rounds_left_open", titles, "/floor", things)


@task_of(FLOOR, "tables", asks=TABLES)
def tables_without_dealer(query: TaskQuery) -> OpenTasks | None:
    things = [
        OpenTask(row["table_id"], f"/dealer/{row['table_id']}", "nobody has tapped in", since=moment(row["opened_at"]))
        for row in query.rows[TABLES]
        if row["dealer"] is None
    ]
    titles = "Open table without a dealer", "Open tables without a dealer"
    return tasks_of("tables_without_dealer", titles, "/floor", things)


@task_of(("floor", "accounting"), "inventory", "tables", asks=TRAYS)
def trays_uncounted(query: TaskQuery) -> OpenTasks | None:
    """Return trays of tables that have closed since."""
    things = [
        OpenTask(row["table_id"], f"/trays?table={row['table_id']}", "no closing count", since=moment(row["began_at"]))
        for row in query.rows[TRAYS]
    ]
    titles = "Tray without its closing count", "Trays without their closing count"
    return tasks_of("trays_uncounted", titles, "/trays", things)


@task_of(("cage",), "slips", asks=SLIPS, shown_to_blind=True)
def slips_to_issue(query: TaskQuery) -> OpenTasks | None:
    """Return the fills and credits that the floor asked for, which say nothing of boxes."""
    things = [
        OpenTask(
            f"{row['number']:06}",
            f"/cage/{row['number']}/issue",
            f"{row['kind']}, table {row['table_id']}, {dollars(row['amount'])}",
            since=moment(row["at"]),
        )
        for row in query.rows[SLIPS]
    ]
    return tasks_of("slips_to_issue", ("Fill or credit to issue", "Fills and credits to issue"), "/cage", things)


@task_of(("terminal",), shown_to_blind=True)
def own_table(query: TaskQuery) -> OpenTasks | None:
    table = query.caller.table
    return None if table is None else single_task("own_table", "Your table", OpenTask(table, f"/dealer/{table}"))


# ---- cash


@task_of(("cage", "accounting", "auditor"), "cash_log", asks=CASH)
def cash_to_report(query: TaskQuery) -> OpenTasks | None:
    """Patrons whose cash on a gaming day of the last week is over the property's threshold."""
    things = [
        OpenTask(
            row["bettor"],
            f"/cash?gaming_day={row['gaming_day']}",
            f"{dollars(row['most'])} on gaming day {row['gaming_day']:%d %b %Y}",
            since=moment(row["last_at"]),
        )
        for row in query.rows[CASH]
    ]
    titles = "Patron whose cash has to be reported", "Patrons whose cash has to be reported"
    return tasks_of("cash_to_report", titles, "/cash", things, urgent=True)


# ---- payments


@task_of(OVERSEERS, "payments", asks=PAYMENTS)
def payments_that_differ(query: TaskQuery) -> OpenTasks | None:
    rows = query.rows[PAYMENTS]
    things = [
        OpenTask(
            row["round"],
            f"/rounds/{row['round']}",
            f"seat {row['seat']}, {row['spot'].replace('_', ' ')}: {dollars(abs(row['left']))} too "
            + ("much" if row["left"] > 0 else "little"),
            since=moment(row["at"]),
        )
        for row in rows[:MOST_PAYMENTS]
    ]
    titles = "Payment that differs from the rules", "Payments that differ from the rules"
    return tasks_of("payments_that_differ", titles, "/irregular?report=irregular-payments", things)


# ---- the ledger itself


@task_of(BOOKS)
def findings_of_last_audit(query: TaskQuery) -> OpenTasks | None:
    ended = [audit for audit in AuditRuns(query.read_side.database).latest(10) if audit.state == "done"]
    if not ended:
        return single_task("audit", "No audit has been run", OpenTask("Run an audit", "/audit"))
    last = ended[0]
    if last.findings:
        page = f"/audit/{last.audit_id}"
        titles = "Finding of the last audit", "Findings of the last audit"
        things = [OpenTask("Look at the audit", page, f"by {last.started_by}", since=moment(last.started_at))]
        return tasks_of("audit", titles, page, things, urgent=True, count=last.findings)
    if last.started_at > ago(query, days=AUDIT_DAYS):
        return None
    thing = OpenTask("Run an audit", "/audit", "the last one", since=moment(last.started_at))
    return single_task("audit", "No audit for a month", thing)


@task_of(KEEPERS, shown_to_blind=True)
def access_review_due(query: TaskQuery) -> OpenTasks | None:
    """Return a reminder if nobody has signed an access review for a quarter, unless the staff register is empty."""
    ledger = query.read_side.ledger
    if not ledger.staff.any() or not reviews(ledger, round(query.at.timestamp() * 1000), most=1).due:
        return None
    note = "once a quarter somebody from accounting or an auditor looks at who may do what, and signs that"
    thing = OpenTask("Review who may do what", "/staff/review", note)
    return single_task("access_review", "An access review is due", thing)


@task_of((*OVERSEERS, "admin"))
def projections_behind(query: TaskQuery) -> OpenTasks | None:
    """Return a reminder if reports and pages are not up to date."""
    if not query.read_side.projector.events_behind():
        return None
    events, seconds = query.read_side.projector.lag()
    if seconds < LATE_SECONDS:
        return None
    note = f"reports lack the last {events:,} events; the oldest is {seconds:,.0f} seconds old"
    return single_task(
        "projections_behind",
        "Reports are late",
        OpenTask("See whether the service is ready", "/readyz", note),
        urgent=True,
    )


@task_of(("auditor", "admin"))
def events_unsealed(query: TaskQuery) -> OpenTasks | None:
    """Return a reminder if stored events are not covered by a checkpoint of the transparency log."""
    events, seconds = query.read_side.sealing.lag()
    if seconds < UNSEALED_SECONDS:
        return None
    note = f"{events:,} events wait for a checkpoint, the oldest for {seconds / 60:,.0f} minutes"
    return single_task(
        "events_unsealed",
        "Events are not sealed",
        OpenTask("See whether the service is ready", "/readyz", note),
        urgent=True,
    )


KINDS: tuple[TaskKind, ...] = (
    own_table,
    slips_to_issue,
    boxes_to_count,
    boxes_short,
    disputes_to_rule,
    boxes_to_sign,
    findings_of_last_audit,
    cash_to_report,
    payments_that_differ,
    rounds_left_open,
    tables_without_dealer,
    trays_uncounted,
    boxes_uncounted,
    access_review_due,
    projections_behind,
    events_unsealed,
)

"""The kinds of things that wait: boxes, disputes, tables, payments, and the state of the ledger itself."""

from __future__ import annotations

from typing import LiteralString

from domain.money import money
from infra.access.callers import COUNTER
from infra.ledger.access_reviews import reviews
from infra.ledger.audit_runs import AuditRuns
from projections.reports.cash_reports import CASH_LOG
from projections.views.home.waiting import Kind, Look, Thing, Waiting, ago, due, moment, waiting, waits_for
from projections.views.named_rows import Row

FLOOR = ("floor",)
OVERSEERS = ("floor", "accounting", "auditor")
ACCOUNTING = ("accounting",)
BOOKS = ("accounting", "auditor")
RULING = ("floor", "accounting", "auditor")
KEEPERS = ("accounting", "auditor", "admin")
BOXES: LiteralString = (
    "SELECT box, table_id, seal, removed_at, counters, variance, status FROM projections.drops "
    "WHERE status = ANY(%(statuses)s) ORDER BY removed_at, box LIMIT 200"
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


@waits_for((COUNTER,), "drops", shown_to_blind=True)
def boxes_to_count(look: Look) -> Waiting | None:
    """Return boxes that the caller has not counted yet."""
    boxes = [box for box in _boxes(look, "removed") if look.caller.by not in box["counters"]]
    things = [_uncounted(box, f"/drop/{box['box']}/count") for box in boxes]
    return waiting("boxes_to_count", ("Box for you to count", "Boxes for you to count"), "/drop?status=removed", things)


@waits_for(OVERSEERS, "drops", shown_to_blind=True)
def boxes_uncounted(look: Look) -> Waiting | None:
    things = [_uncounted(box, f"/drop/{box['box']}") for box in _boxes(look, "removed")]
    titles = "Box that is not counted yet", "Boxes that are not counted yet"
    return waiting("boxes_uncounted", titles, "/drop?status=removed", things)


@waits_for(BOOKS, "drops")
def boxes_short(look: Look) -> Waiting | None:
    """Return boxes whose agreed count differs from the fees."""
    if not (look.sight.books or look.sight.open):
        return None
    things = [
        Thing(box["box"], f"/drop/{box['box']}", _variance(box["variance"]), since=moment(box["removed_at"]))
        for box in _boxes(look, "variance")
    ]
    titles = "Box with a variance to explain", "Boxes with a variance to explain"
    return waiting("boxes_short", titles, "/drop?status=variance", things, urgent=True)


@waits_for(ACCOUNTING, "drops")
def boxes_to_sign(look: Look) -> Waiting | None:
    """Return boxes counted by others. People who may not see the figures do not learn which of them are short."""
    sighted = look.sight.books or look.sight.open
    boxes = _boxes(look, "counted") if sighted else _boxes(look, "counted", "variance")
    things = [
        Thing(box["box"], f"/drop/{box['box']}", f"table {box['table_id']}", since=moment(box["removed_at"]))
        for box in boxes
        if look.caller.by not in box["counters"]
    ]
    return waiting("boxes_to_sign", ("Box to sign off", "Boxes to sign off"), "/drop?status=counted", things)


def _boxes(look: Look, *statuses: str) -> list[Row]:
    return look.select(BOXES, {"statuses": list(statuses)})


def _uncounted(box: Row, page: str) -> Thing:
    note = f"table {box['table_id']}, seal {box['seal']}"
    if len(box["counters"]) > 1:
        note += "; the counts so far differ"
    return Thing(box["box"], page, note, since=moment(box["removed_at"]))


def _variance(cents: int) -> str:
    return f"${money(abs(cents))} {'short' if cents < 0 else 'over'}"


# ---- disputes


@waits_for(RULING, "disputes")
def disputes_to_rule(look: Look) -> Waiting | None:
    things = [
        Thing(
            row["dispute"],
            f"/disputes/{row['dispute']}",
            f"table {row['table_id']}, {row['kind']}, ${money(row['claimed'])} claimed"
            + (", appealed" if row["status"] == "appealed" else ""),
            due=moment(row["deadline"]),
            late=row["deadline"] < look.at,
        )
        for row in look.select(DISPUTES)
        if row["status"] == "appealed" or look.caller.role != "accounting"
    ]
    titles = (
        ("Open dispute", "Open disputes")
        if look.caller.role == "auditor"
        else ("Dispute to rule on", "Disputes to rule on")
    )
    return waiting("disputes_to_rule", titles, "/disputes", things)


# ---- tables


@waits_for(FLOOR, "tables")
def rounds_left_open(look: Look) -> Waiting | None:
    things = [
        Thing(row["round"], f"/rounds/{row['round']}", f"table {row['table_id']}", since=moment(row["round_at"]))
        for row in look.select(TABLES)
        if row["round_status"] == "open" and row["round_at"] < ago(look, minutes=OPEN_MINUTES)
    ]
    titles = "Round that is still open", "Rounds that are still open"
    return waiting("rounds_left_open", titles, "/floor", things)


@waits_for(FLOOR, "tables")
def tables_without_dealer(look: Look) -> Waiting | None:
    things = [
        Thing(row["table_id"], f"/dealer/{row['table_id']}", "nobody has tapped in", since=moment(row["opened_at"]))
        for row in look.select(TABLES)
        if row["dealer"] is None
    ]
    titles = "Open table without a dealer", "Open tables without a dealer"
    return waiting("tables_without_dealer", titles, "/floor", things)


@waits_for(("floor", "accounting"), "inventory", "tables")
def trays_uncounted(look: Look) -> Waiting | None:
    """Return trays of tables that have closed since."""
    things = [
        Thing(row["table_id"], f"/trays?table={row['table_id']}", "no closing count", since=moment(row["began_at"]))
        for row in look.select(TRAYS)
    ]
    titles = "Tray without its closing count", "Trays without their closing count"
    return waiting("trays_uncounted", titles, "/trays", things)


@waits_for(("cage",), "slips", shown_to_blind=True)
def slips_to_issue(look: Look) -> Waiting | None:
    """Return the fills and credits that the floor asked for, which say nothing of boxes."""
    things = [
        Thing(
            f"{row['number']:06}",
            f"/cage/{row['number']}/issue",
            f"{row['kind']}, table {row['table_id']}, ${money(row['amount'])}",
            since=moment(row["at"]),
        )
        for row in look.select(SLIPS)
    ]
    return waiting("slips_to_issue", ("Fill or credit to issue", "Fills and credits to issue"), "/cage", things)


@waits_for(("terminal",), shown_to_blind=True)
def own_table(look: Look) -> Waiting | None:
    table = look.caller.table
    return None if table is None else due("own_table", "Your table", Thing(table, f"/dealer/{table}"))


# ---- cash


@waits_for(("cage", "accounting", "auditor"), "cash_log")
def cash_to_report(look: Look) -> Waiting | None:
    """Patrons whose cash on a gaming day of the last week is over the property's threshold."""
    things = [
        Thing(
            row["bettor"],
            f"/cash?gaming_day={row['gaming_day']}",
            f"${money(row['most'])} on {row['gaming_day']}",
            since=moment(row["last_at"]),
        )
        for row in look.select(CASH)
    ]
    titles = "Patron whose cash has to be reported", "Patrons whose cash has to be reported"
    return waiting("cash_to_report", titles, "/cash", things, urgent=True)


# ---- payments


@waits_for(OVERSEERS, "payments")
def payments_that_differ(look: Look) -> Waiting | None:
    rows = look.select(PAYMENTS)
    things = [
        Thing(
            row["round"],
            f"/rounds/{row['round']}",
            f"seat {row['seat']}, {row['spot'].replace('_', ' ')}: ${money(abs(row['left']))} too "
            + ("much" if row["left"] > 0 else "little"),
            since=moment(row["at"]),
        )
        for row in rows[:MOST_PAYMENTS]
    ]
    titles = "Payment that differs from the rules", "Payments that differ from the rules"
    return waiting("payments_that_differ", titles, "/irregular?report=irregular-payments", things)


# ---- the ledger itself


@waits_for(BOOKS)
def findings_of_last_audit(look: Look) -> Waiting | None:
    ended = [audit for audit in AuditRuns(look.books.database).latest(10) if audit.state == "done"]
    if not ended:
        return due("audit", "No audit has been run", Thing("Run an audit", "/audit"))
    last = ended[0]
    if last.findings:
        page = f"/audit/{last.audit_id}"
        titles = "Finding of the last audit", "Findings of the last audit"
        things = [Thing("Look at the audit", page, f"by {last.started_by}", since=moment(last.started_at))]
        return waiting("audit", titles, page, things, urgent=True, count=last.findings)
    if last.started_at > ago(look, days=AUDIT_DAYS):
        return None
    thing = Thing("Run an audit", "/audit", "the last one", since=moment(last.started_at))
    return due("audit", "No audit for a month", thing)


@waits_for(KEEPERS, shown_to_blind=True)
def access_review_due(look: Look) -> Waiting | None:
    """Return a reminder if nobody has signed an access review for a quarter, unless the staff register is empty."""
    ledger = look.books.ledger
    if not ledger.staff.any() or not reviews(ledger, round(look.at.timestamp() * 1000), most=1).due:
        return None
    note = "once a quarter somebody from accounting or an auditor looks at who may do what, and signs that"
    thing = Thing("Review who may do what", "/staff/review", note)
    return due("access_review", "An access review is due", thing)


@waits_for((*OVERSEERS, "admin"))
def projections_behind(look: Look) -> Waiting | None:
    """Return a reminder if reports and pages are not up to date."""
    if not look.books.projector.events_behind():
        return None
    events, seconds = look.books.projector.lag()
    if seconds < LATE_SECONDS:
        return None
    note = f"reports lack the last {events:,} events; the oldest is {seconds:,.0f} seconds old"
    return due(
        "projections_behind",
        "Reports are late",
        Thing("See whether the service is ready", "/readyz", note),
        urgent=True,
    )


@waits_for(("auditor", "admin"))
def events_unsealed(look: Look) -> Waiting | None:
    """Return a reminder if stored events are not covered by a checkpoint of the transparency log."""
    events, seconds = look.books.sealing.lag()
    if seconds < UNSEALED_SECONDS:
        return None
    note = f"{events:,} events wait for a checkpoint, the oldest for {seconds / 60:,.0f} minutes"
    return due(
        "events_unsealed",
        "Events are not sealed",
        Thing("See whether the service is ready", "/readyz", note),
        urgent=True,
    )


KINDS: tuple[Kind, ...] = (
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

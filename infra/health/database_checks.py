"""Checks of the database: server, schema, rights, clock, log, replication and audits."""

from __future__ import annotations

from collections.abc import Iterator

from infra import standby
from infra.access.review.violations import violations
from infra.backup import create
from infra.health import clock_offset
from infra.health.check_result import Check, fault, ok, warning
from infra.health.clock_offset import Clocks
from infra.health.metrics import metrics_of
from infra.log.checks.partial_check import PartChecker
from infra.log.leaves import leaf_hashes
from infra.log.stored_log import LogReader
from infra.schema.catalogue import CatalogueAudit
from infra.schema.migrator import OLDEST_SERVER
from infra.store.database import Database, rights_beyond_service_of

NEWEST_EVENTS = 2_000
SEAL_LAG_SECONDS = 300.0
MOST_NAMED = 3
DURABLE = ("fsync", "full_page_writes", "synchronous_commit")
SETTINGS = (
    "SELECT current_setting('server_version_num')::int, current_setting('server_version'), "
    "current_setting('data_checksums') = 'on', pg_is_in_recovery(), current_setting('synchronous_standby_names'), "
    "(SELECT count(*) FROM pg_stat_replication), "
    "ARRAY(SELECT slot_name::text FROM pg_replication_slots WHERE NOT active)"
)


def checks_of(database: Database) -> Iterator[Check]:
    """Return the checks of a database whose schema is up to date."""
    for check in (server, schema, login, clock, newest_events, sealing, replication, last_audit, roles):
        yield check(database)


def server(database: Database) -> Check:
    ((number, name, checksums, *_),) = database.rows(SETTINGS)
    off = [setting for setting in DURABLE if _setting(database, setting) == "off"]
    if number < OLDEST_SERVER:
        return fault("server", f"PostgreSQL {name}.", "Move to PostgreSQL 15 or later.")
    if off:
        said = f"PostgreSQL {name} with {' and '.join(off)} off: a crash loses what was acknowledged."
        return fault("server", said, "Turn them on in postgresql.conf, and reload.")
    if not checksums:
        return warning("server", f"PostgreSQL {name} without checksums of its pages.", "Enable them: pg_checksums.")
    return ok("server", f"PostgreSQL {name}, durable, with checksums.")


def _setting(database: Database, name: str) -> str:
    ((value,),) = database.rows("SELECT current_setting(%s)", [name])
    return str(value)


def schema(database: Database) -> Check:
    """Compare tables, triggers, functions and rights with what the migrations create."""
    audit = CatalogueAudit()
    found = list(audit.findings(database))
    if found:
        said = " ".join(finding.what for finding in found[:MOST_NAMED])
        more = f" And {len(found) - MOST_NAMED} more." if len(found) > MOST_NAMED else ""
        return fault("schema and rights", said + more, "Find out who changed it; `roundledger audit` lists everything.")
    if not audit.with_rights:
        return warning(
            "schema and rights", "Roles are missing, so rights are not separated.", "See docs/deployment.md."
        )
    return ok("schema and rights", f"All {audit.objects:,} parts of the schema and all rights are as released.")


def login(database: Database) -> Check:
    too_much = database.read(rights_beyond_service_of)
    if too_much is not None:
        return warning("login", f"{too_much[:1].upper()}{too_much[1:]}.", "Log in as roundledger_service.")
    return ok("login", "The login has no more rights than the service needs.")


def clock(database: Database) -> Check:
    clocks = Clocks(database)
    ahead = clocks.ahead_seconds()
    if set_back := clocks.set_back_seconds():
        return warning("clock", clock_offset.set_back_in_words(set_back), "Let NTP keep the server's clock.")
    if abs(ahead) > clock_offset.REFUSED_SECONDS:
        return fault("clock", clock_offset.in_words(ahead), "Set the clock that is wrong: nothing is recorded.")
    if abs(ahead) > clock_offset.NOTICED_SECONDS:
        return warning("clock", clock_offset.in_words(ahead), "Let NTP keep both clocks.")
    return ok("clock", "This machine's clock and the database's agree.")


def newest_events(database: Database) -> Check:
    """Compare the newest events with the transparency log."""
    log = LogReader(database)
    rows = log.events.newest(NEWEST_EVENTS)
    checker = PartChecker(log)
    checker.feed([row.position for row in rows], leaf_hashes(rows))
    found = checker.finish()
    if found:
        said = " ".join(finding.what for finding in found[:MOST_NAMED])
        return fault("newest events", said, "Stop, keep a copy of the server, and run `roundledger audit`.")
    sealed = len(rows) - checker.unsealed
    return ok("newest events", f"The newest {sealed:,} sealed events are as they were signed.")


def sealing(database: Database) -> Check:
    log = LogReader(database)
    keys = log.keys()
    published = log.published(keys[-1].name) if keys else None
    if published is not None and published.size > log.size():
        said = f"The log was restored with {log.size():,} events, and one of {published.size:,} was published."
        return fault("sealing", f"{said} Nothing is sealed.", "Two people run `roundledger log succeed`.")
    lag = log.lag()
    if lag.seconds > SEAL_LAG_SECONDS:
        said = f"{lag.events:,} events are not sealed; the oldest has waited for {lag.seconds:,.0f} seconds."
        return warning(
            "sealing", said, "Start `roundledger serve` with ROUNDLEDGER_SEAL, or run `roundledger log seal`."
        )
    waiting = f"The last {lag.events:,} events are about to be sealed." if lag.events else "Every event is sealed."
    return ok("sealing", waiting)


def replication(database: Database) -> Check:
    ((*_, is_standby, names, connected, idle),) = database.rows(SETTINGS)
    if is_standby:
        return ok("standby", "This is a standby: it can be read, and takes no writes.")
    if names and (not connected or any(slot in names for slot in idle)):
        return fault(
            "standby",
            f"Commits wait for {names}, which is not connected: nothing is recorded.",
            "Start it (`roundledger standby run` or `backup --follow`), or empty synchronous_standby_names and reload.",
        )
    if idle:
        said = f"The replication slot {' and '.join(idle)} has no receiver, and keeps what it has not received."
        return warning("standby", said, f"Start it again, or give it up before the disk is full: {_give_up(idle)}.")
    if not connected:
        return ok("standby", "No standby is expected, and nobody receives the write-ahead log.")
    return ok("standby", f"Connected receivers of the write-ahead log: {connected:,}.")


def _give_up(slots: list[str]) -> str:
    ours = {create.SLOT: "`roundledger backup unfollow`", standby.SLOT: "`roundledger standby remove`"}
    return " and ".join(ours.get(name, f"drop the slot {name}") for name in slots)


def last_audit(database: Database) -> Check:
    found = database.read(metrics_of)
    if not found.last_audit_timestamp_seconds:
        return warning("audit", "No audit has been completed yet.", "Run `roundledger audit`.")
    if found.audit_findings:
        said = f"The last audit has {found.audit_findings:,} findings."
        return fault("audit", said, "Look at them on the page Audits, or run `roundledger audit`.")
    return ok("audit", "The last audit has no findings.")


def roles(database: Database) -> Check:
    """Find people and machines with roles that must not be combined, granted before that was a rule."""
    found = violations(database)
    if found:
        said = " ".join(one.what for one in found[:MOST_NAMED])
        more = f" And {len(found) - MOST_NAMED} more." if len(found) > MOST_NAMED else ""
        remedy = found[0].remedy if len(found) == 1 else "`roundledger people check` says what to take away."
        return fault("separation of roles", said + more, remedy)
    return ok("separation of roles", "Nobody has roles that must not be combined, by a part or by a token.")

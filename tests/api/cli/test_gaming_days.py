"""`roundledger gaming-days`, and a runner that notices what was set while it ran."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import pytest
from typer.testing import CliRunner

from api.cli.reports import gaming_days_app
from infra.ledger.ledger import Ledger
from projections.calendar.gaming_day_settings import set_gaming_days
from projections.calendar.gaming_days import Calendar, Shift
from projections.engine.connection import connect
from projections.engine.rebuild import rebuild
from projections.engine.runner import Runner
from projections.reports.report_query import rows
from tests.projections.simulated_floor import NOON_MS, everything, record
from tests.tables_in_play import bank_round

TO_COME = (datetime.now(UTC).date() + timedelta(days=30)).isoformat()


def run(url: str, *arguments: str) -> Any:
    return CliRunner().invoke(gaming_days_app, [*arguments, "--database-url", url])


def test_settings_are_shown_and_set_for_a_day_to_come(url: str):
    (default,) = json.loads(run(url, "show", "--format", "json").stdout)["settings"]
    assert (default["from"], default["shifts"][0]) == (None, "day=06:00")
    settings = ("--from", TO_COME, "--time-zone", "America/Chicago", "--shift", "early=04:00", "--shift", "late=16:00")
    answered = run(url, "set", *settings, "--by", "m-1")
    assert answered.exit_code == 0, answered.output
    _, added = json.loads(run(url, "show", "--format", "json").stdout)["settings"]
    assert (added["from"], added["time_zone"], added["set_by"]) == (TO_COME, "America/Chicago", "m-1")
    assert added["shifts"] == ["early=04:00", "late=16:00"]
    shown = run(url, "show")
    assert "It is gaming day" in shown.stdout
    assert "early=04:00 late=16:00" in shown.stdout
    again = run(url, "set", *settings)
    assert again.exit_code == 2
    assert "already" in again.stderr


@pytest.mark.parametrize(
    ("day", "zone", "shift"),
    [
        ("2020-01-01", "UTC", "all=06:00"),
        ("soon", "UTC", "all=06:00"),
        (TO_COME, "Nowhere/Else", "all=06:00"),
        (TO_COME, "UTC", "all"),
        (TO_COME, "UTC", "all=25:00"),
        (TO_COME, "UTC", "=06:00"),
    ],
)
def test_settings_that_make_no_sense_are_refused(url: str, day: str, zone: str, shift: str):
    answered = run(url, "set", "--from", day, "--time-zone", zone, "--shift", shift)
    assert answered.exit_code == 2
    assert answered.stderr.startswith("roundledger: ")
    assert len(answered.stderr.splitlines()) == 1


def test_a_runner_notices_what_is_set_while_it_runs(url: str, ledger: Ledger):
    day_ms = 24 * 3_600_000
    with Runner(url) as runner:
        record(ledger, [bank_round("t-1", round_id="r-1")])
        runner.catch_up()
        then = datetime.fromtimestamp(NOON_MS / 1000, UTC)
        calendar = Calendar(then.date() + timedelta(days=2), "UTC", (Shift("whole", time(0)),))
        with connect(url) as connection:
            set_gaming_days(connection, calendar, "m-1", then)
        record(ledger, [bank_round("t-1", round_id="r-2")], NOON_MS + 3 * day_ms)
        runner.catch_up()
    first, second = rows(url, "hands")
    assert first["shift"] != "whole"
    assert (second["shift"], date.fromisoformat(second["gaming_day"])) == ("whole", then.date() + timedelta(days=3))
    live = everything(url)
    rebuild(url)
    assert everything(url) == live

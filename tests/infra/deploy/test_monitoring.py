"""What the dashboard and the alert rules watch is what the service shows; what a deployment sets and starts exists."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]
from prometheus_client.parser import text_string_to_metric_families
from typer.testing import CliRunner

from api.cli.main import app
from api.service.settings import PREFIX, Settings
from tests.api.service import open_service

DEPLOY = Path(__file__).resolve().parents[3] / "infra" / "deploy"
NAME = re.compile(r"\broundledger_\w+")
SETTING = re.compile(r"\bROUNDLEDGER_[A-Z_]+\b")


@pytest.fixture(scope="module")
def shown(ledger_url: str) -> set[str]:
    """The names in /metrics, after a request and a command."""
    with open_service(ledger_url) as client:
        assert client.post("/v1/tables/t1/sessions", json={"ruleset": "uth-house"}).status_code == 201
        text = client.get("/metrics").text
    return {sample.name for family in text_string_to_metric_families(text) for sample in family.samples}


def rules() -> list[dict[str, Any]]:
    read = yaml.safe_load((DEPLOY / "alerts.yaml").read_text(encoding="utf-8"))
    return [rule for group in read["groups"] for rule in group["rules"]]


def expressions() -> Iterator[str]:
    yield from (rule["expr"] for rule in rules())
    dashboard = json.loads((DEPLOY / "dashboard.json").read_text(encoding="utf-8"))
    for panel in dashboard["panels"]:
        yield from (target["expr"] for target in panel["targets"])


def test_every_metric_that_is_watched_exists(shown: set[str]):
    named = {name for expression in expressions() for name in NAME.findall(expression)}
    assert named <= shown
    assert len(named) > 10


def test_every_gauge_is_watched_by_the_dashboard_or_an_alert(shown: set[str]):
    from api.service.metrics import GAUGES

    watched = {name for expression in expressions() for name in NAME.findall(expression)}
    assert {f"roundledger_{name}" for name in GAUGES} <= watched


def test_every_alert_says_what_is_wrong_and_whom_it_concerns():
    for rule in rules():
        assert rule["alert"].startswith("Roundledger")
        assert rule["labels"]["severity"] in ("page", "ticket")
        assert rule["annotations"]["summary"].endswith((".", "?"))


def test_the_guide_says_what_to_do_about_every_alert(project_root: Path):
    guide = (project_root / "docs" / "operations.md").read_text(encoding="utf-8")
    assert set(re.findall(r"`(Roundledger\w+)`", guide)) == {rule["alert"] for rule in rules()}


def test_every_setting_in_a_deployment_file_is_one_of_ours(project_root: Path):
    """Those of the service, and those of commands, which are in the program's own text."""
    programs = "".join(path.read_text(encoding="utf-8") for path in (project_root / "api").rglob("*.py"))
    known = {f"{PREFIX}{name.upper()}" for name in Settings.model_fields} | set(SETTING.findall(programs))
    for path in DEPLOY.iterdir():
        assert set(SETTING.findall(path.read_text(encoding="utf-8"))) <= known, path.name


def test_every_command_that_a_deployment_starts_exists():
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    commands = [service["command"] for service in compose["services"].values() if "command" in service]
    for unit in DEPLOY.glob("*.service"):
        commands += [words.split()[1:] for words in re.findall(r"^ExecStart=(.*)$", unit.read_text(), re.MULTILINE)]
    assert len(commands) == 4
    for words in commands:
        done = CliRunner().invoke(app, [*words, "--help"])
        assert done.exit_code == 0, words


@pytest.mark.parametrize(
    "subject",
    ["lag_seconds", "seal_lag_seconds", "disk_free_bytes", "last_backup", "failed_sign_ins", "audit_findings"],
)
def test_there_is_an_alert_on(subject: str):
    assert any(f"roundledger_{subject}" in rule["expr"] for rule in rules())


def test_failed_sign_ins_and_findings_are_counted(ledger_url: str):
    import psycopg

    with psycopg.connect(ledger_url, autocommit=True) as administrator, open_service(ledger_url) as client:
        # An attempt is recorded before it is judged: of three, one was right.
        administrator.execute(
            "INSERT INTO roundledger.sign_ins (staff_id, address, accepted) "
            "VALUES ('a', '1', false), ('a', '1', false), ('a', '1', false), ('a', '1', true)"
        )
        administrator.execute(
            "INSERT INTO roundledger.audits (audit_id, started_by, asked, state, findings, ended_at) "
            "VALUES ('a-1', 'auditor', '{}', 'done', 7, now())"
        )
        text = client.get("/metrics").text
    assert "roundledger_failed_sign_ins 2.0" in text
    assert "roundledger_audit_findings 7.0" in text

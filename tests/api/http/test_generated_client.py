"""The client that `roundledger client` writes plays rounds action by action over real HTTP.

Every result is what adjudicating the document gives, and every action was among those that `expects` listed before it.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from typer.testing import CliRunner

from api.cli.main import app
from api.cli.operations.client import PACKAGE
from domain.documents.document import adjudicate
from domain.rules import rulesets
from infra.simulation import documents
from tests.api.http.expected_actions import is_expected
from tests.api.processes import free_port, serving

EXAMPLES = Path(__file__).resolve().parents[2] / "rules" / "examples"
SIMULATED = 4  # rounds of each rule set
Document = dict[str, Any]


@pytest.fixture(scope="module")
def port(ledger_url: str) -> Iterator[int]:
    port = free_port()
    with serving(ledger_url, port, ROUNDLEDGER_FOLLOW="false"):
        yield port


class Made(NamedTuple):
    """The generated package: its operations and models by name, and a client of it."""

    client: Any

    def call(self, group: str, operation: str, *path: str, **arguments: Any) -> Any:
        module = importlib.import_module(f"{PACKAGE}.api.{group}.{operation}")
        return module.sync_detailed(*path, client=self.client, **arguments)

    def model(self, name: str, value: dict[str, Any]) -> Any:
        models = importlib.import_module(f"{PACKAGE}.models")
        return getattr(models, name).from_dict(value)


@pytest.fixture(scope="module")
def folder(port: int, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where `roundledger client` has written the package, in place of an earlier one."""
    folder = tmp_path_factory.mktemp("client")
    (folder / "pyproject.toml").write_text("of an earlier version")
    done = client_command(port, folder, "--overwrite")
    assert done.exit_code == 0, done.output
    return folder


def client_command(port: int, folder: Path, *options: str) -> Any:
    return CliRunner().invoke(app, ["client", str(folder), "--url", f"http://127.0.0.1:{port}", *options])


@pytest.fixture(scope="module")
def made(port: int, folder: Path) -> Iterator[Made]:
    sys.path.insert(0, str(folder))
    try:
        client = importlib.import_module(PACKAGE).Client(f"http://127.0.0.1:{port}", timeout=httpx.Timeout(60))
        with client as opened:
            yield Made(opened)
    finally:
        sys.path.remove(str(folder))
        for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
            del sys.modules[name]


def prepared(document: Document, name: str) -> Document:
    """At a table of its own, so that its meter begins with the document's figures and nobody has banked before."""
    document = {**document, "round": name, "table": f"t-{name}"}
    if isinstance(meter := document.get("terms", {}).get("meter"), dict):
        figures = {key: value for key, value in meter.items() if key != "id"}
        document["terms"] = {**document["terms"], "meter": figures}
    return document


def opened(made: Made, document: Document) -> Any:
    session = made.model("SessionIn", {key: document[key] for key in ("ruleset", "terms") if key in document})
    answer = made.call("tables", "open_session", document["table"], body=session)
    assert answer.status_code == 201, answer.content
    body: Document = {key: document[key] for key in ("round", "player_dealer", "players") if key in document}
    answer = made.call("rounds", "open_round", document["table"], body=made.model("RoundIn", body))
    assert answer.status_code == 201, answer.content
    return answer.parsed.to_dict()


def play(made: Made, document: Document, actions: list[dict[str, Any]]) -> Document:
    """The round after these actions, one request each."""
    round_: Document = opened(made, document)
    seated = {int(seat): bettor for seat, bettor in document.get("players", {}).items()}
    for action in actions:
        assert is_expected(action, round_["expects"], seated), (document["round"], action, round_["expects"])
        body = made.model("ActionsIn", {"actions": [action]})
        assert body.to_dict() == {"actions": [action]}
        answer = made.call("rounds", "act", document["round"], body=body)
        assert answer.status_code == 200, (document["round"], action, answer.content)
        round_ = answer.parsed.to_dict()
    assert made.call("rounds", "get_round", document["round"]).parsed.to_dict() == round_
    return round_


def compare(made: Made, document: Document) -> None:
    wanted = adjudicate(json.dumps(document).encode())
    got = play(made, document, document["actions"])
    assert {name: got[name] for name in wanted} == wanted
    assert bool(got["expects"]) == (wanted["status"] == "open")
    reply = made.call("rule_sets", "adjudicate", body=made.model("AdjudicateRoundDocumentIn", document))
    assert reply.parsed.to_dict() == wanted


@pytest.mark.parametrize("ruleset", rulesets.ids())
def test_the_examples_of_a_rule_set(made: Made, ruleset: str):
    lines = (EXAMPLES / f"{ruleset}.jsonl").read_bytes().splitlines()
    for number, line in enumerate(lines):
        compare(made, prepared(json.loads(line), f"{ruleset}-example-{number}"))


@pytest.mark.parametrize("ruleset", rulesets.ids())
def test_simulated_rounds_of_a_rule_set(made: Made, ruleset: str):
    for number, line in enumerate(islice(documents(ruleset, 2718, 1), SIMULATED)):
        compare(made, prepared(json.loads(line), f"{ruleset}-simulated-{number}"))


def test_what_is_refused_in_a_document_is_refused_on_its_way(made: Made, port: int):
    """Up to the refused action everything is taken; that one is refused with the same code and clause. Where it rests
    on a card that is face down it has no index, and is stored as an attempt."""
    refused = attempts = 0
    for number, line in enumerate((EXAMPLES / "refused.jsonl").read_bytes().splitlines()):
        document = prepared(json.loads(line), f"refused-{number}")
        error = adjudicate(json.dumps(document).encode())["error"]
        if error["action"] is None:
            continue  # the document itself is wrong: there is no round to play
        before = play(made, document, document["actions"][: error["action"]])
        path = f"http://127.0.0.1:{port}/v1/rounds/{document['round']}/actions"
        answer = httpx.post(path, json={"actions": [document["actions"][error["action"]]]}, timeout=60)
        problem = answer.json()
        attempt = problem["action"] is None
        assert (problem["code"], problem["clause"]) == (error["code"], error["clause"])
        assert problem["action"] == (None if attempt else 0)
        assert answer.status_code in (400, 409)
        after = made.call("rounds", "get_round", document["round"]).parsed.to_dict()
        assert after == {**before, "version": before["version"] + attempt}
        refused += 1
        attempts += attempt
    assert refused >= 6
    assert 0 < attempts < refused


def test_the_example_of_the_documentation_runs(port: int, folder: Path, project_root: Path):
    text = (project_root / "docs" / "http.md").read_text(encoding="utf-8")
    shown = re.search(r"^```python\n(.*?)^```\n\n^```text\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert shown
    program = shown[1].replace("http://127.0.0.1:8000", f"http://127.0.0.1:{port}")
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, shown[2]), done.stderr


def test_the_package_can_be_installed(folder: Path):
    about = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    assert (about["name"], about["version"]) == ("roundledger-client", version("roundledger"))
    assert (folder / PACKAGE / "py.typed").exists()


def test_a_client_is_replaced_only_when_asked_to(port: int, folder: Path):
    refused = client_command(port, folder)
    assert (refused.exit_code, "--overwrite" in refused.stderr) == (2, True)


@pytest.mark.parametrize("url", ["file:///etc/passwd", "http://127.0.0.1:1", "127.0.0.1"])
def test_without_a_service_there_is_no_client(tmp_path: Path, url: str):
    done = CliRunner().invoke(app, ["client", str(tmp_path / "client"), "--url", url])
    assert done.exit_code == 2
    assert not (tmp_path / "client").exists()

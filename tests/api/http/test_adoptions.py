"""Rule sets that nobody has seen are adopted and played over HTTP, without a change in the program."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from random import Random
from typing import Any

import pytest

from domain.documents.document import read_document
from domain.documents.result import result_of
from domain.round.replay import play
from domain.rules import rulesets
from domain.rules.adoption import read_file
from domain.rules.ruleset import RuleSet
from infra.simulation.table import Table
from projections.audit.run import Audit
from tests.api.http.expected_actions import is_expected
from tests.api.http.test_play import open_round, prepare_table, without_meter
from tests.api.http.test_roles import bearer, token
from tests.api.service import KEY, open_service, register_in, signature
from tests.domain.rules.own_rules import IDS, own_text

PAGE = {"Accept": "text/html"}


@pytest.fixture(scope="module")
def today() -> date:
    return datetime.now(UTC).date()


def body(text: str, first_day: date, **more: Any) -> dict[str, Any]:
    return {
        "text": text,
        "first_day": first_day.isoformat(),
        "approval": "GEGA-77",
        "second_person": "floor-2",
        **more,
    }


def adjudicated(document: dict[str, Any], rules: RuleSet) -> dict[str, Any]:
    """What comes of a document by rules that no file of the program has, with nothing stored."""
    read = read_document(document, lambda _: rules)
    round_, _ = play(read.opening, read.actions)
    return result_of(round_)


@pytest.mark.parametrize("ruleset", IDS)
def test_an_unseen_rule_set_is_adopted_and_played(client, ledger_url: str, today: date, ruleset: str):
    text = own_text(ruleset, today)
    assert client.get(f"/v1/rulesets/{ruleset}").status_code == 404
    answer = client.post(f"/v1/rulesets/{ruleset}/adoptions", json=body(text, today, approved_on="2026-01-02"))
    assert answer.status_code == 200, answer.text
    adopted = answer.json()
    rules = read_file(text, ruleset)
    assert (adopted["version"], adopted["hash"], adopted["second_person"]) == (1, rules.content_hash, "floor-2")
    assert (adopted["approval"], adopted["approved_on"], adopted["last_day"]) == ("GEGA-77", "2026-01-02", None)
    assert client.get(f"/v1/rulesets/{ruleset}/adoptions").json() == {"adoptions": [adopted]}
    assert ruleset in [one["id"] for one in client.get("/v1/rulesets").json()["rulesets"]]
    assert client.get(f"/v1/rulesets/{ruleset}").json()["hash"] == rules.content_hash

    table = Table(rules, f"{ruleset}-t", 1, Random(ruleset))
    for _ in range(3):
        document = json.loads(table.next_document())
        prepare_table(client, document)
        round_ = open_round(client, document)
        seated = {int(seat): bettor for seat, bettor in document["players"].items()}
        for action in document["actions"]:
            assert is_expected(action, round_["expects"], seated), (action, round_["expects"])
            answer = client.post(f"/v1/rounds/{round_['id']}/actions", json={"actions": [action]})
            assert answer.status_code == 200, answer.text
            round_ = answer.json()
        wanted = adjudicated(document, rules)
        assert without_meter({name: round_[name] for name in wanted}) == without_meter(wanted)
        assert client.get(f"/v1/rounds/{round_['id']}/steps").status_code == 200
        assert client.get(f"/rounds/{round_['id']}", headers=PAGE).status_code == 200
    found = client.get("/v1/rounds", params={"ruleset": ruleset}).json()["rounds"]
    assert len(found) == 3
    for page in (f"/rules/{ruleset}", "/rules", f"/hands?ruleset={ruleset}", "/audit", "/floor"):
        answer = client.get(page, headers=PAGE)
        assert answer.status_code == 200
        assert ruleset in answer.text, page
    assert Audit(ledger_url, processes=1, without=("log",)).run().clean


def test_a_next_version_is_adopted_for_a_day_to_come(client, today: date):
    text = rulesets.load("uth-sd").text.replace("version = 2\n", "version = 3\n", 1)
    wrong = client.post("/v1/rulesets/uth-sd/adoptions", json=body(text, today))
    assert (wrong.status_code, wrong.json()["code"]) == (409, "bad_choice")
    first_day = today + timedelta(days=3)
    assert client.post("/v1/rulesets/uth-sd/adoptions", json=body(text, first_day)).status_code == 200
    found = client.get("/v1/rulesets/uth-sd").json()
    assert (found["version"], found["in_force"]["since"]) == (3, first_day.isoformat())
    assert [one["version"] for one in found["versions"]] == [1, 2, 3]
    assert found["versions"][1]["in_force"]["until"] == (first_day - timedelta(days=1)).isoformat()
    opened = client.post("/v1/tables/t-sd/sessions", json={"ruleset": "uth-sd", "terms": {"trips": "UTH-01"}})
    assert opened.status_code == 201, "under version 2, which is in force today"

    retired = client.post(
        "/v1/rulesets/uth-sd/retirement",
        json={"from_day": (today + timedelta(days=30)).isoformat(), "second_person": "floor-2"},
    )
    assert retired.status_code == 200, retired.text
    assert retired.json()["in_force"]["until"] == (today + timedelta(days=29)).isoformat()


def test_what_is_refused_is_said_in_a_sentence(client, today: date):
    text = own_text("uth-hill", today).replace('id = "uth-hill"', 'id = "uth-vale"', 1)

    def refused(sent: dict[str, Any], headers: dict[str, str] | None = None) -> str:
        answer = client.post("/v1/rulesets/uth-vale/adoptions", json=sent, headers=headers or {})
        assert answer.status_code == 409, answer.text
        return str(answer.json()["detail"])

    yesterday = today - timedelta(days=1)
    assert "from" in refused(body(text, yesterday))
    assert "uth-vale.toml:" in refused(body(text.replace("[seats]", "[chairs]"), today))
    assert "`id`" in refused(body(own_text("uth-hill", today), today)) or "uth-vale" in refused(body("id = 1", today))
    happened = {"Happened-At": datetime.now(UTC).isoformat(timespec="seconds")}
    assert "Happened-At is left out" in refused(body(text, today), happened)
    assert client.get("/v1/rulesets/uth-vale").status_code == 404
    nowhere = {"from_day": today.isoformat(), "second_person": "floor-2"}
    assert client.post("/v1/rulesets/uth-vale/retirement", json=nowhere).status_code == 422


# ---- on pages


def sent(client, path: str, **fields: str) -> Any:
    token = client.get("/rules/adopt", headers=PAGE).text.partition('name="csrf" value="')[2].partition('"')[0]
    return client.post(path, data={**fields, "csrf": token}, headers=PAGE, follow_redirects=True)


def test_a_page_compares_before_it_adopts(client, today: date):
    text = rulesets.load("uth-bgc").text.replace("version = 2\n", "version = 3\n", 1).replace('"3:2"', '"2:1"')
    compared = sent(client, "/rules/adopt/check", text=text.replace("\n", "\r\n"))
    assert compared.status_code == 200
    for shown in ("Adopt version 3 of uth-bgc", "paytable.BLIND.pays.flush", "3:2", "2:1", "bettors"):
        assert shown in compared.text, shown
    new = sent(client, "/rules/adopt/check", text=own_text("tcp-fen", today).replace("tcp-fen", "tcp-marsh")).text
    for shown in ("tcp-marsh is new here. It is compared with version", "house edge", "two pair", "2 burned, 1 to the"):
        assert shown in new, shown
    first_day = (today + timedelta(days=2)).isoformat()
    form = {"text": text.replace("\n", "\r\n"), "approval": "GEGA-9", "second_person": "floor-2"}
    refused = sent(client, "/rules/adopt", **form, first_day="2026-11-18")
    assert refused.status_code == 409
    assert "Version 2 of uth-bgc begins on 2026-11-18: the next one begins after that day" in refused.text
    assert "Adopt version 3 of uth-bgc" in refused.text, "what was filled in stays"
    adopted = sent(client, "/rules/adopt", **form, first_day=first_day)
    assert adopted.status_code == 200
    assert "GEGA-9" in adopted.text
    (stored,) = client.get("/v1/rulesets/uth-bgc/adoptions").json()["adoptions"]
    assert stored["hash"] == read_file(text, "uth-bgc").content_hash, "line ends of a browser change nothing"
    last_day = (today + timedelta(days=8)).isoformat()
    retired = sent(
        client, "/rules/uth-bgc/retire", from_day=(today + timedelta(days=9)).isoformat(), second_person="floor-2"
    )
    assert retired.status_code == 200
    assert client.get("/v1/rulesets/uth-bgc").json()["in_force"]["until"] == last_day


def test_what_ships_is_adopted_without_its_file(client, today: date):
    page = client.get("/rules/adopt?ruleset=p215-casino-club", headers=PAGE).text
    assert "No figure and no clause differs from version 2" in page
    text = rulesets.load("p215-casino-club").text
    done = sent(
        client,
        "/rules/adopt",
        text=text,
        approval="GEGA-10",
        first_day=today.isoformat(),
        second_person="floor-2",
    )
    assert done.status_code == 200, done.text
    (stored,) = client.get("/v1/rulesets/p215-casino-club/adoptions").json()["adoptions"]
    assert stored["hash"] == rulesets.load("p215-casino-club").content_hash


def test_what_ships_is_adopted_without_a_text(client, today: date):
    asked = {name: value for name, value in body("", today).items() if name != "text"}
    answer = client.post("/v1/rulesets/uth-club/adoptions", json=asked)
    assert answer.status_code == 200, answer.text
    assert answer.json()["hash"] == rulesets.in_force("uth-club", today).content_hash
    again = client.post("/v1/rulesets/uth-club/adoptions", json=asked)
    assert (again.status_code, "already adopted" in again.text) == (409, True)
    assert client.post("/v1/rulesets/uth-mars/adoptions", json=asked).status_code == 422


def test_what_ships_is_adopted_with_one_click(client, today: date):
    page = client.get("/setup/rules", headers=PAGE).text
    assert page.count('name="adopt" value="tcp-casino-club"') == 1
    asked = {"adopt": "tcp-casino-club", "second_person": "floor-2"}
    refused = sent(client, "/setup/rules", **asked, approval_uth_club="9")
    assert (refused.status_code, "The approval number is one line" in refused.text) == (409, True), refused.text
    done = sent(client, "/setup/rules", **asked, **{"approval_tcp-casino-club": "GEGA-12"})
    assert "tcp-casino-club is adopted, and in force from today on." in done.text
    (stored,) = client.get("/v1/rulesets/tcp-casino-club/adoptions").json()["adoptions"]
    assert (stored["approval"], stored["first_day"]) == ("GEGA-12", today.isoformat())
    assert 'name="adopt" value="tcp-casino-club"' not in done.text
    again = sent(client, "/setup/rules", **asked, **{"approval_tcp-casino-club": "GEGA-13"})
    assert "already adopted" in again.text
    assert sent(client, "/setup/rules", adopt="uth-mars", second_person="floor-2").status_code in (404, 422)


def test_a_page_reports_every_mistake(client):
    refused = sent(client, "/rules/adopt/check", text='id = "uth-moor"\nfamily = "uth"\n')
    assert refused.status_code == 409
    assert "uth-moor.toml:" in refused.text
    assert sent(client, "/rules/adopt/check", text="id = [").status_code == 409
    assert client.get("/rules/adopt?ruleset=uth-moor", headers=PAGE).status_code == 404


# ---- two people, and a strict property


@pytest.fixture(scope="module")
def strict(ledger_url: str) -> Iterator[Any]:
    register_in(ledger_url, ("floor-1", "floor"), ("accounting-2", "accounting"), ("cage-2", "cage"))
    with open_service(ledger_url, token_key=KEY, adopted_rules_only=True) as client:
        yield client


def test_two_people_sign(strict, today: date):
    sent = body(rulesets.load("uth-house").text, today)

    def adopt(role: str, second: str, signed: bool = True) -> int:
        headers = bearer(token(role, f"{role}-1"))
        if signed:
            headers["Second-Authorization"] = signature(second)
        answer = strict.post(
            "/v1/rulesets/uth-house/adoptions", json={**sent, "second_person": second}, headers=headers
        )
        return int(answer.status_code)

    session = {"json": {"ruleset": "uth-house"}, "headers": bearer(token("floor", "floor-1"))}
    refused = strict.post("/v1/tables/t-strict/sessions", **session)
    assert (refused.status_code, refused.json()["code"]) == (422, "unknown_ruleset")
    assert "adopted rule sets only" in refused.json()["detail"]
    assert adopt("auditor", "accounting-2") == 403
    assert adopt("floor", "accounting-2", signed=False) == 403
    assert adopt("floor", "cage-2") == 403
    assert adopt("floor", "floor-1") == 403
    assert adopt("floor", "accounting-2") == 200
    assert strict.post("/v1/tables/t-strict/sessions", **session).status_code == 201

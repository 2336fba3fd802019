"""Rule sets and their versions over HTTP, and on the pages that people read them on."""

from __future__ import annotations

import html

import pytest

from domain.rules import rulesets

PAGE = {"Accept": "text/html"}


@pytest.mark.parametrize("version", [1, 2])
def test_a_version_is_asked_for_by_its_number(client, version: int):
    answer = client.get(f"/v1/rulesets/uth-bgc?version={version}")
    assert answer.status_code == 200
    found, rules = answer.json(), rulesets.load("uth-bgc", version)
    assert (found["version"], found["hash"]) == (version, rules.content_hash)
    assert [one["version"] for one in found["versions"]] == [1, 2]
    assert found["in_force"]["until"] == ("2026-11-17" if version == 1 else None)


def test_without_a_number_it_is_the_newest(client):
    assert client.get("/v1/rulesets/uth-bgc").json() == client.get("/v1/rulesets/uth-bgc?version=2").json()
    assert {one["version"] for one in client.get("/v1/rulesets").json()["rulesets"]} == {2}


def test_a_version_says_what_it_changed(client):
    assert client.get("/v1/rulesets/uth-bgc?version=1").json()["changes"] == []
    changes = client.get("/v1/rulesets/uth-bgc").json()["changes"]
    changed = {change["name"]: (change["before"], change["after"]) for change in changes if change["what"] == "figure"}
    assert changed["folded_hands.seen_for_bonus"] == ("no", "yes")
    assert changed["settlement.unqualified"] == (None, "ante, play, blind, trips")


@pytest.mark.parametrize(("asked", "status"), [("version=3", 404), ("version=0", 400), ("version=new", 400)])
def test_a_version_that_there_is_not_is_a_problem(client, asked: str, status: int):
    answer = client.get(f"/v1/rulesets/uth-bgc?{asked}")
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    if status == 404:
        assert answer.json()["detail"] == "uth-bgc has no version 3. It has 1 and 2."


# ---- pages


@pytest.mark.parametrize("ruleset", rulesets.ids())
def test_a_page_has_everything_and_leads_to_the_other_version(client, ruleset: str):
    rules = rulesets.load(ruleset)
    text = html.unescape(client.get(f"/rules/{ruleset}", headers=PAGE).text)
    assert f'href="/rules/{ruleset}?version=1"' in text
    assert str(rules.source_hash) in text
    assert "What changed since version 1" in text
    for figure in rulesets.figures(rules):
        assert f"<code>{figure.place}</code>" in text
    for clause in rules.clauses.values():
        assert f'<div id="{clause.id}">' in text
    assert ("Not checked by the ledger" in text) == any(not clause.checked for clause in rules.clauses.values())


def test_a_page_of_an_earlier_version_is_of_that_version(client):
    text = client.get("/rules/uth-bgc?version=1", headers=PAGE).text
    assert rulesets.load("uth-bgc", 1).content_hash in text
    assert "What changed since" not in text
    assert 'href="/rules/uth-bgc?version=2"' in text
    assert client.get("/rules/uth-bgc?version=3", headers=PAGE).status_code == 404

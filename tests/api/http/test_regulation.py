"""What tables post and what is stated about rounds, over HTTP and on pages."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from domain.rules import rulesets
from infra.simulation.table import Table
from tests.api.http.test_play import open_round, prepare_table
from tests.projections.simulated_floor import NOON_MS, record, simulated

PAGE = {"Accept": "text/html"}


def sent(client, path: str, **fields: str) -> Any:
    token = client.get("/postings", headers=PAGE).text.partition('name="csrf" value="')[2].partition('"')[0]
    return client.post(path, data={**fields, "csrf": token}, headers=PAGE, follow_redirects=True)


def test_a_posting_holds_from_its_moment_to_the_next(client):
    later = (datetime.now(UTC) + timedelta(hours=2)).isoformat(timespec="seconds")
    first = client.post("/v1/tables/t-post/postings", json={"ruleset": "p215-casino-club", "terms": {"schedule": 1}})
    assert first.status_code == 201, first.text
    assert (first.json()["notice_minutes"], first.json()["terms"]["schedule"]) == (0, 1)
    body = {"ruleset": "p215-casino-club", "terms": {"schedule": 3}, "begins": later}
    second = client.post("/v1/tables/t-post/postings", json=body)
    assert second.json()["notice_minutes"] in (119, 120)
    found = client.get("/v1/tables/t-post/postings").json()
    assert (found["now"]["schedule"], len(found["postings"]), found["designation"]) == (1, 2, None)
    then = client.get("/v1/tables/t-post/postings", params={"at": later}).json()
    assert then["now"]["schedule"] == 3
    (row,) = client.get("/v1/reports/postings", params={"table": "t-post", "moment": later}).json()
    assert row == then["now"]
    assert client.post("/v1/tables/t-post/postings/end").status_code == 200
    assert client.get("/v1/tables/t-post/postings").json()["now"] is None
    again = client.post("/v1/tables/t-post/postings/end")
    assert (again.status_code, again.json()["code"]) == (409, "bad_choice")


def test_what_the_property_chose_narrows_what_tables_post(client):
    assert client.put("/v1/rulesets/uth-sd/choice", json={"trips": "UTH-02"}).status_code == 200
    refused = client.post("/v1/tables/t-sd/postings", json={"ruleset": "uth-sd", "terms": {"trips": "UTH-01"}})
    assert (refused.status_code, refused.json()["code"]) == (409, "bad_terms")
    assert "The property's pay table for uth-sd is UTH-02" in refused.json()["detail"]
    assert client.put("/v1/rulesets/uth-sd/choice", json={"trips": "UTH-77"}).status_code == 409
    assert client.put("/v1/rulesets/uth-nowhere/choice", json={}).status_code == 422
    designated = {"ruleset": "uth-sd", "box": "SD 1", "inscription": "UTH", "placard": "5 to 100"}
    assert client.put("/v1/tables/t-sd/designation", json=designated).status_code == 200
    assert client.get("/v1/tables/t-sd/postings").json()["designation"]["box_label"] == "SD 1"


def test_the_page_posts_and_says_what_is_wrong(client):
    posted = sent(client, "/postings", table="t-page", ruleset="uth-bgc", trips="UTH-03", low="10", high="$200")
    assert posted.status_code == 200, posted.text
    assert "ante 10.00 to 200.00" in posted.text
    wrong = sent(client, "/postings", table="t-page", ruleset="uth-bgc", trips="UTH-77")
    assert wrong.status_code == 409
    assert "does not offer the trips table" in wrong.text
    assert sent(client, "/postings/choice", ruleset="p215-casino-club", schedules="1, six").status_code == 409
    chosen = sent(client, "/postings/choice", ruleset="p215-casino-club", schedules="1, 6", notice_minutes="60")
    assert chosen.status_code == 200
    assert "1, 6" in chosen.text
    fields = {"table": "t-page", "ruleset": "uth-bgc", "box": "B 1", "inscription": "ULTIMATE", "placard": "10 to 200"}
    assert "ULTIMATE" in sent(client, "/postings/designation", **fields).text
    assert sent(client, "/postings/end", table="t-page").status_code == 200
    assert client.get("/v1/tables/t-page/postings").json()["now"] is None


def test_facts_are_stated_about_a_round(client):
    document = json.loads(Table(rulesets.load("uth-bgc"), "t-facts", 1, Random(3)).next_document())
    prepare_table(client, document)
    round_ = open_round(client, document)["id"]
    seen = client.post(f"/v1/rounds/{round_}/deck", json={"colour": "blue"})
    assert seen.json()["said"] == {"colour": "blue", "due": "blue"}
    assert (seen.json()["fact"], seen.json()["round"], seen.json()["table"]) == ("deck", round_, document["table"])
    again = client.post(f"/v1/rounds/{round_}/deck", json={"colour": "red"})
    assert (again.status_code, again.json()["code"]) == (409, "conflict")
    nobody_won = client.post(f"/v1/rounds/{round_}/supervisor", json={"supervisor": "floor-2"})
    assert (nobody_won.status_code, nobody_won.json()["code"]) == (409, "bad_choice")
    misdeal = {"place": "seat 3", "expected": 2, "found": 3, "outcome": "void", "note": "One card too many."}
    assert client.post(f"/v1/rounds/{round_}/misdeal", json=misdeal).status_code == 200
    early = client.post(f"/v1/rounds/{round_}/held-hands", json={"seats": [1]})
    assert (early.status_code, early.json()["code"]) == (409, "out_of_turn")
    assert client.post("/v1/rounds/nowhere/deck", json={"colour": "red"}).status_code == 404
    page = client.get(f"/facts?round={round_}", headers=PAGE).text
    assert "One card too many." in page
    wrong = sent(client, "/facts/hands", round=round_, seats="1, two")
    assert "Seats are their numbers" in wrong.text
    assert "already" in sent(client, "/facts/deck", round=round_, colour="blue").text
    by_form = {"place": "the dealer", "expected": "2", "found": "1", "outcome": "void", "note": "A card stuck."}
    assert "A card stuck." in sent(client, "/facts/misdeal", round=round_, **by_form).text


def test_the_register_of_proposition_players(client):
    body = {"company": "Northern Gaming", "registration": "TPP-1", "first_day": "2026-12-01"}
    registered = client.put("/v1/bettors/tp-9/proposition", json=body)
    assert registered.json() == {"bettor": "tp-9", "registrations": [{**body, "last_day": None}]}
    again = client.put("/v1/bettors/tp-9/proposition", json=body)
    assert (again.status_code, again.json()["code"]) == (409, "bad_choice")
    assert client.put("/v1/bettors/tp-9/proposition/name", json={"name": "Ana Ruiz"}).status_code == 200
    page = client.get("/propositions", headers=PAGE).text
    assert "Northern Gaming" in page
    assert "Ana Ruiz" in page
    assert client.delete("/v1/bettors/tp-9/proposition/name").json()["name"] is None
    ended = client.post("/v1/bettors/tp-9/proposition/end", json={"last_day": "2026-12-31"})
    assert ended.json()["registrations"][0]["last_day"] == "2026-12-31"
    fields = {"bettor": "tp-9", "company": "Other Co", "registration": "TPP-2", "first_day": "2027-01-01"}
    assert "Other Co" in sent(client, "/propositions", **fields).text
    assert "already" in sent(client, "/propositions", **fields).text
    assert sent(client, "/propositions/name", bettor="tp-9", name="Bo Lee").status_code == 200
    assert "Bo Lee" not in sent(client, "/propositions/name", bettor="tp-9").text
    assert sent(client, "/propositions/end", bettor="tp-9", last_day="2027-02-01").status_code == 200


def test_an_inspection_is_a_page_a_document_and_a_paper(client):
    found = client.get("/v1/inspection", params={"first": "2026-01-01", "last": "2026-12-31"}).json()
    assert found["first"] == "2026-01-01"
    assert client.get("/inspection?first=2026-01-01&last=2026-12-31", headers=PAGE).status_code == 200
    paper = client.get("/v1/inspection", params={"format": "pdf"})
    assert paper.content.startswith(b"%PDF")
    wrong = client.get("/v1/inspection", params={"first": "2026-12-31", "last": "2026-01-01"})
    assert wrong.status_code in (400, 409, 422)


def test_a_result_that_chance_does_not_explain_is_explained(client):
    rounds = simulated(4, tables=1, only="uth-bgc")
    record(client.app.state.service.ledger, rounds, NOON_MS)
    row = client.get("/v1/reports/statistics-by-wager", params={"table": rounds[0]["table"]}).json()[0]
    days = client.get("/v1/reports/statistics-by-day", params={"table": row["table"]}).json()
    body = {"table": row["table"], "game": row["game"], "spot": row["spot"], "text": "陳大文 won with a royal flush."}
    body |= {"first": days[0]["gaming_day"], "last": days[-1]["gaming_day"]}
    stored = client.post("/v1/statistics/explanations", json=body)
    assert stored.status_code == 201, stored.text
    figures = ("staked", "theoretical", "result", "low", "high")
    assert {name: stored.json()[name] for name in figures} == {name: row[name] for name in figures}
    refused = client.post("/v1/statistics/explanations", json={**body, "spot": "pair_plus"})
    assert (refused.status_code, refused.json()["code"]) == (409, "bad_choice")
    again = sent(client, "/statistics/explanations", **{**body, "text": "Looked at again."})
    assert again.status_code == 200, again.text
    assert "Looked at again." in again.text
    found = client.get("/v1/reports/statistics-explanations", params={"table": row["table"]}).json()
    assert [one["explanation"] for one in found] == [body["text"], "Looked at again."]

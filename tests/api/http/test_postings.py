"""What tables have posted over HTTP and on pages: posted, read at a moment, taken down, designated, chosen."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

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
    assert client.get("/v1/tables/t-sd/postings").json()["designation"]["box"] == "SD 1"


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

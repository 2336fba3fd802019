"""An audit from its page: begun, watched to its end, and what it finds leads to the hand."""

from __future__ import annotations

import re

import httpx
import psycopg
import pytest
from playwright.sync_api import Page, expect

from infra.store.streams import stream_id
from tests.api.pages.conftest import Site
from tests.api.pages.page_checks import look_at


def begin(site: Site, page: Page, table: str) -> None:
    page.goto(f"{site.url}/audit")
    page.get_by_label("Table", exact=True).fill(table)
    page.get_by_role("button", name="Begin").click()
    page.wait_for_url(re.compile("/audit/a-[0-9a-f]+$"))
    expect(page.locator("#watched .badge").first).to_have_text("done")


def test_an_audit_is_begun_and_watched_to_its_end(site: Site, page: Page):
    begin(site, page, site.known["table"])
    expect(page.locator("#watched")).to_contain_text("No findings")
    expect(page.locator("#watched")).to_contain_text(f"table {site.known['table']}")
    page.get_by_role("navigation", name="Breadcrumbs").get_by_role("link", name="Audit").click()
    expect(page.get_by_role("region", name="Audits, the latest first")).to_contain_text("done")


def test_a_finding_leads_to_its_hand(site: Site, page: Page):
    """What somebody changed who has every right over the database, at a table that no other test looks at."""
    won = httpx.get(f"{site.url}/v1/rounds", params={"ruleset": "uth-house", "outcome": "win"}).json()["rounds"][0]
    with psycopg.connect(site.database_url) as connection:
        connection.execute("ALTER TABLE roundledger.events DISABLE TRIGGER ALL")
        changed = connection.execute(
            "UPDATE roundledger.events e "
            "SET state = convert_to(replace(convert_from(e.state, 'UTF8'), '\"win\"', '\"push\"'), 'UTF8') "
            "FROM roundledger.originators o, roundledger.topics t WHERE o.originator = e.originator "
            "AND t.topic_id = e.topic_id AND t.topic LIKE 'round.line_settled%%' AND o.originator_id = %s",
            [stream_id("round", won["round"])],
        ).rowcount
        connection.execute("ALTER TABLE roundledger.events ENABLE ALWAYS TRIGGER events_stay")
    assert changed
    begin(site, page, won["table"])
    look_at(page, "findings")
    page.get_by_role("link", name=won["round"]).first.click()
    expect(page).to_have_url(re.compile(r"\?step=\d+$"))
    expect(page.get_by_role("heading", level=1)).to_contain_text(won["round"])


def test_a_note_is_apart_from_findings_and_one_round_can_be_asked_for(site: Site, page: Page):
    """A sentence that is worded otherwise than today, in a round that no other test looks at."""
    asked = {"ruleset": "uth-bgc", "status": "settled"}
    (name, *_) = [one["round"] for one in httpx.get(f"{site.url}/v1/rounds", params=asked).json()["rounds"]]
    with psycopg.connect(site.database_url) as connection:
        connection.execute("ALTER TABLE roundledger.events DISABLE TRIGGER ALL")
        connection.execute(
            "UPDATE roundledger.events e SET state = convert_to("
            "jsonb_set(convert_from(e.state, 'UTF8')::jsonb, '{0,12}', '\"So it is.\"')::text, 'UTF8') "
            "FROM roundledger.originators o, roundledger.topics t WHERE o.originator = e.originator "
            "AND t.topic_id = e.topic_id AND t.topic LIKE 'round.line_settled%%' AND o.originator_id = %s",
            [stream_id("round", name)],
        )
        connection.execute("ALTER TABLE roundledger.events ENABLE ALWAYS TRIGGER events_stay")
    page.goto(f"{site.url}/audit")
    page.get_by_label("Round", exact=True).fill(name)
    page.get_by_role("checkbox", name="the hash log").uncheck()
    page.get_by_role("button", name="Begin").click()
    page.wait_for_url(re.compile("/audit/a-[0-9a-f]+$"))
    expect(page.locator("#watched .badge").first).to_have_text("done")
    expect(page.locator("#watched")).to_contain_text(f"round {name}")
    expect(page.locator("#watched")).to_contain_text("No findings")
    expect(page.get_by_role("heading", name="1 note", exact=True)).to_be_visible()
    expect(page.get_by_role("region", name="Notes")).to_contain_text("So it is.")
    look_at(page, "notes")


@pytest.mark.parametrize(("gone", "status"), [("round.line_settled%", 200), ("round.wager_placed%", 500)])
def test_a_round_of_which_events_are_gone_is_told_or_says_so(site: Site, gone: str, status: int):
    """The first one's loss leaves something to tell; without a wager the rest makes no round."""
    ruleset = {200: "tcp-casino-club", 500: "p215-casino-club"}[status]
    one = httpx.get(f"{site.url}/v1/rounds", params={"ruleset": ruleset, "status": "settled"}).json()["rounds"][0]
    with psycopg.connect(site.database_url) as connection:
        connection.execute("ALTER TABLE roundledger.events DISABLE TRIGGER ALL")
        connection.execute(
            "DELETE FROM roundledger.events WHERE position = (SELECT min(e.position) FROM roundledger.events e "
            "JOIN roundledger.originators o USING (originator) JOIN roundledger.topics t USING (topic_id) "
            "WHERE o.originator_id = %s AND t.topic LIKE %s)",
            [stream_id("round", one["round"]), gone],
        )
        connection.execute("ALTER TABLE roundledger.events ENABLE ALWAYS TRIGGER events_stay")
    answer = httpx.get(f"{site.url}/rounds/{one['round']}", headers={"Accept": "text/html"})
    assert answer.status_code == status
    assert ("do not make a round" in answer.text) == (status == 500)

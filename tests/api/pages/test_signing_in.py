"""Signing in and out, what is refused, and the first admin."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import psycopg
import pytest
from playwright.sync_api import Page, expect
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from domain.rules import rulesets
from infra.access.sign_in_limits import FOR_AN_ID
from infra.access.staff import StaffMember
from projections.calendar import live_clock
from tests.api.pages.conftest import PASSWORD, Site, serving, signs_in
from tests.api.pages.page_checks import look_at
from tests.databases import PATIENCE_SECONDS, migrated_database

SignIn = Callable[..., None]


def test_whoever_signs_in_comes_to_the_page_they_wanted(locked: Site, page: Page):
    page.goto(f"{locked.url}/account?a=1")
    assert page.url == f"{locked.url}/sign-in?next=/account%3Fa%3D1"
    expect(page.get_by_label("Staff id")).to_be_focused()
    page.get_by_label("Staff id").fill("floor-1")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"{locked.url}/account?a=1")
    expect(page.get_by_role("banner")).to_contain_text("floor-1")
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("status")).to_have_text("You have signed out.")
    page.goto(f"{locked.url}/account")
    expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")


def test_a_wrong_password_is_refused_and_says_no_more_than_that(locked: Site, client: Client):
    answers = [client.sign_in(who, "not their password").text for who in ("floor-1", "nobody-here")]
    for text in answers:
        assert "not the id and password of anybody" in text
    assert client.http.get("/account").status_code == 303


def test_strangers_slow_an_id_down_and_lock_nobody_out_who_is_known(locked: Site, client: Client):
    assert client.sign_in("cage-1", PASSWORD).status_code == 303  # from now on this browser is known as theirs
    client.http.cookies.delete("roundledger-session")
    stranger = Client(locked)
    for _ in range(FOR_AN_ID.amount):
        assert stranger.sign_in("cage-1", "not their password").status_code == 403
    refused = stranger.sign_in("cage-1", PASSWORD)
    assert refused.status_code == 403
    assert re.search("Too many wrong passwords. Wait [1-5] minutes?, or sign in where you have signed in", refused.text)
    assert client.sign_in("cage-1", PASSWORD).status_code == 303  # the remedy works
    assert stranger.sign_in("counter-1", PASSWORD).status_code == 303
    with psycopg.connect(locked.database_url) as connection:
        kept = connection.execute(
            "SELECT count(*) FROM roundledger.sign_ins WHERE staff_id = 'cage-1' AND NOT accepted"
        ).fetchone()
    assert kept == (FOR_AN_ID.amount + 2,)  # nobody fills a table that refuses to forget by going on
    stranger.http.close()


def test_a_device_that_strangers_make_up_is_not_known(locked: Site, client: Client):
    people = locked.app.state.service.people
    people.add(StaffMember("tried-1", "Tried by strangers", ("cage",)), PASSWORD, "tests")
    client.http.cookies.set("roundledger-device", "A" * 43)
    for _ in range(FOR_AN_ID.amount):
        assert "not the id and password" in client.sign_in("tried-1", "not their password").text
    assert "Too many wrong passwords" in client.sign_in("tried-1", PASSWORD).text


def test_a_session_cookie_cannot_be_read_by_scripts_and_is_stored_as_a_hash(locked: Site, client: Client):
    answer = client.sign_in("auditor-1", PASSWORD)
    (header,) = [value for value in answer.headers.get_list("set-cookie") if "session" in value]
    assert "HttpOnly" in header
    assert "SameSite=lax" in header
    cookie = answer.cookies["roundledger-session"]
    with psycopg.connect(locked.database_url) as connection:
        rows = connection.execute("SELECT cookie_hash::text FROM roundledger.sessions").fetchall()
        stored = connection.execute("SELECT password FROM roundledger.people").fetchall()
    assert rows
    assert all(cookie not in text for (text,) in rows)
    assert all(text.startswith("$argon2id$v=19$m=47104,t=1,p=1$") for (text,) in stored)


def test_behind_https_the_cookie_is_for_this_host_alone(locked: Site):
    with httpx.Client(base_url=locked.url) as http:
        shown = http.get("/sign-in", headers={"X-Forwarded-Proto": "https"})
    assert "__Host-roundledger-visit=" in shown.headers["set-cookie"]
    assert "Secure" in shown.headers["set-cookie"]


@pytest.mark.parametrize("token", [None, "", "0" * 64])
def test_a_form_without_its_token_is_refused(locked: Site, client: Client, token: str | None):
    client.sign_in("both-1", PASSWORD)
    sent = {"do": "part", "part": "terminal:t9"}
    if token is not None:
        sent["csrf"] = token
    answer = client.http.post("/account", data=sent)
    assert answer.status_code == 403
    assert client.http.get("/account?format=json").json()["part"] == "floor"


BOUNDARY = "multipart/form-data; boundary=x"
A_FILE = b'--x\r\nContent-Disposition: form-data; name="csrf"; filename="a"\r\n\r\n?\r\n--x--\r\n'


@pytest.mark.parametrize(
    ("media_type", "body"),
    [
        ("multipart/form-data", b"no boundary"),
        (BOUNDARY, A_FILE),
        ("application/x-www-form-urlencoded", b"&".join(b"a%d=1" % number for number in range(2000))),
        ("application/x-www-form-urlencoded", b"do=part&part=%00&csrf="),
    ],
)
def test_what_is_no_form_is_refused_in_words(locked: Site, client: Client, media_type: str, body: bytes):
    client.sign_in("floor-1", PASSWORD)
    token = client.token("/account").encode() if body.endswith(b"csrf=") else b""
    answer = client.http.post("/account", content=body + token, headers={"Content-Type": media_type})
    assert answer.status_code == 400
    assert "<h1>" in answer.text


def test_the_token_of_one_session_does_not_count_in_another(locked: Site, client: Client):
    client.sign_in("both-1", PASSWORD)
    token = client.token("/account")
    client.http.cookies.clear()
    client.sign_in("both-1", PASSWORD)
    sent = {"do": "part", "part": "terminal:t9", "csrf": token}
    assert client.http.post("/account", data=sent).status_code == 403


def test_a_form_that_another_site_sends_is_refused(locked: Site, client: Client):
    client.sign_in("both-1", PASSWORD)
    sent = {"do": "part", "part": "terminal:t9", "csrf": client.token("/account")}
    for site in ("cross-site", "same-site"):
        assert client.http.post("/account", data=sent, headers={"Sec-Fetch-Site": site}).status_code == 403


def test_the_head_of_a_page_fits_a_phone_whoever_is_signed_in(locked: Site, page: Page, sign_in: SignIn):
    page.set_viewport_size({"width": 390, "height": 800})
    sign_in(locked, "accounting-1")
    expect(page.get_by_role("button", name="Sign out")).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_somebody_with_two_parts_takes_one_at_a_time(locked: Site, page: Page, sign_in: SignIn):
    sign_in(locked, "both-1")
    page.goto(f"{locked.url}/account")
    page.get_by_label("Act as").select_option("terminal:t9")
    page.get_by_role("button", name="Take this part").click()
    expect(page.get_by_role("status")).to_have_text("You act as terminal:t9 now.")
    expect(page.get_by_role("banner")).to_contain_text("terminal")


def test_an_operation_takes_the_cookie_and_for_a_change_the_token_too(locked: Site, client: Client):
    client.sign_in("floor-1", PASSWORD)
    assert client.http.get("/v1/rounds").status_code == 200
    body = {"kind": "late bet", "text": "Seat 2 was late."}
    address = f"/v1/rounds/{locked.known['round']}/notes"
    assert client.http.post(address, json=body).status_code == 403
    token = client.token("/account")
    assert client.http.post(address, json=body, headers={"CSRF-Token": token}).status_code == 200
    client.sign_in("auditor-1", PASSWORD)
    token = client.token("/account")
    assert client.http.post(address, json=body, headers={"CSRF-Token": token}).status_code == 403


def test_whoever_is_disabled_is_out_at_once(locked: Site, client: Client):
    client.sign_in("accounting-1", PASSWORD)
    assert client.http.get("/account").status_code == 200
    people = locked.app.state.service.people
    people.change("accounting-1", "tests", disabled=True)
    assert client.http.get("/account").status_code == 303
    assert client.sign_in("accounting-1", PASSWORD).status_code == 403
    people.change("accounting-1", "tests", disabled=False)
    assert client.sign_in("accounting-1", PASSWORD).status_code == 303


def test_whoever_listens_is_out_too(locked: Site, client: Client):
    client.sign_in("both-1", PASSWORD)
    with client.http.stream("GET", "/v1/feed", timeout=60) as feed:
        lines = feed.iter_lines()
        assert next(lines) == ": roundledger"
        locked.app.state.service.sessions.sign_out(client.http.cookies["roundledger-session"])
        assert [line for line in lines if line and not line.startswith(":")] == []  # and it has come to an end


def test_a_session_that_idles_has_ended(locked: Site, client: Client):
    client.sign_in("floor-1", PASSWORD)
    assert client.http.get("/account").status_code == 200
    with psycopg.connect(locked.database_url) as connection:
        connection.execute("UPDATE roundledger.sessions SET seen_at = now() - interval '31 minutes'")
    refused = client.http.post("/account", data={"do": "part"}, headers={"Accept": "text/html"})
    assert refused.status_code == 401
    assert "has not been stored" in refused.text
    assert 'href="/sign-in?next=/account"' in refused.text
    assert client.http.get("/account").status_code == 303
    assert "Your session has ended." in client.http.get("/sign-in").text
    assert client.http.get("/account?format=json").status_code == 401
    assert client.http.get("/v1/rounds").status_code == 401


def test_what_a_page_asks_by_itself_keeps_no_session_alive(locked: Site, client: Client):
    client.sign_in("floor-1", PASSWORD)
    with psycopg.connect(locked.database_url, autocommit=True) as connection:
        connection.execute("UPDATE roundledger.sessions SET seen_at = now() - interval '29 minutes'")
        fresh = "SELECT count(*) FROM roundledger.sessions WHERE seen_at > now() - interval '1 minute'"
        for by_itself in ({"Page-Refresh": "1"}, {"Accept": "text/event-stream"}):  # a look, and a feed that it hears
            client.http.get("/account", headers=by_itself)
        assert connection.execute(fresh).fetchone() == (0,)
        client.http.get("/account")
        assert connection.execute(fresh).fetchone() == (1,)


def test_nobody_is_led_elsewhere_by_the_address_to_go_on_to(locked: Site, client: Client):
    for address in ("//evil.example", "https://evil.example", "/\\evil.example"):
        answer = client.sign_in("floor-1", PASSWORD, next=address)
        assert answer.headers["location"] == "/"


def test_the_first_two_admins_are_made_with_the_code_and_only_once(server_url: str, page: Page):
    with migrated_database(server_url) as url, serving(url, token_key="x" * 40, setup_code="SETUP-CODE") as site:
        page.goto(site.url)
        page.wait_for_url(f"{site.url}/setup")  # nobody is asked for a password that nobody has
        look_at(page, "setup")
        for label, text in (("Their staff id", "boss-1"), ("Their name", "The Boss"), ("Setup code", "SETUP-CODE")):
            page.get_by_label(label).fill(text)
        for label, text in (("Staff id", "boss-2"), ("Name", "The Other")):
            page.get_by_label(label, exact=True).fill(text)
        for label in ("Their password", "Their password again", "Password", "The password again"):
            page.get_by_label(label, exact=True).fill(PASSWORD)
        page.get_by_role("button", name="Make the two admins").click()
        expect(page.get_by_role("status")).to_contain_text("Welcome, boss-1 and boss-2.")
        page.get_by_role("link", name="Let others sign in").click()
        expect(page.get_by_label("floor", exact=True)).to_have_accessible_description(re.compile("Opens tables"))
        page.goto(f"{site.url}/setup")
        expect(page.get_by_role("main")).to_contain_text("There are two admins.")
        expect(page.get_by_label("Setup code")).to_have_count(0)
        with calling(site) as client:
            sent = {"staff_id": "boss-4", "name": "Another", "password": PASSWORD, "again": PASSWORD}
            sent |= {"first_id": "boss-3", "first_name": "One", "first_password": PASSWORD, "first_again": PASSWORD}
            token = client.token("/sign-in")
            answer = client.http.post("/setup", data={"code": "SETUP-CODE", **sent, "csrf": token})
            assert answer.status_code == 409
            assert "There are two admins" in answer.text
            assert [one.staff_id for one in site.app.state.service.people.everybody()] == ["boss-1", "boss-2"]
        adopt_what_ships(page, site)


def adopt_what_ships(page: Page, site: Site) -> None:
    """The two admins do not adopt: two of the people whom they add do, each rule set with one click."""
    expect(page.get_by_role("main")).to_contain_text("admins do not")
    refused = page.request.get(f"{site.url}/setup/rules", headers={"Accept": "text/html"})
    assert refused.status == 403, refused.url
    people = site.app.state.service.people
    for who, part in (("floor-1", "floor"), ("books-1", "accounting")):
        people.add(StaffMember(who, who, (part,), False), PASSWORD, "tests")  # the password is their own
    page.context.clear_cookies()
    signs_in(page, site, "floor-1")
    page.goto(f"{site.url}/setup")
    page.get_by_role("link", name="Adopt what ships with the program").click()
    expect(page.locator("button[name=adopt]")).to_have_count(7)
    look_at(page, "setup-rules")

    def adopt(ruleset: str, password: str) -> None:
        page.get_by_label(f"Approval number of {ruleset}").fill("GEGA-1")
        page.get_by_label("Staff id").fill("books-1")
        page.get_by_label("Password").fill(password)
        page.get_by_role("button", name=f"Adopt {ruleset}", exact=True).click()

    for number, ruleset in enumerate(rulesets.ids(), start=1):
        adopt(ruleset, PASSWORD)
        expect(page.get_by_role("status")).to_contain_text(f"{ruleset} is adopted")
        expect(page.locator("button[name=adopt]")).to_have_count(7 - number)
    expect(page.get_by_role("main")).to_contain_text("by floor-1 and books-1")
    expect(page.get_by_label("Staff id")).to_have_count(0)  # nothing is left to sign
    signed = [(one.by, one.event.second_person) for one in site.ledger.rulebook.latest()[0].adoptions()]
    assert signed == [("floor-1", "books-1")] * 7


def test_a_wrong_code_makes_nobody(server_url: str):
    with (
        migrated_database(server_url) as url,
        serving(url, token_key="x" * 40, setup_code="SETUP-CODE") as site,
        calling(site) as client,
    ):
        sent = {"code": "WRONG", "staff_id": "boss-1", "name": "The Boss", "password": PASSWORD, "again": PASSWORD}
        sent |= {"first_id": "boss-2", "first_name": "Other", "first_password": PASSWORD, "first_again": PASSWORD}
        answer = client.http.post("/setup", data={**sent, "csrf": client.token("/setup")})
        assert answer.status_code == 403
        assert "boss-1" in answer.text  # what was filled in stays, but for the passwords
        assert PASSWORD not in answer.text
        assert not site.app.state.service.people.any()


# ---- a database that does not answer


def test_while_the_database_is_away_a_page_says_so(server_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with migrated_database(server_url) as url:
        parts = conninfo_to_dict(url)
        socket, way = Path(str(parts["host"])) / ".s.PGSQL.5432", tmp_path / ".s.PGSQL.5432"
        way.symlink_to(socket)
        by_the_way = make_conninfo(url, host=str(tmp_path))
        with (
            serving(by_the_way, token_key="x" * 40, follow=False, time_limit_seconds=1.0) as site,
            calling(site) as client,
        ):
            client.get_until_answered("/setup")
            monkeypatch.setattr(live_clock, "KNOWN_SECONDS", 0.0)  # as it is a minute later
            way.unlink()
            with psycopg.connect(url, autocommit=True) as connection:
                connection.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
            for address in ("/sign-in", "/"):
                client.http.cookies.set("roundledger-session", "A" * 43)
                answer = client.http.get(address)
                assert answer.status_code == 503
                assert "The service cannot answer now." in answer.text
                assert "<h1>" in answer.text
                assert f'href="{address}">Try again' in answer.text
            way.symlink_to(socket)
            client.get_until_answered("/setup")


# ---- forms without a browser


class Client:
    """Sends forms as a browser would: with the token of the page."""

    def __init__(self, site: Site) -> None:
        self.http = httpx.Client(base_url=site.url, headers={"Accept": "text/html"}, timeout=PATIENCE_SECONDS)

    def token(self, address: str) -> str:
        text = self.http.get(address).text
        return text.partition('name="csrf" value="')[2].partition('"')[0]

    def get_until_answered(self, address: str) -> None:
        """A busy machine may need longer than the service's time limit for a first answer."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while (status := self.http.get(address).status_code) == 503:
            assert time.monotonic() < deadline, f"{address} is not answered"
        assert status == 200

    def sign_in(self, staff_id: str, password: str, next: str = "/") -> httpx.Response:
        sent = {"staff_id": staff_id, "password": password, "next": next, "csrf": self.token("/sign-in")}
        return self.http.post("/sign-in", data=sent)


@contextmanager
def calling(site: Site) -> Iterator[Client]:
    client = Client(site)
    with client.http:
        yield client


@pytest.fixture
def client(locked: Site) -> Iterator[Client]:
    with calling(locked) as client:
        yield client


# ---- the admin's page


def test_an_admin_adds_somebody_who_then_signs_in(locked: Site, page: Page, sign_in: SignIn):
    sign_in(locked, "admin-1")
    page.get_by_role("link", name="Staff").first.click()
    page.get_by_label("Staff id", exact=True).fill("new-1")
    page.get_by_label("Name").fill("Somebody new")
    page.get_by_label("floor").check()
    page.get_by_label("Password", exact=True).fill("a phrase of their own")
    page.get_by_label("The password again").fill("a phrase of their own")
    page.get_by_label("Their staff id").fill("admin-2")
    page.get_by_label("Their password").fill(PASSWORD)
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_role("status")).to_have_text("new-1 can sign in.")
    page.get_by_role("button", name="Sign out").click()
    sign_in(locked, "new-1", "a phrase of their own")
    expect(page.get_by_role("banner")).to_contain_text("new-1")
    assert page.goto(f"{locked.url}/account") is not None


def test_only_an_admin_changes_people(locked: Site, client: Client):
    client.sign_in("floor-1", PASSWORD)
    refused = client.http.get("/staff")
    assert refused.status_code == 403
    assert "This needs the role admin or auditor, and you are here as floor." in refused.text
    client.sign_in("auditor-1", PASSWORD)
    assert client.http.get("/staff").status_code == 200
    sent = {"do": "disable", "csrf": client.token("/staff/floor-1")}
    answer = client.http.post("/staff/floor-1", data={**sent, "csrf": client.token("/account")})
    assert answer.status_code == 403
    assert "This needs the role admin, and you are here as auditor." in answer.text


def test_the_admin_changes_somebody_on_their_own_page(locked: Site, client: Client):
    client.sign_in("auditor-1", PASSWORD)
    assert "Staff id" in (seen := client.http.get("/staff/floor-1").text)
    assert 'value="disable"' not in seen
    client.sign_in("admin-1", PASSWORD)
    shown = client.http.get("/staff/floor-1").text
    for words in ("may sign in", "Change the parts", "Set the password", 'value="disable"'):
        assert words in shown

"""Signing in with an identity provider: a real one, in a process of its own."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import httpx
import psycopg
import pytest
from playwright.sync_api import BrowserContext, ConsoleMessage, Page, expect
from pydantic import ValidationError

from api.service.settings import Settings
from infra.access.staff import Staff, StaffMember
from tests.api.pages.conftest import PASSWORD, Site, serving
from tests.api.pages.identity_provider import CLIENT_ID, CLIENT_SECRET, PROVIDER_PASSWORD, identity_provider
from tests.api.pages.page_checks import look_at
from tests.api.processes import free_port
from tests.databases import migrated_database


@pytest.fixture(scope="module")
def single(server_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    port = free_port()
    settings = {
        "oidc_issuer": f"http://127.0.0.1:{port}",
        "oidc_name": "Harbor Accounts",
        "oidc_client_id": CLIENT_ID,
        "oidc_client_secret": CLIENT_SECRET,
        "oidc_scope": "openid profile groups",
        "oidc_role_claim": "groups",
        "oidc_roles": {"audit-team": "auditor", "table-7": "terminal:t7"},
    }
    with migrated_database(server_url) as url, serving(url, **settings) as site:
        people = Staff(site.ledger.events.recorder.database)
        people.add(StaffMember("sso-floor", "Fay Floor", ("floor",)), PASSWORD, "tests")
        people.add(StaffMember("sso-dealer", "Dan Dealer", ("terminal:t1",)), PASSWORD, "tests")
        with identity_provider(port, site.url, tmp_path_factory.mktemp("provider") / "log"):
            yield site


@pytest.fixture
def page(context: BrowserContext, single: Site) -> Iterator[Page]:
    """A page that must not complain of ours; what the provider's own pages lack is not ours to mend."""
    page, wrong = context.new_page(), list[str]()

    def note(said: ConsoleMessage) -> None:
        if said.type in ("error", "warning") and said.location["url"].startswith(single.url):
            wrong.append(said.text)

    page.on("console", note)
    yield page
    assert wrong == []


def with_the_provider(page: Page, site: Site, user: str, next_address: str = "/account") -> None:
    page.goto(f"{site.url}{next_address}")
    page.get_by_role("link", name="Sign in with Harbor Accounts").click()
    page.get_by_label("Login").fill(user)
    page.keyboard.press("Enter")
    page.get_by_role("textbox", name="Password").fill(PROVIDER_PASSWORD)
    page.keyboard.press("Enter")


def test_somebody_signs_in_and_out_at_the_provider(single: Site, page: Page):
    page.goto(f"{single.url}/sign-in")
    look_at(page, "sign-in-provider")
    with_the_provider(page, single, "sso-floor")
    page.wait_for_url(f"{single.url}/account")
    expect(page.get_by_role("banner")).to_contain_text("sso-floor")
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url(f"{single.url}/sign-in")
    page.get_by_role("link", name="Sign in with Harbor Accounts").click()
    expect(page.get_by_label("Login")).to_be_visible()  # the provider has forgotten them, too


def test_somebody_who_is_not_on_the_register_is_told_what_to_do(single: Site, context: BrowserContext):
    page = context.new_page()  # which complains of the status 403
    with_the_provider(page, single, "sso-stranger")
    expect(page.get_by_role("heading", level=1)).to_have_text("You are not on the staff register")
    expect(page.get_by_role("main")).to_contain_text("Harbor Accounts says that you are sso-stranger")
    look_at(page, "unknown-person")


def test_a_claim_gives_the_parts_that_sign_nothing(single: Site, page: Page):
    with_the_provider(page, single, "sso-dealer")
    page.wait_for_url(f"{single.url}/account")
    page.get_by_label("Act as").select_option("terminal:t7")
    page.get_by_role("button", name="Take this part").click()
    expect(page.get_by_role("banner")).to_contain_text("terminal t7")
    with psycopg.connect(single.database_url) as connection:
        row = connection.execute(
            "SELECT way, claimed FROM roundledger.sessions WHERE staff_id = 'sso-dealer'"
        ).fetchone()
    assert row == ("provider", ["terminal:t7"])


@pytest.mark.parametrize("role", ["floor", "cage", "counter", "accounting", "admin", "wizard"])
def test_no_claim_gives_a_role_that_signs_or_moves_money(role: str):
    with pytest.raises(ValidationError, match="staff register"):
        Settings(oidc_issuer="https://id.example", oidc_client_id="ledger", oidc_roles={"team": role})


def test_an_answer_to_another_sign_in_is_refused(single: Site):
    """Somebody else's code, or a state that was used before, signs nobody in."""
    with httpx.Client(base_url=single.url, headers={"Accept": "text/html"}) as http:
        asked = http.get("/sign-in/provider?next=/account")
        assert asked.status_code == 303
        address = urlsplit(asked.headers["location"])
        query = parse_qs(address.query)
        assert query["code_challenge_method"] == ["S256"]
        assert {"state", "nonce", "code_challenge"} <= query.keys()
        refused = http.get("/sign-in/provider/back", params={"state": "another", "code": "stolen"})
        assert refused.status_code == 403
        assert "another sign-in" in refused.text
        again = http.get("/sign-in/provider/back", params={"state": query["state"][0], "code": "stolen"})
        assert again.status_code == 403
        assert "Start again" in again.text
        assert "roundledger-session" not in http.cookies

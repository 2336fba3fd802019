"""A day at a property: single sign-on, a passkey, a correction signed by two people, and a leaver who is cut off."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from domain.disputes import disputes
from domain.moments import DAY_MS
from infra.access.staff import Staff, StaffMember
from infra.ledger.disputes.disputes import Disputes
from infra.ledger.ledger import Actor
from infra.ledger.replay import replay_of
from tests.api.pages.conftest import KEY, PASSWORD, WAIT_MS, Site, serving, signs_in, watch
from tests.api.pages.identity_provider import CLIENT_ID, CLIENT_SECRET, identity_provider
from tests.api.pages.page_checks import look_at
from tests.api.pages.test_second_factors import add_device, sign_out
from tests.api.pages.test_single_sign_on import with_the_provider
from tests.api.processes import free_port
from tests.projections.simulated_floor import NOON_MS


@pytest.fixture(scope="module")
def property_(recorded_url: tuple[str, dict[str, str]], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """With some rounds, a provider that knows the floor manager, and a supervisor who has a password."""
    url, known = recorded_url
    port = free_port()
    settings = {
        "token_key": KEY,
        "oidc_issuer": f"http://127.0.0.1:{port}",
        "oidc_name": "Harbor Accounts",
        "oidc_client_id": CLIENT_ID,
        "oidc_client_secret": CLIENT_SECRET,
    }
    with serving(url, **settings) as site:
        site.known.update(known)
        site.url = site.url.replace("127.0.0.1", "localhost")
        people = Staff(site.ledger.events.recorder.database)
        for staff_id, role in (("sso-floor", "floor"), ("floor-2", "floor"), ("admin-1", "admin")):
            people.add(StaffMember(staff_id, f"{staff_id} by name", (role,)), PASSWORD, "tests")
        with identity_provider(port, site.url, tmp_path_factory.mktemp("provider") / "log"):
            yield site


def open_dispute(site: Site) -> None:
    """Of the last settled round: a claim that somebody on the floor has to rule on."""
    replay = replay_of(site.ledger, site.known["round"])
    assert replay is not None
    line = replay.result["lines"][0]
    far = NOON_MS + 1000 * DAY_MS
    claim = disputes.Claim(line["seat"], line["spot"], "payout", 5_00, "I was paid too little.", far)
    Disputes(site.ledger).open(site.known["round"], claim, Actor("floor-9", NOON_MS + DAY_MS), "d-day")


def test_a_day(property_: Site, context: BrowserContext, browser: Browser):
    site, page = property_, context.new_page()
    watched = watch(page)
    open_dispute(site)
    # In the morning the supervisor adds the passkey of the floor's tablet.
    add_device(page)
    signs_in(page, site, "floor-2")
    page.goto(f"{site.url}/account/factors")
    page.get_by_label("What you call it").fill("the floor's tablet")
    page.get_by_role("button", name="Add a passkey").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Recovery codes")
    sign_out(page)

    # The floor manager signs in with the property's account, and corrects a round together with the supervisor.
    with_the_provider(page, site, "sso-floor", "/disputes/d-day")
    page.wait_for_url(f"{site.url}/disputes/d-day")
    page.get_by_label("Outcome").select_option("upheld")
    page.get_by_label("Reason", exact=True).fill("The recording shows it.")
    page.get_by_label("Amount, entry 1").fill("5.00")
    page.get_by_label("Account, entry 1").fill("house")
    look_at(page, "day-ruling")
    page.get_by_role("button", name="The second person signs with a passkey").click()
    expect(page.get_by_role("main")).to_contain_text("by sso-floor with floor-2")

    # In the evening the manager leaves the property: their page is closed to them at the next click.
    office = browser.new_context()
    office.set_default_timeout(WAIT_MS)
    admin = office.new_page()
    signs_in(admin, site, "admin-1")
    admin.goto(f"{site.url}/staff/sso-floor")
    admin.get_by_role("button", name="Disable").click()
    expect(admin.get_by_role("status")).to_contain_text("can no longer sign in")
    office.close()
    page.goto(f"{site.url}/floor")
    expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")
    watched.check()
    page.get_by_role("link", name="Sign in with Harbor Accounts").click()  # where they are still known
    expect(page.get_by_role("heading", level=1)).to_have_text("You are not on the staff register")

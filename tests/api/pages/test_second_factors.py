"""Second factors in a browser: an authenticator app, recovery codes, a passkey of Chromium's virtual authenticator."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from pyotp.totp import TOTP

from domain.round.events import EntryTakenBack, PlaySupervised
from infra.access.staff import Staff, StaffMember
from tests.api.pages.conftest import KEY, PASSWORD, Site, serving, signs_in
from tests.api.pages.dealer_screen import SPLIT, Dealer
from tests.api.pages.page_checks import look_at
from tests.databases import migrated_database


@pytest.fixture(scope="module")
def guarded(server_url: str) -> Iterator[Site]:
    """At an address with a name, because a passkey is bound to one."""
    with migrated_database(server_url) as url, serving(url, token_key=KEY) as site:
        people = Staff(site.ledger.events.recorder.database)
        for role in ("floor", "cage", "counter", "accounting", "auditor", "admin"):
            people.add(StaffMember(f"{role}-1", f"One of {role}", (role,)), PASSWORD, "tests")
        people.add(StaffMember("admin-2", "Another admin", ("admin",)), PASSWORD, "tests")
        site.url = site.url.replace("127.0.0.1", "localhost")
        yield site


@pytest.fixture
def device(page: Page) -> None:
    add_device(page)


def add_device(page: Page) -> None:
    """One that has somebody's fingerprint and says yes at once."""
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    session.send("WebAuthn.addVirtualAuthenticator", {"options": options})


def sign_out(page: Page) -> None:
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("status")).to_have_text("You have signed out.")


def give_password(page: Page, site: Site, staff_id: str) -> None:
    page.goto(f"{site.url}/sign-in?next=/account")
    page.get_by_label("Staff id").fill(staff_id)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("One more step")


def test_somebody_sets_up_an_app_and_signs_in_with_a_recovery_code(guarded: Site, context: BrowserContext):
    page = context.new_page()  # which complains of the wrong code
    signs_in(page, guarded, "cage-1")
    page.goto(f"{guarded.url}/account")
    page.get_by_role("link", name="Passkeys, app, recovery codes").click()
    look_at(page, "factors-none")
    page.get_by_role("link", name="Set up an app").click()
    look_at(page, "factors-app")
    seed = page.locator(".steps code").inner_text().replace(" ", "")
    page.get_by_role("textbox", name="Code").fill("000000")
    page.get_by_role("button", name="Set up this app").click()
    expect(page.get_by_role("alert").first).to_contain_text("not the current code of the app")
    assert page.locator(".steps code").inner_text().replace(" ", "") == seed, "the app has it already"
    code = TOTP(seed).at(datetime.now(UTC), counter_offset=1)  # the next one, which counts for longer
    page.get_by_role("textbox", name="Code").fill(code)
    page.get_by_role("button", name="Set up this app").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Recovery codes")
    look_at(page, "factors-codes")
    codes = page.locator(".codes code").all_inner_texts()
    assert len(set(codes)) == 10
    page.get_by_role("link", name="I have kept them").click()
    expect(page.get_by_role("region", name="Your second factors")).to_contain_text("authenticator app")
    sign_out(page)
    give_password(page, guarded, "cage-1")
    look_at(page, "second-step-app")
    page.get_by_role("textbox", name="Code").fill(codes[0])
    page.get_by_role("button", name="Sign in with this code").click()
    page.wait_for_url(f"{guarded.url}/account")
    expect(page.get_by_role("banner")).to_contain_text("cage-1")


@pytest.mark.usefixtures("device")
def test_a_passkey_is_the_second_half_of_a_sign_in(guarded: Site, page: Page):
    signs_in(page, guarded, "floor-1")
    page.goto(f"{guarded.url}/account/factors")
    page.get_by_label("What you call it").fill("my phone")
    page.get_by_role("button", name="Add a passkey").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Recovery codes")
    page.get_by_role("link", name="I have kept them").click()
    expect(page.get_by_role("region", name="Your second factors")).to_contain_text("my phone")
    look_at(page, "factors-passkey")
    sign_out(page)
    give_password(page, guarded, "floor-1")
    look_at(page, "second-step-passkey")
    page.get_by_role("button", name="Use a passkey").click()
    page.wait_for_url(f"{guarded.url}/account")
    page.goto(f"{guarded.url}/account/factors")
    page.get_by_role("button", name="Remove my phone").click()
    expect(page.get_by_role("region", name="Your second factors")).not_to_contain_text("my phone")
    sign_out(page)
    signs_in(page, guarded, "floor-1")


def test_an_admin_demands_a_factor_and_sees_who_has_one(guarded: Site, page: Page):
    people, factors = Staff(guarded.ledger.events.recorder.database), guarded.app.state.service.factors
    people.add(StaffMember("cage-9", "Who has an app", ("cage",), False), PASSWORD, "tests")
    factors.add("cage-9", "totp", "authenticator app", b"JBSWY3DPEHPK3PXP")
    signs_in(page, guarded, "admin-1")
    page.goto(f"{guarded.url}/settings")
    page.get_by_role("checkbox", name="auditor").check()
    page.get_by_role("button", name="Require it for these").click()
    expect(page.get_by_role("status")).to_contain_text("must add one at their next click")
    look_at(page, "settings-factors")
    page.goto(f"{guarded.url}/staff")
    expect(
        page.get_by_role("region", name="Who may sign in").get_by_role("row").filter(has_text="cage-9")
    ).to_contain_text("app")
    sign_out(page)
    page.goto(f"{guarded.url}/sign-in")
    page.get_by_label("Staff id").fill("auditor-1")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"{guarded.url}/account/factors")
    expect(page.get_by_role("note").first).to_contain_text("One of your roles needs a second factor")
    page.goto(f"{guarded.url}/audit")
    page.wait_for_url(f"{guarded.url}/account/factors")


def test_two_admins_remove_the_factors_of_somebody_who_lost_them(guarded: Site, context: BrowserContext):
    page = context.new_page()  # which complains of what is refused
    factors = guarded.app.state.service.factors
    factors.add("counter-1", "totp", "a lost phone", b"JBSWY3DPEHPK3PXP")
    signs_in(page, guarded, "admin-1")
    page.goto(f"{guarded.url}/staff/counter-1")
    look_at(page, "staff-factors")
    form = page.locator("form").filter(has=page.get_by_role("button", name="Remove their second factors"))
    form.get_by_role("button", name="Remove their second factors").click()
    expect(page.get_by_role("alert").first).to_contain_text("Two admins remove second factors")
    form.locator('[name="second_person"]').fill("admin-2")
    form.locator('[name="second_password"]').fill(PASSWORD)
    form.get_by_role("button", name="Remove their second factors").click()
    expect(page.get_by_role("status")).to_contain_text("counter-1 has no second factor any more")
    assert factors.of("counter-1") == []


def test_a_dealer_with_a_factor_lands_on_the_table_and_the_floor_confirms_there_with_theirs(
    guarded: Site, context: BrowserContext
):
    """The dealer by an app, the first supervisor by a recovery code, the next by a passkey alone."""
    people, factors = Staff(guarded.ledger.events.recorder.database), guarded.app.state.service.factors
    people.add(StaffMember("deal-1", "A dealer", ("terminal:t-1",)), PASSWORD, "tests")
    people.add(StaffMember("floor-2", "Another of floor", ("floor",)), PASSWORD, "tests")
    codes = {}
    for one in ("deal-1", "floor-2"):
        factors.add(one, "totp", "authenticator app", b"JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP")
        codes[one] = factors.new_recovery_codes(one)
    page = context.new_page()  # which complains of what is refused
    add_device(page)
    signs_in(page, guarded, "floor-1")
    page.goto(f"{guarded.url}/account/factors")
    page.get_by_label("What you call it").fill("my watch")
    page.get_by_role("button", name="Add a passkey").click()
    page.get_by_role("link", name="I have kept them").click()
    sign_out(page)
    page.goto(f"{guarded.url}/sign-in")
    page.get_by_label("Staff id").fill("deal-1")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("textbox", name="Code").fill(codes["deal-1"][0])
    page.get_by_role("button", name="Sign in with this code").click()
    page.wait_for_url(f"{guarded.url}/dealer/t-1")

    dealer, wrong = Dealer(page), {"do": "deal", "to": 1, "cards": ["9c"]}
    dealer.open_table(SPLIT)
    dealer.open_round(SPLIT)
    for action in (*SPLIT["actions"][:2], wrong):
        dealer.play(action)
    said = page.locator('[data-part="said"]')

    def confirm(code: str) -> None:
        for name, value in (("floor", "floor-2"), ("second_password", PASSWORD), ("second_code", code)):
            dealer.on(f"back-{name}").fill(value)
        dealer.on("take-it-back").click()

    def begin() -> None:
        if not dealer.on("why-2").is_visible():
            dealer.on("take-back").click()
        dealer.on("why-2").click()

    begin()
    confirm("")
    expect(said).to_contain_text("They have a second factor")
    begin()
    confirm(codes["floor-2"][0])
    expect(page.locator('[data-seat="1"] .card')).to_have_count(0)
    dealer.play(wrong)
    begin()
    dealer.on("back-floor").fill("")
    look_at(page, "dealer-confirming")
    dealer.on("back-by-second_passkey").click()
    expect(page.locator('[data-seat="1"] .card')).to_have_count(0)
    round_id = str(guarded.ledger.tables.reload("t-1").open_session("t-1").playing.round)  # type: ignore[union-attr]
    taken = [entry.event for entry in guarded.ledger.load(round_id).entries if isinstance(entry.event, EntryTakenBack)]
    assert [one.confirmed_by for one in taken] == ["floor-2", "floor-1"]

    # Cards that were named and taken back count: after three, both sign with what they have.
    dealer.play(wrong)
    begin()
    confirm(codes["floor-2"][1])
    expect(page.locator('[data-seat="1"] .card')).to_have_count(0)
    dealer.tap(SPLIT["actions"][2])
    expect(said).to_contain_text("only a floor supervisor together with a second person may continue it")
    for name, value in (("supervisor", "floor-2"), ("supervisor_password", PASSWORD)):
        dealer.on(f"sign-{name}").fill(value)
    dealer.on("sign-supervisor_code").fill(codes["floor-2"][2])
    look_at(page, "dealer-signing-factors")
    dealer.on("sign-by-second_passkey").click()
    dealer.stored()
    signed = [entry.event for entry in guarded.ledger.load(round_id).entries if isinstance(entry.event, PlaySupervised)]
    assert [event.by for event in signed] == [("floor-2", "floor-1")]

"""The second half of a sign-in: a code, a recovery code or a passkey; and the challenge for a device."""

from typing import Annotated, Any, Literal

from fastapi import Form, Query, Request, Response
from msgspec import json

from api.pages.dependencies import PASSKEY_COOKIE, SUPERVISOR_COOKIE, given_passkey
from api.pages.forms import FormModel
from api.pages.office.account import HALF_COOKIE, SECOND, SignInQuery, Stranger, local_address, signed_in
from api.pages.page_route import page_router
from api.pages.responses import go, render, visitor_of
from api.service.admission import ServiceOf
from api.service.identity.site import site_of
from api.service.problems import Problem
from api.service.state import Service
from infra.access.factors import Usable
from infra.access.passkeys import PasskeyGiven, PasskeyRefused, Site
from infra.access.pending_proofs import ProofEnded
from infra.access.sessions import Session, SignInRefused

router = page_router()
PASSKEYS = "/passkeys"
PASSKEY_SECONDS = 600
BEGIN_AGAIN = "Your password was given too long ago, or the code was wrong too often. Sign in again."


class SecondStepForm(FormModel):
    """One of the two is filled in: the passkey by a script."""

    code: str = ""
    passkey: str = ""
    next: str | None = None


@router.get(SECOND)
async def show_second_step(
    request: Request, service: ServiceOf, caller: Stranger, asked: Annotated[SignInQuery, Query()]
) -> Response:
    staff_id = await service.run(service.sessions.half_signed_in, visitor_of(request).cookies.get(HALF_COOKIE))
    if staff_id is None:
        return go(request, "/sign-in", BEGIN_AGAIN)
    kinds = {factor.kind for factor in await service.run(service.factors.of, staff_id)}
    data: dict[str, Any] = {"staff_id": staff_id, "kinds": sorted(kinds), "next": local_address(asked.next)}
    return await render(request, "second_step.html", data, title="One more step", section="sign-in")


@router.post(SECOND)
async def second_step(
    request: Request, service: ServiceOf, caller: Stranger, form: Annotated[SecondStepForm, Form()]
) -> Response:
    cookies = visitor_of(request).cookies
    kept = cookies.get(HALF_COOKIE)
    staff_id = await service.run(service.sessions.half_signed_in, kept)
    if staff_id is None or kept is None:
        return go(request, "/sign-in", BEGIN_AGAIN)
    try:
        usable = await service.run(_usable, service, staff_id, form, given_passkey(service, request, form.passkey))
        cookie = await service.run(service.sessions.finish, kept, cookies.address, usable)
    except ProofEnded:
        return go(request, "/sign-in", BEGIN_AGAIN)
    except (SignInRefused, PasskeyRefused) as refusal:
        raise Problem("forbidden", str(refusal)) from None
    response = go(request, local_address(form.next))
    await signed_in(service, cookies, response, staff_id, cookie)
    return response


def _usable(service: Service, staff_id: str, form: SecondStepForm, given: PasskeyGiven) -> Usable:
    if not form.passkey:
        return service.factors.usable_code(staff_id, form.code)
    return service.passkeys.usable("second passkey", given)[1]


# ---- challenges for a device


class PasskeyQuery(FormModel):
    purpose: Literal["register", "second", "signature", "supervisor"]


@router.get(PASSKEYS)
async def show_passkeys(request: Request, caller: Stranger) -> Response:
    return go(request, "/account/factors")


@router.post(PASSKEYS)
async def ask_for_passkey(
    request: Request, service: ServiceOf, caller: Stranger, form: Annotated[PasskeyQuery, Form()]
) -> Response:
    """Return the challenge that the page's script passes to the browser, which asks the device."""
    visitor, site = visitor_of(request), site_of(service.settings, request)
    half = visitor.cookies.get(HALF_COOKIE)
    kept, options = await service.run(_question, service, form.purpose, visitor.session, half, site)
    response = Response(json.encode(options), 200, {"Cache-Control": "no-store"}, "application/json")
    kept_in = SUPERVISOR_COOKIE if form.purpose == "supervisor" else PASSKEY_COOKIE
    visitor.cookies.set(response, kept_in, kept, PASSKEY_SECONDS)
    return response


def _question(
    service: Service, purpose: str, session: Session | None, half: str | None, site: Site
) -> tuple[str, dict[str, Any]]:
    if purpose == "second":
        staff_id = service.sessions.half_signed_in(half)
        if staff_id is None:
            raise Problem("unauthenticated", BEGIN_AGAIN)
        return service.passkeys.question("second passkey", staff_id, site)
    if session is None:
        raise Problem("unauthenticated", "Sign in first.")
    if purpose == "register":
        return service.passkeys.registration(session.staff_id, session.name, site)
    return service.passkeys.question("signature", None, site)

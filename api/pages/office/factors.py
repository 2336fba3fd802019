"""One's own second factors: passkeys, an authenticator app, recovery codes."""

import io
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

import segno
from fastapi import Form, Request, Response
from markupsafe import Markup
from pydantic import Field
from pyotp import random_base32
from pyotp.totp import TOTP

from api.pages.dependencies import given_passkey
from api.pages.forms import FormModel, PersonName
from api.pages.office.account import Anybody
from api.pages.page_route import page_router
from api.pages.responses import Refused, go, render, visitor_of
from api.service.admission import ServiceOf
from api.service.problems import Problem
from api.service.state import Service
from infra.access.factors import WrongCode
from infra.access.passkeys import PasskeyRefused
from infra.access.pending_proofs import ProofEnded
from infra.access.sessions import Session

router = page_router()
PATH = "/account/factors"
APP = f"{PATH}/app"
APP_COOKIE = "app"
APP_SECONDS = 600
SECTION = "account"
CRUMBS = (("Your account", "/account"),)
FRESH_MINUTES = 15
NOT_FRESH = f"Sign in again first: factors are changed within {FRESH_MINUTES} minutes of signing in."


def _session(request: Request, *, fresh: bool) -> Session:
    """Return the session of somebody who signed in recently, so that nobody else can change factors on an open page."""
    session = visitor_of(request).session
    if session is None:
        raise Problem("bad_document", "Only somebody who signed in has second factors.")
    if fresh and not _is_fresh(session):
        raise Problem("forbidden", NOT_FRESH)
    return session


def _is_fresh(session: Session) -> bool:
    return (datetime.now(UTC) - session.began_at).total_seconds() < FRESH_MINUTES * 60


@router.get(PATH)
async def show_factors(request: Request, service: ServiceOf, caller: Anybody) -> Response:
    session = visitor_of(request).session
    found = [] if session is None else await service.run(service.factors.of, session.staff_id)
    data = {
        "factors": [
            {
                "number": factor.number,
                "kind": factor.kind,
                "name": factor.name,
                "added_at": factor.added_at.isoformat(),
                "used_at": None if factor.used_at is None else factor.used_at.isoformat(),
            }
            for factor in found
            if factor.kind != "recovery"
        ],
        "recovery_codes": sum(factor.kind == "recovery" for factor in found),
        "fresh": session is not None and _is_fresh(session),
        "must": session is not None and session.lacks_factor,
        "fresh_minutes": FRESH_MINUTES,
    }
    return await render(request, "factors.html", data, title="Second factors", section=SECTION, crumbs=CRUMBS)


class PasskeyForm(FormModel):
    do: Literal["passkey"]
    name: PersonName
    passkey: str


class RemoveForm(FormModel):
    do: Literal["remove"]
    number: int


class CodesForm(FormModel):
    do: Literal["codes"]


FactorsForm = Annotated[
    PasskeyForm | RemoveForm | CodesForm,
    Field(discriminator="do"),
]


@router.post(PATH)
async def change_factors(
    request: Request, service: ServiceOf, caller: Anybody, form: Annotated[FactorsForm, Form()]
) -> Response:
    session = _session(request, fresh=True)
    match form:
        case PasskeyForm():
            return await _add_passkey(request, service, session, form)
        case RemoveForm():
            await service.run(service.factors.end, session.staff_id, form.number)
            return go(request, PATH, "It is removed.")
        case CodesForm():
            return await _show_codes(request, service, session.staff_id)


async def _add_passkey(request: Request, service: Service, session: Session, form: PasskeyForm) -> Response:
    given = given_passkey(service, request, form.passkey)
    try:
        await service.run(service.passkeys.register, session.staff_id, form.name, given)
    except (PasskeyRefused, ProofEnded) as refusal:
        raise Problem("forbidden", str(refusal)) from None
    return await _added(request, service, session.staff_id, f"The passkey {form.name} is added.")


async def _added(request: Request, service: Service, staff_id: str, notice: str) -> Response:
    """Add recovery codes with the first factor."""
    if any(factor.kind == "recovery" for factor in await service.run(service.factors.of, staff_id)):
        return go(request, PATH, notice)
    return await _show_codes(request, service, staff_id)


async def _show_codes(request: Request, service: Service, staff_id: str) -> Response:
    """Show the codes once: only their hashes are stored."""
    codes = await service.run(service.factors.new_recovery_codes, staff_id)
    crumbs = (*CRUMBS, ("Second factors", PATH))
    return await render(
        request, "recovery_codes.html", {"codes": codes}, title="Recovery codes", section=SECTION, crumbs=crumbs
    )


# ---- an authenticator app


class AppForm(FormModel):
    code: str = ""


@router.get(APP)
async def show_app(request: Request, service: ServiceOf, caller: Anybody) -> Response:
    session = _session(request, fresh=True)
    return await _app_page(request, service, session.staff_id, random_base32())


@router.post(APP)
async def add_app(request: Request, service: ServiceOf, caller: Anybody, form: Annotated[AppForm, Form()]) -> Response:
    session = _session(request, fresh=True)
    kept = visitor_of(request).cookies.get(APP_COOKIE)
    try:
        whose, state = await service.run(service.proofs.end, "totp", kept)
    except ProofEnded as ended:
        return go(request, APP, str(ended))
    if whose != session.staff_id:
        raise Problem("forbidden", "Somebody else started to set up that app.")
    try:
        await service.run(service.factors.add_totp, session.staff_id, state["seed"], form.code)
    except WrongCode as wrong:
        request.state.refused = Refused(Problem("bad_choice", str(wrong)), {"code": str(wrong)}, {}, searches=False)
        return await _app_page(request, service, session.staff_id, state["seed"])
    return await _added(request, service, session.staff_id, "The authenticator app is set up.")


async def _app_page(request: Request, service: Service, staff_id: str, seed: str) -> Response:
    """Show the same seed again after a wrong code: the app has it already."""
    kept = await service.run(service.proofs.begin, "totp", staff_id, {"seed": seed})
    issuer = service.property.current.name or "roundledger"
    address = TOTP(seed).provisioning_uri(name=staff_id, issuer_name=issuer)
    seed_words = " ".join(seed[at : at + 4] for at in range(0, len(seed), 4))
    data: dict[str, Any] = {"seed": seed_words, "address": address, "picture": Markup(_picture(address))}
    crumbs = (*CRUMBS, ("Second factors", PATH))
    response = await render(
        request, "authenticator_app.html", data, title="Set up an app", section=SECTION, crumbs=crumbs
    )
    visitor_of(request).cookies.set(response, APP_COOKIE, kept, APP_SECONDS)
    return response


def _picture(address: str) -> str:
    """Return a QR code, black on white in every theme."""
    picture = io.BytesIO()
    segno.make(address, error="m").save(
        picture, kind="svg", xmldecl=False, svgns=False, light="#fff", border=3, scale=5, omitsize=True, nl=False
    )
    return picture.getvalue().decode()

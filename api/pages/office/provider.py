"""Signing in with the property's identity provider, and signing out there."""

from typing import Annotated, Any

from fastapi import Query, Request, Response
from starlette.responses import RedirectResponse

from api.pages.office.account import TOKEN_COOKIE, SignInQuery, Stranger, halfway, local_address, signed_in
from api.pages.page_route import page_router
from api.pages.responses import go, render, visitor_of
from api.service.admission import ServiceOf
from api.service.identity.provider import IdentityProvider, ProviderFailed
from api.service.identity.site import site_of
from api.service.problems import Problem
from api.service.state import Service
from infra.access.pending_proofs import ProofEnded
from infra.access.sessions import SecondFactorNeeded, UnknownPerson

router = page_router()
PATH = "/sign-in/provider"
BACK = f"{PATH}/back"
COOKIE = "provider"
COOKIE_SECONDS = 600
LONGEST_COOKIE = 3_500  # browsers keep no longer ones


def _provider(service: Service) -> IdentityProvider:
    if service.provider is None:
        raise Problem("not_found", "No identity provider is set (ROUNDLEDGER_OIDC_ISSUER).")
    return service.provider


@router.get(PATH)
async def ask_provider(
    request: Request, service: ServiceOf, caller: Stranger, asked: Annotated[SignInQuery, Query()]
) -> Response:
    try:
        address, state = await _provider(service).begin(_back(service, request))
    except ProviderFailed as failure:
        raise Problem("unavailable", str(failure)) from None
    state["next"] = local_address(asked.next)
    kept = await service.run(service.proofs.begin, "provider", None, state)
    cookies, response = visitor_of(request).cookies, RedirectResponse(address, 303)
    cookies.set(response, COOKIE, kept, COOKIE_SECONDS)
    return response


@router.get(BACK)
async def come_back(request: Request, service: ServiceOf, caller: Stranger) -> Response:
    """Handle the return from the provider with a code; people on the staff register get a session."""
    provider, cookies, back = _provider(service), visitor_of(request).cookies, _back(service, request)
    try:
        _, began = await service.run(service.proofs.end, "provider", cookies.get(COOKIE))
        found = await provider.finish(request.query_params, began, back)
    except (ProofEnded, ProviderFailed) as failure:
        raise Problem("forbidden", str(failure)) from None
    twice = service.settings.oidc_second_factor
    try:
        cookie = await service.run(
            service.sessions.sign_in_by_provider, found.staff_id, cookies.address, found.roles, twice
        )
    except UnknownPerson:
        return await _unknown(request, provider, found.staff_id)
    except SecondFactorNeeded as half:
        response = halfway(request, half, began["next"])
    else:
        response = go(request, began["next"])
        await signed_in(service, cookies, response, found.staff_id, cookie)
    if len(found.token) <= LONGEST_COOKIE:
        cookies.set(response, TOKEN_COOKIE, found.token, None)
    cookies.drop(response, COOKIE)
    return response


def _back(service: Service, request: Request) -> str:
    return site_of(service.settings, request).origin + BACK


async def _unknown(request: Request, provider: IdentityProvider, staff_id: str) -> Response:
    data: dict[str, Any] = {"provider": provider.name, "staff_id": staff_id}
    return await render(
        request, "unknown_person.html", data, title="You are not on the staff register", section="sign-in", status=403
    )

"""Access: people who sign in to the pages, tokens for programs, and the record of who looked at what."""

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from fastapi import Depends, Path, Query, Response, Security
from msgspec import to_builtins
from msgspec.structs import asdict

from api.http import dependencies
from api.http.answers import plain, respond
from api.http.dependencies import SecondSigner, SignedCommand, plain_caller
from api.http.problems import problems, stored
from api.http.resource import resource
from api.http.schemas import access as schemas
from api.service import roles
from api.service.admission import SecondPerson, ServiceOf, path_id
from api.service.identity.tokens import make_token
from api.service.problems import Problem
from api.service.settings import secret_of
from api.service.state import Service
from infra.access.callers import Caller
from infra.access.grants import Second
from infra.access.role_matrix import GRANTING
from infra.access.staff import StaffMember
from infra.ledger.access_reviews import SignOff, review_access, shown_access
from infra.ledger.ledger import CommandReceipt
from projections.views.read_side import NotFound

router = resource("access")
Admin = Annotated[Caller, Security(plain_caller, scopes=roles.ADMIN)]
Reading = Annotated[Caller, Security(plain_caller, scopes=roles.STAFF_READING)]
SecondAdmin = Annotated[SecondPerson, Depends(SecondSigner(*GRANTING))]
CHANGES = problems("bad_choice", "too_large", "unsupported_media_type")


@router.get("/people", response_model=schemas.PeopleOut)
async def list_people(service: ServiceOf, caller: Reading) -> Any:
    """People who may sign in to the pages, disabled ones included."""
    return {"people": [_shown(member) for member in await service.run(service.people.everybody)]}


@router.get("/access", response_model=schemas.AccessOut)
async def get_access(
    service: ServiceOf, caller: Annotated[Caller, Security(plain_caller, scopes=roles.ACCESS_READING)]
) -> Any:
    """What every person and machine holds, since when, granted by whom, and when it was last used.

    Tokens are those that have neither expired nor been revoked. `digest` is what a quarterly review signs: it covers
    everything but times of use. `due` says whether the last of `reviews` is older than 92 days, or there is none."""
    return await service.run(shown_access, service.ledger)


@router.post(
    "/access/reviews",
    response_model=schemas.ReviewOut,
    status_code=201,
    responses=stored("The signature.", "conflict", status=201),
)
async def sign_review(
    service: ServiceOf,
    caller: Annotated[Caller, Security(plain_caller, scopes=roles.REVIEWING)],
    body: schemas.ReviewIn,
    writing: SignedCommand,
) -> Response:
    """Sign that you have reviewed what people and machines hold, as `GET /v1/access` showed it under this digest.

    Somebody from accounting or an auditor on the staff register signs, never an admin. `out_of_turn` if anything has
    changed since: look again, and sign that."""
    if writing.actor.dated:
        raise Problem("bad_choice", "A review is signed now: Happened-At is left out.")

    def command(receipt: CommandReceipt) -> SignOff:
        signed = (service.ledger, service.signatures, caller, body.digest, body.remark or "", writing.actor.at_ms)
        return review_access(*signed, receipt)

    return respond(await writing.store(command, plain(to_builtins, 201)))


@router.post("/people", response_model=schemas.PersonOut, status_code=201, responses=CHANGES)
async def add_person(service: ServiceOf, caller: Admin, body: schemas.PersonIn, second: SecondAdmin) -> Any:
    """Let somebody sign in, with one or several parts: a role, or for a terminal `terminal:` and its table.

    Two admins sign, unless it is for terminals only: `second_person` names the other one. The new person must change
    the password before signing anything."""
    member = StaffMember(body.staff_id, body.name, tuple(body.parts), False)
    await service.run(service.grants.add, caller, second.named(body.second_person), member, body.password)
    return _shown(member)


@router.post("/people/{staff}/changes", response_model=schemas.PersonOut, responses=CHANGES)
async def change_person(
    service: ServiceOf,
    caller: Admin,
    staff: Annotated[str, path_id("floor-7", "The person's staff id.")],
    body: schemas.PersonChangeIn,
    second: SecondAdmin,
) -> Any:
    """Change somebody's parts or password, or disable or enable them.

    Two admins sign for an added part, a password, and enabling, unless it is for terminals only; one admin removes
    parts and disables. Sessions end when somebody is disabled, gets a password, or loses the part in use; disabling
    also revokes tokens for good."""
    return _shown(await service.run(_changed, service, caller, second.named(body.second_person), staff, body))


def _shown(member: StaffMember) -> dict[str, Any]:
    return {**asdict(member), "parts": list(member.parts)}


def _changed(
    service: Service, caller: Caller, second: Second | None, staff_id: str, body: schemas.PersonChangeIn
) -> StaffMember:
    if service.people.find(staff_id) is None:
        raise NotFound(f"There is nobody with the id {staff_id}.")
    changed = body.model_dump(exclude_unset=True, exclude={"second_person"})
    return service.grants.change(caller, second, staff_id, **changed)


@router.post(
    "/tokens",
    response_model=schemas.TokenOut,
    status_code=201,
    responses={**CHANGES, **problems("out_of_turn", "bad_choice")},
)
async def create_token(
    response: Response, service: ServiceOf, caller: Admin, body: schemas.TokenIn, second: SecondAdmin
) -> Any:
    """Create a token for somebody on the staff register, or for a machine. It is shown only once.

    Two admins sign, unless it is a terminal's: `second_person` names the other one. A machine signs nothing."""
    if (body.role == "terminal") != (body.table is not None):
        raise Problem("bad_choice", "A terminal's token names its table, and nobody else's does.")
    key = secret_of(service.settings.token_key)
    if key is None:
        raise Problem("out_of_turn", "This service has no key of its own to sign tokens with.")
    token, token_id = make_token(key, service.settings, body.by, body.role, body.table, body.days)
    part = body.role if body.table is None else f"{body.role}:{body.table}"
    machine = await service.run(
        service.grants.make_token, caller, second.named(body.second_person), body.by, part, token_id, body.days
    )
    response.headers["Cache-Control"] = "no-store"
    return {
        **{"token": token, "id": token_id, "by": body.by, "role": body.role, "table": body.table, "machine": machine},
        "expires_at": (datetime.now(UTC) + timedelta(days=body.days)).isoformat(timespec="seconds"),
    }


@router.post("/tokens/{token_id}/revocation", response_model=schemas.RevokedOut, responses=CHANGES)
async def revoke_token(
    service: ServiceOf,
    caller: Admin,
    token_id: Annotated[
        str, Path(pattern="^[A-Za-z0-9_.-]{1,100}$", description="Its id (jti).", examples=["6f1c2f0e8a55"])
    ],
    body: schemas.RevocationIn,
) -> Any:
    """Revoke a token by its id, for good."""
    await service.run(service.access.revoke, token_id, caller.by, body.reason)
    return {"id": token_id, "revoked": True}


@router.get("/reads", response_model=schemas.ReadsOut)
async def list_reads(
    service: ServiceOf,
    caller: Annotated[Caller, Security(dependencies.caller, scopes=roles.STAFF_READING)],
    after: Annotated[int, Query(ge=0, le=10**11, description="The number of the last one that was seen.")] = 0,
    limit: Annotated[int, Query(ge=1, le=1000, description="How many at most.")] = 100,
) -> Any:
    """Who looked at which hand, and who exported what, in order."""
    return {"reads": await service.run(service.looks.after, after, limit)}

"""The dealer's screen: one table, its session and its round, and what may come next; the script does the rest.

The script requests the page's JSON twin after every action (projections.views.floor.dealer_screen)."""

from typing import Annotated, Any

import msgspec
from fastapi import Depends, Form, Query, Request, Response, Security
from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from api.pages.dependencies import SecondSigner, form_writing, plain_caller, proof_of, table_caller
from api.pages.forms import FormModel, PageQuery
from api.pages.page_route import page_router
from api.pages.responses import go, render
from api.service import roles
from api.service.admission import About, SecondPerson, ServiceOf, TableId, check_tables
from api.service.fields import Id
from api.service.idempotency import Answer, check_key_is_new, round_answer
from api.service.problems import MEDIA_TYPE
from api.service.state import Service
from domain.round.actions import TakeBack
from domain.round.take_backs import LONGEST_REASON
from infra.access.callers import Caller
from infra.access.signatures import Authentication
from infra.ledger.feed import SHOWN
from infra.ledger.ledger import CommandReceipt, Ledger, StoredRound, UnknownRound
from projections.views.blindness import check_sight
from projections.views.floor.dealer_screen import SUPERVISOR, dealer_screen_for
from projections.views.floor.floor_views import floor_now
from projections.views.read_side import NotFound, ReadSide

router = page_router()
PATH = "/dealer"
SECTION = "dealer"
AtTable = Annotated[Caller, Security(table_caller, scopes=roles.PLAYING)]


class TableQuery(PageQuery):
    table: Id | None = None


@router.get(PATH)
async def choose_table(
    request: Request,
    service: ServiceOf,
    caller: Annotated[Caller, Security(plain_caller, scopes=roles.PLAYING)],
    asked: Annotated[TableQuery, Query()],
) -> Response:
    """Show the tables. A terminal has its own table; the floor chooses one."""
    wanted = caller.table or asked.table
    if wanted is not None:
        return go(request, f"{PATH}/{wanted}")
    data = {"tables": await service.run(_tables, service.read_side, caller)}
    return await render(request, "dealer_tables.html", data, title="Deal at a table", section=SECTION)


def _tables(read_side: ReadSide, caller: Caller) -> list[dict[str, str]]:
    check_sight(read_side, caller, None)
    return [_table(one) for one in floor_now(read_side)["tables"]]


def _table(table: dict[str, Any]) -> dict[str, str]:
    playing = table["round"] is not None and table["round"]["status"] == "open"
    state = "closed" if not table["open"] else "in play" if playing else "open"
    return {"table": table["table"], "ruleset": table["ruleset"], "state": state}


# ---- one table


@router.get(f"{PATH}/{{table}}")
async def show_table(request: Request, service: ServiceOf, caller: AtTable, table: TableId) -> Response:
    caller.check_table(table)
    crumbs = () if caller.table else (("Dealer", PATH),)
    data = {
        **await service.run(dealer_screen_for, service.read_side, caller, table),
        "may": {"waive": caller.may(roles.FLOOR), "dispute": caller.may(roles.FLOOR)},
        "hears": sorted(SHOWN) if caller.may(roles.LISTENING) else [],
    }
    return await render(request, "dealer.html", data, title=f"Table {table}", section=SECTION, crumbs=crumbs)


# ---- an action that needs two people


_ACTIONS: msgspec.json.Decoder[list[dict[str, Any]]] = msgspec.json.Decoder(
    Annotated[list[dict[str, Any]], msgspec.Meta(min_length=1, max_length=500)]
)


def _read_actions(text: Any) -> list[dict[str, Any]]:
    try:
        return _ACTIONS.decode(text)
    except (TypeError, msgspec.DecodeError):
        raise PydanticCustomError("refused", "is no list of actions") from None


class SignedActionForm(FormModel):
    """A floor supervisor and a second person sign for what was tapped. The visitor may be the supervisor."""

    round: Id
    version: Annotated[int, Field(ge=1, le=999_999_999)]
    actions: Annotated[Any, BeforeValidator(_read_actions)]  # one field, not one for each of them
    second_person: Id
    supervisor: str = ""


@router.post(f"{PATH}/{{table}}")
async def act_signed(
    request: Request,
    service: ServiceOf,
    caller: AtTable,
    table: TableId,
    form: Annotated[SignedActionForm, Form()],
    second: Annotated[SecondPerson, Depends(SecondSigner(*roles.APPEALS))],
) -> Response:
    """Carry out actions signed by two people, after too many contradictions of hidden cards."""
    caller.check_table(table)
    await service.run(_check_round, service.ledger, table, form.round)
    proof = await proof_of(service, request, "supervisor")
    supervisor = await service.run(_supervisor, service, caller, form.supervisor, proof)
    await check_tables(request, supervisor, About(lambda *_: (table,)))  # the signer sees no more than otherwise
    writing = await form_writing(request, supervisor)
    sent = form.model_dump(include={"round", "version", "actions", "second_person"})
    once = msgspec.structs.replace(writing.once, parts=(*writing.once.parts[:2], msgspec.json.encode(sent)))

    def command(receipt: CommandReceipt) -> StoredRound:
        signed = second.signed(form.second_person, supervisor)
        return service.play.act(
            *(supervisor, form.round, form.actions, writing.actor, form.version, receipt, signed),
            lambda: check_key_is_new(service.ledger, once),
        )

    return _answered(await service.once(once, command, round_answer))


class TakeBackForm(FormModel):
    """The last entry was a mistake. `second_person` is the floor supervisor who confirms it, if required."""

    round: Id
    version: Annotated[int, Field(ge=1, le=999_999_999)]
    reason: Annotated[str, Field(min_length=1, max_length=LONGEST_REASON)]
    second_person: str = ""


@router.post(f"{PATH}/{{table}}/take-back")
async def take_back(
    request: Request,
    service: ServiceOf,
    caller: AtTable,
    table: TableId,
    form: Annotated[TakeBackForm, Form()],
    second: Annotated[SecondPerson, Depends(SecondSigner(*roles.FLOOR))],
) -> Response:
    """Take back the last entry, with the confirmer's authentication; both names are recorded."""
    caller.check_table(table)
    await service.run(_check_round, service.ledger, table, form.round)
    writing = await form_writing(request, caller)

    def command(receipt: CommandReceipt) -> StoredRound:
        confirmed = second.confirmed(form.second_person) if form.second_person else None
        mistake = TakeBack(form.reason, confirmed)
        return service.play.take_back(caller, form.round, mistake, writing.actor, form.version, receipt)

    return _answered(await writing.store(command, round_answer))


def _answered(answer: Answer) -> Response:
    headers = {} if answer.version is None else {"ETag": f'"{answer.version}"'}
    return Response(answer.body, answer.status, headers, "application/json" if answer.status < 400 else MEDIA_TYPE)


def _check_round(ledger: Ledger, table: str, round_id: str) -> None:
    """Refuse rounds of other tables."""
    try:
        found = ledger.load(round_id).round.opened.table
    except UnknownRound:
        found = None
    if found != table:
        raise NotFound(f"Table {table} has no such round.")


def _supervisor(service: Service, caller: Caller, named: str, given: Authentication | None) -> Caller:
    """Return the visitor, if from the floor; otherwise the person who authenticates here."""
    if caller.may([SUPERVISOR]):
        return caller
    found = service.signatures.authenticated(named, given, [SUPERVISOR])
    return Caller(found.staff_id, SUPERVISOR, counts="counter" in found.parts, request_id=caller.request_id)

"""The dealer's screen: one table, its session and its round, and what may come next; the script does the rest.

The page's twin is what the script asks for after every action. It shows a round as any role may see it: face-down cards
are null in the picture, and `down` says how many of the cards that each entry of `expects` deals will be face down.
"""

from functools import lru_cache
from typing import Annotated, Any
from weakref import WeakKeyDictionary

import msgspec
from fastapi import Depends, Form, Query, Request, Response, Security
from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from api.pages.dependencies import SecondByPassword, form_writing, plain_caller, second_person, table_caller
from api.pages.forms import FormModel, PageQuery, Password
from api.pages.page_route import page_router
from api.pages.responses import go, render, visitor_of
from api.service import roles
from api.service.admission import ServiceOf, TableId, check_tables
from api.service.fields import Id, Number
from api.service.idempotency import check_key_is_new, round_answer, round_shown
from api.service.problems import MEDIA_TYPE
from api.service.state import Service
from domain.floor.table_sessions import TableSession
from domain.money import money
from domain.round.dealing import face_down
from domain.round.hidden_cards import MOST_CONTRADICTIONS
from domain.round.payments import Compared, compared
from domain.round.state import Round
from domain.rules import rulesets
from domain.rules.ruleset import RuleSet, Tier
from domain.rules.terms import Terms
from domain.view.table_view import table_view
from infra.access.callers import OPEN, Caller, Forbidden
from infra.access.sessions import SignInRefused
from infra.ledger.feed import SHOWN
from infra.ledger.floor import Floor
from infra.ledger.ledger import CommandReceipt, Ledger, StoredRound, UnknownRound
from projections.views.blindness import check_sight
from projections.views.books import Books, NotFound
from projections.views.floor_views import floor_now
from projections.views.session_views import session_shown

router = page_router()
PATH = "/dealer"
SECTION = "dealer"
SUPERVISOR = "floor"
LOOKS_REMEMBERED = 10_000

Look = tuple[str, str, int]  # who saw which round at which version
_LOOKS: WeakKeyDictionary[Service, dict[Look, None]] = WeakKeyDictionary()
AtTable = Annotated[Caller, Security(table_caller, scopes=roles.PLAYING)]


class TableAsked(PageQuery):
    table: Id | None = None


@router.get(PATH)
async def choose_table(
    request: Request,
    service: ServiceOf,
    caller: Annotated[Caller, Security(plain_caller, scopes=roles.PLAYING)],
    asked: Annotated[TableAsked, Query()],
) -> Response:
    """A terminal has its own table; the floor chooses one."""
    wanted = caller.table or asked.table
    if wanted is not None:
        return go(request, f"{PATH}/{wanted}")
    data = {"tables": await service.run(_tables, service.books, caller)}
    return await render(request, "dealer_tables.html", data, title="Deal at a table", section=SECTION)


def _tables(books: Books, caller: Caller) -> list[dict[str, str]]:
    check_sight(books, caller, None)
    return [_table(one) for one in floor_now(books)["tables"]]


def _table(table: dict[str, Any]) -> dict[str, str]:
    playing = table["round"] is not None and table["round"]["status"] == "open"
    state = "closed" if not table["open"] else "in play" if playing else "open"
    return {"table": table["table"], "ruleset": table["ruleset"], "state": state}


# ---- one table


class ScreenAsked(PageQuery):
    round: Id | None = None


@router.get(f"{PATH}/{{table}}")
async def show_table(
    request: Request, service: ServiceOf, caller: AtTable, table: TableId, asked: Annotated[ScreenAsked, Query()]
) -> Response:
    caller.check_table(table)
    crumbs = () if caller.table else (("Dealer", PATH),)
    data = await service.run(_state, service, caller, table, asked.round)
    return await render(request, "dealer.html", data, title=f"Table {table}", section=SECTION, crumbs=crumbs)


def _state(service: Service, caller: Caller, table: str, round_id: str | None) -> dict[str, Any]:
    session = Floor(service.ledger).latest_session(table)
    stored = _round(service.ledger, table, session, round_id)
    shown: dict[str, Any] = {
        "table": table,
        "session": None if session is None else session_shown(session),
        "rules": None if session is None else _rules(session.rules, session.terms),
        "rulesets": _rulesets(rulesets.ids()) if session is None or session.closed else [],
        "round": None,
        "picture": None,
        "down": None,
        "reported": [],
        "signatures": None,
        "may": {"waive": caller.may(roles.FLOOR), "dispute": caller.may(roles.FLOOR)},
        "hears": sorted(SHOWN) if caller.may(roles.LISTENING) else [],
    }
    if stored is not None:
        _record_look(service, caller, stored)
        answer = round_shown(stored)
        down = [_face_down(stored.public, entry) for entry in answer["expects"]]
        reported = [_reported(one) for one in compared(stored.public)]
        shown |= {"round": answer, "picture": table_view(stored.public), "down": down, "reported": reported}
        if stored.round.status == "open" and stored.round.contradictions >= MOST_CONTRADICTIONS:
            shown["signatures"] = _signatures(caller)
    return shown


def _round(ledger: Ledger, table: str, session: TableSession | None, round_id: str | None) -> StoredRound | None:
    """The one that is being played; else the one that the screen has just played, so that it can show how it ended."""
    if session is not None and session.playing is not None:
        round_id = session.playing.round
    if round_id is None:
        return None
    try:
        stored = ledger.load(round_id)
    except UnknownRound:
        return None
    return stored if stored.round.opened.table == table else None


def _record_look(service: Service, caller: Caller, stored: StoredRound) -> None:
    """A person's looks are recorded, each state of a round once: their screen asks again every other second."""
    look = caller.by, stored.id, stored.version
    looks = _LOOKS.setdefault(service, {})
    if look in looks:
        return
    service.books.record_look(caller, "dealer's screen", stored.id)
    looks[look] = None
    if len(looks) > LOOKS_REMEMBERED:
        del looks[next(iter(looks))]


def _face_down(round_: Round, entry: dict[str, Any]) -> int:
    return face_down(round_, entry["to"], entry["count"]) if entry["do"] == "deal" else 0


def _reported(one: Compared) -> dict[str, Any]:
    """What the dealer reports to have paid on a wager, and how far that is from what the rules say."""
    said = one.reported
    wager = {"seat": said.seat, "bettor": said.bettor, "hand": said.hand, "spot": said.spot}
    return {
        **wager,
        "paid": money(said.paid),
        "collected": money(said.collected),
        "difference": money(one.difference),
    }


# ---- an action that one person alone may no longer post


def _read_action(text: Any) -> Any:
    try:
        return msgspec.json.decode(text)
    except (TypeError, msgspec.DecodeError):
        raise PydanticCustomError("refused", "is no action") from None


class SignedActionForm(FormModel):
    """A floor supervisor and a second person sign for one action. Whoever is signed in may be the supervisor."""

    round: Id
    version: Annotated[Number, Field(ge=1, le=999_999_999)]
    action: Annotated[dict[str, Any], BeforeValidator(_read_action)]
    second_person: Id
    supervisor: str = ""
    supervisor_password: Password = ""


def _signatures(caller: Caller) -> list[str]:
    """The fields by which two people sign for an action. Whoever is signed in as floor supervisor is the first."""
    if caller.role == OPEN:
        return ["second_person"]
    second = ["second_person", "second_password"]
    return second if caller.role == SUPERVISOR else ["supervisor", "supervisor_password", *second]


@router.post(f"{PATH}/{{table}}")
async def act_signed(
    request: Request,
    service: ServiceOf,
    caller: AtTable,
    table: TableId,
    form: Annotated[SignedActionForm, Form()],
    second: Annotated[SecondByPassword, Depends(second_person(*roles.APPEALS))],
) -> Response:
    """After too many contradictions of hidden cards."""
    caller.check_table(table)
    await service.run(_check_round, service.ledger, table, form.round)
    supervisor = await service.run(_supervisor, service, caller, form, visitor_of(request).cookies.address)
    await check_tables(service, supervisor, lambda: (table,))  # whoever signs gets no more to see than otherwise
    writing = await form_writing(request, supervisor)

    def command(receipt: CommandReceipt) -> StoredRound:
        signed = second.signed(form.second_person, supervisor)
        return service.play.act(
            *(supervisor, form.round, [form.action], writing.actor, form.version, receipt, signed),
            lambda: check_key_is_new(service.ledger, writing.once),
        )

    answer = await service.once(writing.once, command, round_answer)
    headers = {} if answer.version is None else {"ETag": f'"{answer.version}"'}
    return Response(answer.body, answer.status, headers, "application/json" if answer.status < 400 else MEDIA_TYPE)


def _check_round(ledger: Ledger, table: str, round_id: str) -> None:
    """A screen signs for rounds of its own table only."""
    try:
        found = ledger.load(round_id).round.opened.table
    except UnknownRound:
        found = None
    if found != table:
        raise NotFound(f"Table {table} has no such round.")


def _supervisor(service: Service, caller: Caller, form: SignedActionForm, address: str) -> Caller:
    """Whoever is signed in, if from the floor; else the one who gives their password here."""
    if caller.may([SUPERVISOR]):
        return caller
    try:
        found = service.sessions.prove(form.supervisor, form.supervisor_password, address)
    except SignInRefused as refusal:
        raise Forbidden(f"A floor supervisor has to sign: {refusal}") from None
    if SUPERVISOR not in found.parts:
        raise Forbidden(f"{found.staff_id} is no floor supervisor.")
    return Caller(found.staff_id, SUPERVISOR, counts="counter" in found.parts, request_id=caller.request_id)


# ---- what a table can be opened with, and what it was opened with


def _rules(rules: RuleSet, terms: Terms) -> dict[str, Any]:
    """What the screen has to know of the session's terms to offer chips and cards."""
    return {
        "id": rules.id,
        "title": rules.title,
        "seats": rules.seats,
        "player_banked": rules.player_banked,
        "kinds": list(rules.kinds),
        "chip": money(terms.chip),
        "decks": terms.decks,
        "spots": [_spot(name, terms) for name in rules.spots],
    }


def _spot(name: str, terms: Terms) -> dict[str, Any]:
    """`wager` is the only amount there is, for a progressive."""
    fixed = terms.progressive.wager if name == "progressive" and terms.progressive is not None else None
    return {
        "name": name,
        "limits": _limits(terms.limits.get("ante" if name == "blind" else name)),
        "wager": None if fixed is None else money(fixed),
    }


@lru_cache
def _rulesets(ids: tuple[str, ...]) -> list[dict[str, Any]]:
    return [_choices(rulesets.load(ruleset)) for ruleset in ids]


def _choices(rules: RuleSet) -> dict[str, Any]:
    return {
        "id": rules.id,
        "title": rules.title,
        "seats": rules.seats,
        "player_banked": rules.player_banked,
        "trips": list(rules.tables_for("trips")),
        "usual_trips": rules.usual_trips,
        "schedules": [
            {
                "option": schedule.option,
                "limits": _limits(schedule.limits),
                "tiers": [_tier(tier) for tier in schedule.tiers],
            }
            for schedule in rules.schedules.values()
        ],
        "supplied_schedule": rules.supplied_schedule,
        "dealings": list(rules.dealings),
        "usual_dealing": rules.usual_dealing,
        "decks": list(rules.decks),
        "usual_decks": rules.usual_decks,
        "base": rules.base_spot,  # whose limits come from the schedule
        "spots": [{"name": spot.name, "limits": _limits(spot.limits)} for spot in rules.spots.values()],
        "progressives": list(rules.progressives),
    }


def _tier(tier: Tier) -> list[str | None]:
    return [None if tier.up_to is None else money(tier.up_to), money(tier.fee)]


def _limits(limits: tuple[int, int] | None) -> list[str] | None:
    return None if limits is None else [money(bound) for bound in limits]

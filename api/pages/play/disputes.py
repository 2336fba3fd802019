"""Disputes: what is waiting, taking a claim, and one file with its evidence, what-ifs, ruling, appeal and closing."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, get_args
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Form, Query, Request, Response, Security

from api.pages import dependencies
from api.pages.dependencies import Command, SecondSigner, dispute_caller
from api.pages.forms import PageQuery, TypedId, on_the_clock, texts
from api.pages.office.holds import hold_on
from api.pages.page_route import page_router
from api.pages.play.dispute_forms import (
    ENTRY_ROWS,
    NOTICES,
    AppealRulingForm,
    Choice,
    ClaimForm,
    DisputeForm,
    Question,
    Ruled,
    WhatIfForm,
    carry_out,
    wager_name,
)
from api.pages.rendering.addresses import address
from api.pages.rendering.templates import shown_money
from api.pages.responses import Refused, attached, go, render, wants_json
from api.service import roles
from api.service.admission import DisputeId, SecondPerson, ServiceOf
from api.service.fields import Cursor, OneOf
from api.service.idempotency import Answer
from api.service.problems import EXCEPTIONS, problem_of
from domain.cards import DECK
from domain.disputes.disputes import DAYS_TO_APPEAL, DAYS_TO_RULE, Outcome, Part, dispute_name
from domain.disputes.whatif import STREETS
from infra.access.callers import Caller
from infra.ledger.disputes.dispute_changes import change_dispute
from infra.ledger.disputes.disputes import Disputes, StoredDispute
from infra.ledger.ledger import CommandReceipt
from projections.reports.irregularity_reports import KINDS, STATUSES
from projections.reports.report import Filters
from projections.views.dispute_views import (
    accounts_for,
    dispute_for,
    dossier_for,
    hand_for,
    list_disputes,
    what_if_for,
)
from projections.views.paging import read_cursor
from projections.views.read_side import ReadSide
from projections.views.report_views import report_rows
from projections.views.rounds.round_views import round_for, round_shown

router = page_router()
files = APIRouter(include_in_schema=False)
PATH = "/disputes"
SECTION = "disputes"
CRUMBS = (("Disputes", PATH),)
GROUPS = (("dealer", "By dealer"), ("table", "By table"), ("kind", "By kind of error"))
ROWS_SHOWN = 100  # per page of the list
BETTING = {"bet": "bets", "withdraw": "takes back"}  # in words
Reading = Annotated[Caller, Security(dispute_caller, scopes=roles.READING)]
FloorOpens = Annotated[Caller, Security(dependencies.caller, scopes=roles.FLOOR)]


# ---- the list


class DisputesQuery(PageQuery):
    status: Annotated[str, OneOf(STATUSES)] | None = None
    table: TypedId | None = None
    dealer: TypedId | None = None
    kind: Annotated[str, OneOf(KINDS)] | None = None
    bettor: TypedId | None = None
    round: TypedId | None = None
    cursor: Cursor | None = None


@router.get(PATH)
async def show_disputes(
    request: Request,
    service: ServiceOf,
    caller: Annotated[Caller, Security(dependencies.caller, scopes=roles.READING)],
    asked: Annotated[DisputesQuery, Query()],
) -> Response:
    found, groups = await service.run(_listed, service.read_side, caller, asked)
    narrowed = texts(asked, "cursor")
    data = {
        "disputes": found["disputes"],
        "asked": narrowed,
        "counts": found["counts"],
        "older": found["cursor"] and address(PATH, narrowed, cursor=found["cursor"]),
        "newest": asked.cursor and f"{PATH}?{urlencode(narrowed)}",
        "groups": groups,
        "choices": {"statuses": list(STATUSES), "kinds": list(KINDS)},
        "may_open": caller.may(roles.FLOOR),
    }
    return await render(request, "disputes.html", data, title="Disputes", section=SECTION)


def _listed(read_side: ReadSide, caller: Caller, asked: DisputesQuery) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    filters, after = Filters(**asked.model_dump(exclude={"cursor"})), read_cursor(asked.cursor)
    found = list_disputes(read_side, caller, filters, after, ROWS_SHOWN, urlencode(texts(asked)))
    groups = [
        {"name": name, "title": title, "rows": report_rows(read_side, caller, f"disputes-by-{name}", Filters(), "")}
        for name, title in GROUPS
    ]
    return found, groups


# ---- a claim


class ClaimQuery(PageQuery):
    """A replay leads here with the round and the wager."""

    round: str | None = None
    seat: str | None = None
    spot: str | None = None


@router.get(f"{PATH}/new")
async def show_claim(
    request: Request, service: ServiceOf, caller: FloorOpens, asked: Annotated[ClaimQuery, Query()]
) -> Response:
    refused: Refused | None = getattr(request.state, "refused", None)
    round_id = asked.round or (refused.sent.get("round", "") if refused else "")
    wagers: list[dict[str, Any]] = []
    status = None
    if round_id:
        try:
            found = round_shown(await service.run(round_for, service.read_side, caller, round_id))
        except EXCEPTIONS as error:  # most often a mistyped id: it is asked for again
            _refuse(request, error)
        else:
            status, wagers = found["status"], _wagers_of(found)
    data = {
        "round": round_id,
        "round_status": status,
        "wagers": wagers,
        "chosen": _chosen(asked, wagers),
        "kinds": list(KINDS),
        "days": DAYS_TO_RULE,
    }
    return await render(request, "dispute_new.html", data, title="Open a dispute", section=SECTION, crumbs=CRUMBS)


def _refuse(request: Request, error: Exception) -> None:
    """Show the page with the reason, and with what is known."""
    if wants_json(request):
        raise error
    if getattr(request.state, "refused", None) is None:
        request.state.refused = Refused(problem_of(error), {}, dict(request.query_params), searches=False)


def _wagers_of(found: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what can be disputed, as choices of a form; wagers of a voided round have no lines and are typed."""
    return [
        {
            "value": wager_name(line),
            "words": f"{_wager_words(line)} {shown_money(line['wager'])}: {line['outcome'].replace('_', ' ')}",
        }
        for line in found["lines"]
    ]


def _wager_words(line: Mapping[str, Any]) -> str:
    hand = f", hand {line['hand']}" if line["hand"] > 1 else ""
    return f"seat {line['seat']}, {line['bettor']}, {line['spot'].replace('_', ' ')}{hand}"


def _chosen(asked: ClaimQuery, wagers: Sequence[Mapping[str, Any]]) -> str:
    if asked.seat is None:
        return ""
    for wager in wagers:
        value = str(wager["value"])
        if value.startswith(f"{asked.seat}/") and (asked.spot is None or f"/{asked.spot}/" in value):
            return value
    return ""


@router.post(f"{PATH}/new")
async def open_dispute(
    request: Request, service: ServiceOf, caller: FloorOpens, form: Annotated[ClaimForm, Form()], writing: Command
) -> Response:
    form, actor = await on_the_clock(service, form), writing.actor
    claim = form.stated(actor.at_ms)
    made = await writing.store(
        lambda receipt: Disputes(service.ledger, receipt).open(form.round, claim, actor),
        lambda filed: Answer(201, b"null", address=f"{PATH}/{filed.dispute.id}"),
    )
    return go(request, made.address or PATH, "The dispute is open, and what is stored of the round is frozen.")


# ---- one file


class FileQuery(Question, PageQuery):
    """A what-if."""


@router.get(f"{PATH}/{{dispute}}")
async def show_dispute(
    request: Request,
    service: ServiceOf,
    caller: Reading,
    dispute: DisputeId,
    asked: Annotated[FileQuery, Query()],
) -> Response:
    file, _ = await service.run(dispute_for, service.read_side, caller, dispute)
    supposed = None
    try:
        supposed = await service.run(_supposed, service.read_side, caller, file, asked)
    except EXCEPTIONS as error:
        _refuse(request, error)
    data = {
        "file": file,
        "hand": await service.run(hand_for, service.read_side, file),
        "supposed": supposed,
        "question": asked.asked(),
        "cards": _cards(file["facts"]),
        "decisions": bets_and_decisions(file["facts"]),
        "wagers": [(wager_name(line), _wager_words(line)) for line in file["lines"]],
        "parties": [party for party in (file["bettor"], file["player_dealer"], "house") if party is not None],
        "why_not": file["involved"].get(caller.by),
        "may": {
            "add": caller.may(roles.FLOOR),
            "rule": caller.may(roles.FLOOR),
            "rule_appeal": caller.may(roles.APPEALS),
            "ask": file["round_status"] == "settled",
            "hold": caller.may(roles.HOLDING),
        },
        "choices": {
            "parts": get_args(Part),
            "outcomes": get_args(Outcome),
            "accounts": await service.run(accounts_for, service.read_side),
            "deck": DECK,
            "choices": get_args(Choice),
            "rows": list(ENTRY_ROWS),
        },
        "days_to_appeal": DAYS_TO_APPEAL,
        "hold": await hold_on(service, caller, "dispute", dispute),
    }
    return await render(request, "dispute.html", data, title=dispute_name(dispute), section=SECTION, crumbs=CRUMBS)


def _supposed(read_side: ReadSide, caller: Caller, file: Mapping[str, Any], asked: Question) -> dict[str, Any] | None:
    """Return the answer to the what-if in the address; nothing is stored."""
    supposed = asked.supposed(file["facts"])
    return None if supposed is None else what_if_for(read_side, caller, file["round"], *supposed)


def _cards(facts: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return every card that was dealt, by place, with its value if it was turned over."""
    turned: dict[tuple[Any, int], str] = {}
    for fact in facts:
        if fact["do"] == "reveal":
            place, start = ("board", STREETS[fact["of"]]) if fact["of"] in STREETS else (fact["of"], 0)
            turned |= {(place, start + at): card for at, card in enumerate(fact["cards"], start=1)}
    numbers: dict[tuple[Any, int], int] = {}
    cards = []
    for fact in facts:
        if fact["do"] != "deal" or fact["to"] == "burn":
            continue
        place, hand = fact["to"], fact.get("hand", 1)
        for card in fact["cards"]:
            number = numbers[place, hand] = numbers.get((place, hand), 0) + 1
            seen = card or (turned.get((place, number)) if hand == 1 else None)
            where = f"{place}{f'.{hand}' if hand > 1 else ''}"
            words = f"seat {place}{f', hand {hand},' if hand > 1 else ''}" if isinstance(place, int) else place
            cards.append({"value": f"{where}:{number}", "words": f"{words} card {number}", "card": seen})
    return cards


def bets_and_decisions(facts: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Return bets and decisions by number, in words."""
    found = []
    for number, fact in enumerate(facts):
        who = f"seat {fact.get('seat')}{', ' + fact['bettor'] if 'bettor' in fact else ''}"
        if fact["do"] == "decide":
            times = f" {fact['times']}x" if "times" in fact else ""
            found.append((str(number), f"{who}: {fact['choice']}{times}"))
        elif fact["do"] in BETTING:
            what = f"{BETTING[fact['do']]} {fact['spot'].replace('_', ' ')} {shown_money(fact['amount'])}"
            found.append((str(number), f"{who} {what}"))
    return found


@router.post(f"{PATH}/{{dispute}}")
async def change_file(
    request: Request,
    service: ServiceOf,
    caller: Annotated[Caller, Security(dispute_caller, scopes=roles.APPEALS)],
    dispute: DisputeId,
    form: Annotated[DisputeForm, Form()],
    writing: Command,
    second: Annotated[SecondPerson, Depends(SecondSigner(*roles.APPEALS))],
) -> Response:
    """Change a file. Accounting rules on appeals, and does nothing else here."""
    if not isinstance(form, AppealRulingForm):
        caller.check_role(roles.FLOOR)
    if isinstance(form, Ruled):
        await service.run(service.signatures.check_person, caller)
    form = await on_the_clock(service, form)
    facts: Sequence[Mapping[str, Any]] = ()
    if isinstance(form, WhatIfForm):
        file, _ = await service.run(dispute_for, service.read_side, caller, dispute)
        facts = file["facts"]

    def command(receipt: CommandReceipt) -> StoredDispute:
        return change_dispute(
            *(service.ledger, dispute, form.version, receipt),
            lambda file: carry_out(file, dispute, form, facts, writing.actor, second.signed),
        )

    await writing.store(command)
    return go(request, f"{PATH}/{dispute}", NOTICES[form.do])


@files.get(f"{PATH}/{{dispute}}/dossier")
async def dossier(service: ServiceOf, caller: Reading, dispute: DisputeId) -> Response:
    body = await service.run(dossier_for, service.read_side, caller, dispute)
    return attached(body, "application/pdf", f"dispute-{dispute}.pdf")

"""The dealer's screen: one table, its session and its round, and what may come next; the script does the rest.

The page's twin is what the script asks for after every action. It shows a round as any role may see it: cards that lie
face down are null in the picture, and `down` says how many of the cards that each entry of `expects` deals will lie so.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from starlette.responses import RedirectResponse, Response

from api.service.blindness import no_table, table_in_path
from api.service.operations import ID
from api.service.problems import Problem
from api.service.tables import session_answer
from api.service.telling import round_answer
from api.web.page import Page, View
from api.web.visit import Visit
from domain import rulesets
from domain.money import money
from domain.payments import Compared, compared
from domain.picture import picture_of
from domain.ruleset import RuleSet, Tier
from domain.showing import face_down_next
from domain.tables import TableSession
from domain.terms import Terms
from infra.feed import SHOWN
from infra.floor import Floor
from infra.ledger import Stored, UnknownRound

if TYPE_CHECKING:
    from api.service.app import Service

DEALING = frozenset({"terminal", "floor"})
LOOKS_REMEMBERED = 10_000

Look = tuple[str, str, int]  # who saw which round at which version
_LOOKS: WeakKeyDictionary[Service, dict[Look, None]] = WeakKeyDictionary()


async def choose(visit: Visit) -> View | Response:
    """A terminal has its own table; the floor chooses one."""
    wanted = visit.person.table or visit.query("table")
    if wanted is None:
        tables = (await visit.ask("listTables"))["tables"]
        return View({"tables": [_shown(one) for one in tables]})
    if not ID.fullmatch(wanted):
        raise Problem("bad_document", "A table's id has small letters, digits and hyphens, at most 40.")
    return RedirectResponse(f"/dealer/{wanted}", 303)


def _shown(table: dict[str, Any]) -> dict[str, str]:
    playing = table["round"] is not None and table["round"]["status"] == "open"
    state = "closed" if not table["open"] else "in play" if playing else "open"
    return {"table": table["table"], "ruleset": table["ruleset"], "state": state}


async def show(visit: Visit) -> View:
    table = visit.id("table")
    visit.person.check_table(table)
    crumbs = () if visit.person.table else (("Dealer", "/dealer"),)
    return View(await visit.in_thread(_state, visit, table), title=f"Table {table}", crumbs=crumbs)


def _state(visit: Visit, table: str) -> dict[str, Any]:
    session = Floor(visit.service.ledger).latest_session(table)
    stored = _round(visit, table, session)
    shown: dict[str, Any] = {
        "table": table,
        "session": None if session is None else session_answer(session),
        "rules": None if session is None else _rules(session.rules, session.terms),
        "rulesets": _rulesets() if session is None or session.closed else [],
        "round": None,
        "picture": None,
        "down": None,
        "reported": [],
        "may": {"waive": visit.may("waiveFee"), "dispute": visit.may("openDispute")},
        "hears": sorted(SHOWN) if visit.may("tableFeed") else [],
    }
    if stored is not None:
        _record_look(visit, stored)
        answer = round_answer(stored)
        down = [face_down_next(stored.public, entry) for entry in answer["expects"]]
        reported = [_reported(one) for one in compared(stored.public)]
        shown |= {"round": answer, "picture": picture_of(stored.public), "down": down, "reported": reported}
    return shown


def _reported(one: Compared) -> dict[str, Any]:
    """What the dealer said he paid on a wager, and how far that is from what the rules say."""
    said = one.reported
    wager = {"seat": said.seat, "bettor": said.bettor, "hand": said.hand, "spot": said.spot}
    return {
        **wager,
        "paid": money(said.paid),
        "collected": money(said.collected),
        "difference": money(one.difference),
    }


def _round(visit: Visit, table: str, session: TableSession | None) -> Stored | None:
    """The one that is being played; else the one that the screen has just played, so that it can show how it ended."""
    round_id = visit.query("round")
    if session is not None and session.playing is not None:
        round_id = session.playing.round
    if round_id is None or not ID.fullmatch(round_id):
        return None
    try:
        stored = visit.service.ledger.load(round_id)
    except UnknownRound:
        return None
    return stored if stored.round.opened.table == table else None


def _record_look(visit: Visit, stored: Stored) -> None:
    """A person's looks are recorded, each state of a round once: his screen asks again every other second."""
    person, service = visit.person, visit.service
    if person.role in ("terminal", "open"):
        return
    look = person.by, stored.id, stored.version
    looks = _LOOKS.setdefault(service, {})
    if look in looks:
        return
    service.access.record_read(person.by, person.role, "dealer's screen", stored.id, visit.request.scope["request_id"])
    looks[look] = None
    if len(looks) > LOOKS_REMEMBERED:
        del looks[next(iter(looks))]


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
def _rulesets() -> list[dict[str, Any]]:
    return [_choices(rulesets.load(ruleset)) for ruleset in rulesets.ids()]


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
        "base": "ante" if "ante" in rules.spots else "game",  # whose limits come from the schedule
        "spots": [{"name": spot.name, "limits": _limits(spot.limits)} for spot in rules.spots.values()],
        "progressives": list(rules.progressives),
    }


def _tier(tier: Tier) -> list[str | None]:
    return [None if tier.up_to is None else money(tier.up_to), money(tier.fee)]


def _limits(limits: tuple[int, int] | None) -> list[str] | None:
    return None if limits is None else [money(bound) for bound in limits]


PAGES = (
    Page("/dealer", "dealer", "Deal at a table", "dealer_tables.html", choose, DEALING, nav="Dealer", about=no_table),
    Page(
        "/dealer/{table}", "dealer table", "Table", "dealer.html", show, DEALING, section="dealer", about=table_in_path
    ),
)

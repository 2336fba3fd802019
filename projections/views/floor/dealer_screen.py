"""The state of the dealer's screen: the table, its round as any role may see it, and what is certain to come.

Face-down cards are null in the picture, and neither the facts nor the forecast names a card."""

from __future__ import annotations

import time
from typing import Any

from domain.cards import SEALED
from domain.errors import Refusal
from domain.floor.table_sessions import TableSession
from domain.money import money
from domain.regulation.round_facts import (
    DeckSeen,
    HandsHeld,
    MisdealNoticed,
    RoundFact,
    SupervisorCalled,
    progressive_wins,
)
from domain.round.actions import CloseBets
from domain.round.dealing import clockwise
from domain.round.decide import decide
from domain.round.events import RoundOpened
from domain.round.floor_annotations import Compared, compared, due_by_wager
from domain.round.hidden_cards import MOST_CONTRADICTIONS
from domain.round.replay import fact_documents
from domain.round.state import Round
from domain.round.take_backs import offered
from domain.round.wagers import wager_key
from domain.rules.ruleset import RuleSet, Tier
from domain.rules.terms import Terms
from domain.view.forecast import document, forecast
from domain.view.table_view import table_view
from infra.access.callers import OPEN, Caller
from infra.ledger.floor import Floor
from infra.ledger.ledger import Ledger, StoredRound
from projections.views.floor.session_views import session_shown
from projections.views.read_side import ReadSide
from projections.views.rounds.round_views import round_shown

SUPERVISOR = "floor"


def dealer_screen_for(read_side: ReadSide, caller: Caller, table: str) -> dict[str, Any]:
    session = Floor(read_side.ledger).latest_session(table)
    shown: dict[str, Any] = {
        "table": table,
        "session": None if session is None else session_shown(session),
        "rules": None if session is None else _rules(session.rules, session.terms),
        "rulesets": _rulesets(read_side.ledger) if session is None or session.closed else [],
        "bank": None if session is None else _next_bank(session),
        "round": None,
        "picture": None,
        "facts": [],
        "sealed": [],
        "ahead": None,
        "closing": None,
        "before": None,
        "unpaid": [],
        "reported": [],
        "back": None,
        "stated": None,
        "passwords": caller.role != OPEN,  # two people sign with their own
        "signatures": None,
    }
    if session is None:
        return shown
    playing = session.playing
    own = (
        session.ended[-1:] if session.rounds > (playing is not None) else ()
    )  # the last finished one, if of this session
    round_id = playing.round if playing is not None else own[0] if own else None
    if round_id is not None:
        stored = read_side.ledger.load(round_id)
        _record_look(read_side, caller, stored)
        shown |= _round(caller, stored)
        shown["stated"] = _stated(stored.public, read_side.ledger.facts_of(round_id))
        if playing is not None and own:
            shown["before"] = _before(read_side.ledger.load(own[0]), stored.round.opened)
    shown["unpaid"] = _unpaid_rounds(read_side, [one for one in session.ended if one != round_id])
    return shown


def _unpaid_rounds(read_side: ReadSide, rounds: list[str]) -> list[dict[str, Any]]:
    """Return rounds of which not all wagers are reported as paid, newest first; from the record, so that restarts do
    not matter."""
    found = []
    for round_id in reversed([one for one in rounds if not read_side.paid_rounds.find(one)]):
        if wagers := _unpaid(read_side.ledger.load(round_id).public):
            found.append({"id": round_id, "wagers": wagers})
        else:
            read_side.paid_rounds.keep(round_id, True)
    return found


def _round(caller: Caller, stored: StoredRound) -> dict[str, Any]:
    round_ = stored.public
    opened = round_.opened
    signed = round_.status == "open" and stored.round.contradictions >= MOST_CONTRADICTIONS
    return {
        "round": round_shown(stored),
        "picture": table_view(round_),
        "facts": _facts(stored),
        "sealed": [place for place, cards in round_.hands.items() if SEALED in cards],
        "ahead": document(forecast(round_.rules, round_.terms, opened.bank_seat)),
        "closing": _closing(round_),
        "reported": [_reported(one) for one in compared(round_)],
        "back": offered(round_),
        "signatures": signatures(caller) if signed else None,
    }


def _stated(round_: Round, facts: list[RoundFact]) -> dict[str, Any]:
    """Return what people said about the round outside its events, and what is still to be said."""
    return {
        "due": round_.opened.deck,
        "deck": next((fact.colour for fact in facts if isinstance(fact, DeckSeen)), None),
        "jackpots": sorted({line.seat for line in progressive_wins(round_.lines)}),
        "minutes": round_.rules.supervisor_minutes,
        "supervisors": [fact.supervisor for fact in facts if isinstance(fact, SupervisorCalled)],
        "held": sorted({seat for fact in facts if isinstance(fact, HandsHeld) for seat in fact.seats}),
        "misdeals": [_misdeal(fact) for fact in facts if isinstance(fact, MisdealNoticed)],
    }


def _misdeal(noticed: MisdealNoticed) -> dict[str, Any]:
    return {name: getattr(noticed, name) for name in ("place", "expected", "found", "outcome")}


def _facts(stored: StoredRound) -> list[dict[str, Any]]:
    """Return what was done so far, without the cards."""
    facts = fact_documents(stored.events())
    return [{name: value for name, value in fact.items() if name != "cards"} for fact in facts]


def _closing(round_: Round) -> dict[str, Any] | None:
    """Return why the bets cannot be closed as they are: shown as a wager is entered, decided when bets are closed."""
    if round_.status != "open" or round_.seats is not None or not round_.layout:
        return None
    try:
        decide(round_, CloseBets())
    except Refusal as refusal:
        return {"code": refusal.code, "detail": refusal.detail, "clause": refusal.clause}
    return None


def _before(stored: StoredRound, now: RoundOpened) -> dict[str, Any]:
    """Return the previous round's wagers and players, so that they can be repeated; not those of who banks now."""
    round_ = stored.public
    facts = [fact for fact in _facts(stored) if fact["do"] in ("bet", "withdraw")]
    bets = [fact for fact in facts if fact["seat"] != now.bank_seat and fact.get("bettor", "") != now.bank_bettor]
    seated = {str(seat): round_.seated[seat] for seat in round_.layout if seat != now.bank_seat}
    return {"id": stored.id, "facts": bets, "seated": seated}


def _unpaid(round_: Round) -> list[dict[str, Any]]:
    """Return the wagers of a settled round that nobody has reported as paid."""
    reported = {wager_key(payment) for payment in round_.payments}
    due = {key: one for key, one in due_by_wager(round_.lines).items() if key not in reported}
    return [{**key._asdict(), "paid": money(one.paid), "collected": money(one.collected)} for key, one in due.items()]


def _next_bank(session: TableSession) -> dict[str, Any] | None:
    """Return who would bank the next round if nobody declines: the last player-dealer, or the next one clockwise."""
    run = session.run
    if run is None or session.closed or not session.seats:
        return None
    again = session.seats.get(run.seat) == run.bettor and run.rounds < session.rules.rotation_rounds
    return {"seat": run.seat if again else clockwise(session.seats, run.seat)[0]}


def _record_look(read_side: ReadSide, caller: Caller, stored: StoredRound) -> None:
    """Record a person's looks, each state of a round once: their screen polls every other second."""
    look = caller.by, stored.id, stored.version
    if not read_side.screen_looks.find(look):
        read_side.record_look(caller, "dealer's screen", stored.id)
        read_side.screen_looks.keep(look, True)


def _reported(one: Compared) -> dict[str, Any]:
    """Return what the dealer reports to have paid on a wager, and its difference from the rules."""
    said = one.reported
    wager = {"seat": said.seat, "bettor": said.bettor, "hand": said.hand, "spot": said.spot}
    return {
        **wager,
        "paid": money(said.paid),
        "collected": money(said.collected),
        "difference": money(one.difference),
    }


def signatures(caller: Caller) -> list[str]:
    """Return the fields by which two people sign for an action. A visitor who is a floor supervisor is the first."""
    if caller.role == OPEN:
        return ["second_person"]
    second = ["second_person", "second_password"]
    return second if caller.role == SUPERVISOR else ["supervisor", "supervisor_password", *second]


# ---- what a table can be opened with, and what it was opened with


def _rules(rules: RuleSet, terms: Terms) -> dict[str, Any]:
    """Return what the screen needs of the session's terms to offer chips and cards."""
    return {
        "id": rules.id,
        "title": rules.title,
        "seats": rules.seats,
        "player_banked": rules.player_banked,
        "kinds": list(rules.kinds),
        "base": rules.base_spot,
        "chip": money(terms.chip),
        "decks": terms.decks,
        "spots": [_spot(name, rules, terms) for name in rules.spots],
    }


def _spot(name: str, rules: RuleSet, terms: Terms) -> dict[str, Any]:
    """`wager` is the only possible amount, for a progressive; `follows` the wager that this one equals."""
    fixed = terms.progressive.wager if name == "progressive" and terms.progressive is not None else None
    return {
        "name": name,
        "follows": rules.base_spot if name in rules.game.base_spots and name != rules.base_spot else None,
        "limits": _limits(terms.limits.get("ante" if name == "blind" else name)),
        "tip_minimum": name in rules.toke_minimum_on,
        "wager": None if fixed is None else money(fixed),
    }


def _rulesets(ledger: Ledger) -> list[dict[str, Any]]:
    """Return what a table can be opened with today."""
    return [_choices(rules) for rules in ledger.rulebook.available(time.time_ns() // 1_000_000)]


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

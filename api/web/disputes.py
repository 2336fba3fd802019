"""Disputes: what is waiting, a claim taken, and one file with its evidence, what-ifs, ruling, appeal and end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from starlette.responses import Response

from api.service.blindness import table_of_dispute
from api.service.disputes import FLOOR, READING
from api.service.problems import Problem
from api.web import irregular
from api.web.amounts import read_amount, read_time
from api.web.page import Page, View
from api.web.rendering import shown_money
from api.web.visit import Visit
from domain.cards import DECK
from domain.disputes import DAYS_TO_APPEAL, DAYS_TO_RULE, called
from domain.supposing import STREETS
from projections.irregular import KINDS, STATUSES

FILTERS = ("status", "table", "dealer", "kind", "bettor", "round")
GROUPS = (("dealer", "By dealer"), ("table", "By table"), ("kind", "By kind of error"))
PARTS = ("patron", "player-dealer", "dealer", "floor", "surveillance", "witness")
OUTCOMES = ("upheld", "partly upheld", "denied")
ACCOUNTS = ("player-dealer", "house", "tray", "cage")
ROWS_SHOWN = 100  # a page of the list has
ENTRY_ROWS = 4
QUESTION = ("place", "card", "fact", "choice", "times", "amount")  # the fields of a what-if
BETTING = {"bet": "bets", "withdraw": "takes back"}  # the facts that an amount may be supposed of, in words
CHOICES = ("check", "raise", "fold", "play", "hit", "stand", "double", "split", "surrender", "insure")


# ---- the list


async def show_list(visit: Visit) -> View:
    asked = {name: value for name in FILTERS if (value := visit.query(name)) is not None}
    cursor = visit.query("cursor")
    found = await visit.ask("listDisputes", query={**asked, "cursor": cursor, "limit": str(ROWS_SHOWN)})
    older = {**asked, "cursor": found["cursor"]}
    data = {
        "disputes": found["disputes"],
        "asked": asked,
        "counts": found["counts"],
        "older": None if found["cursor"] is None else f"/disputes?{urlencode(older)}",
        "newest": None if cursor is None else f"/disputes?{urlencode(asked)}",
        "groups": [
            {
                "name": name,
                "title": title,
                "rows": await visit.ask("getReport", {"name": f"disputes-by-{name}"}),
            }
            for name, title in GROUPS
        ],
        "choices": {"statuses": list(STATUSES), "kinds": list(KINDS)},
        "may_open": visit.may("openDispute"),
    }
    return View(data)


# ---- a claim


async def show_new(visit: Visit) -> View:
    round_id = visit.query("round") or visit.field("round")
    wagers: list[dict[str, Any]] = []
    status = None
    if round_id:
        try:
            found = await visit.ask("getRound", {"round": round_id})
        except Problem as problem:  # most often a slip in the id: it is asked for again
            visit.problem = visit.problem or problem
        else:
            status = found["status"]
            wagers = _wagers_of(found)
    data = {
        "round": round_id,
        "round_status": status,
        "wagers": wagers,
        "chosen": _chosen(visit, wagers),
        "kinds": list(KINDS),
        "days": DAYS_TO_RULE,
    }
    return View(data, crumbs=(("Disputes", "/disputes"),), status=visit.problem.status if visit.problem else 200)


def _wagers_of(found: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What can be disputed, as the choices of a form; a voided round's wagers have no lines and are named by hand."""
    return [
        {
            "value": _named(line),
            "words": f"{_wager_words(line)} {shown_money(line['wager'])}: {line['outcome'].replace('_', ' ')}",
        }
        for line in found["lines"]
    ]


def _wager_words(line: Mapping[str, Any]) -> str:
    hand = f", hand {line['hand']}" if line["hand"] > 1 else ""
    return f"seat {line['seat']}, {line['bettor']}, {line['spot'].replace('_', ' ')}{hand}"


def _named(line: Mapping[str, Any]) -> str:
    return f"{line['seat']}/{line['hand']}/{line['spot']}/{line['bettor']}"


def _is_number(text: str) -> bool:
    """Of a seat, a hand, a card, a fact: never a long one."""
    return text.isascii() and text.isdecimal() and len(text) <= 4


def _wager(text: str) -> dict[str, Any]:
    """The wager that a form chose, as operations name it."""
    seat, _, rest = text.partition("/")
    hand, _, rest = rest.partition("/")
    spot, _, bettor = rest.partition("/")
    if not (_is_number(seat) and _is_number(hand) and spot):
        raise Problem("bad_document", "Choose the wager that it is about.")
    named = {"seat": int(seat), "hand": int(hand), "spot": spot}
    return {**named, "bettor": bettor} if bettor else named


def _chosen(visit: Visit, wagers: Sequence[Mapping[str, Any]]) -> str:
    """A replay leads here with the seat and the spot."""
    wanted = f"{visit.query('seat') or ''}/"
    spot = visit.query("spot")
    for wager in wagers:
        seat_and_rest = str(wager["value"])
        if seat_and_rest.startswith(wanted) and (spot is None or f"/{spot}/" in seat_and_rest):
            return seat_and_rest if visit.query("seat") else ""
    return ""


async def open_dispute(visit: Visit) -> Response:
    wager = visit.field("wager") or f"{visit.field('seat')}/{visit.field('hand') or '1'}/{visit.field('spot')}/"
    body: dict[str, Any] = {
        "round": visit.field("round"),
        **_wager(wager),
        "kind": visit.field("kind"),
        "claimed": read_amount(visit.field("claimed"), "The amount claimed"),
        "claim": visit.field("claim"),
    }
    if visit.field("deadline"):
        body["deadline"] = read_time(visit, visit.field("deadline"), "deadline")
    made = await visit.ask("openDispute", body=body)
    return visit.go(f"/disputes/{made['dispute']}", "The dispute is open, and what is stored of the round is frozen.")


# ---- one file


async def show_one(visit: Visit) -> View:
    name = visit.id("dispute")
    file = await visit.ask("getDispute", {"dispute": name})
    me = visit.person.by
    data = {
        "file": file,
        "supposed": await _supposed(visit, file),
        "question": {name: value for name in QUESTION if (value := visit.query(name))},
        "cards": _cards(file["facts"]),
        "decisions": bets_and_decisions(file["facts"]),
        "wagers": [(_named(line), _wager_words(line)) for line in file["lines"]],
        "parties": [party for party in (file["bettor"], file["player_dealer"], "house") if party is not None],
        "why_not": file["involved"].get(me),
        "may": {
            "add": visit.may("giveStatement"),
            "rule": visit.may("ruleDispute"),
            "rule_appeal": visit.may("ruleAppeal"),
            "ask": file["round_status"] == "settled",
        },
        "choices": {
            "parts": PARTS,
            "outcomes": OUTCOMES,
            "accounts": ACCOUNTS,
            "deck": DECK,
            "choices": CHOICES,
            "rows": list(range(1, ENTRY_ROWS + 1)),
        },
        "days_to_appeal": DAYS_TO_APPEAL,
    }
    return View(data, title=called(name), crumbs=(("Disputes", "/disputes"),))


def _cards(facts: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Every card that was dealt, by where it lay, with what it was where it was turned over."""
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
    """Bets and decisions by their number, in words."""
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


def _question(visit: Visit, facts: Sequence[Mapping[str, Any]], read: Any) -> dict[str, Any] | None:
    """What an address or a form supposes: a card by its place, or a bet or decision by its number."""
    place, card = read("place"), read("card")
    if place and card:
        where, _, number = place.partition(":")
        of, _, hand = where.partition(".")
        if not _is_number(number):
            raise Problem("bad_document", "Choose the card that is supposed to have been another.")
        supposed = {"of": int(of) if _is_number(of) else of, "number": int(number), "card": card}
        return {"cards": [{**supposed, "hand": int(hand)} if _is_number(hand) else supposed]}
    number = read("fact")
    if not number:
        if any(read(name) for name in QUESTION):
            raise Problem("bad_document", "Choose both: a card and what it was, or a bet or decision and what it was.")
        return None
    if not _is_number(number) or int(number) >= len(facts):
        raise Problem("bad_document", "Choose the bet or decision that is supposed to have been another.")
    fact = dict(facts[int(number)])
    if fact["do"] in BETTING and read("amount"):
        fact["amount"] = read_amount(read("amount"), "The amount")
    elif fact["do"] == "decide" and read("choice"):
        fact = {name: value for name, value in fact.items() if name not in ("times", "amount")}
        fact["choice"] = read("choice")
        if fact["choice"] == "raise" and (times := read("times")):
            fact["times"] = int(times) if _is_number(times) else times
        if fact["choice"] in ("insure", "double") and read("amount"):
            fact["amount"] = read_amount(read("amount"), "The amount")
    else:
        raise Problem("bad_document", "Say what it is supposed to have been: another choice, or another amount.")
    return {"facts": {number: fact}}


async def _supposed(visit: Visit, file: Mapping[str, Any]) -> dict[str, Any] | None:
    """The answer to what the address asks; nothing is stored."""
    try:
        question = _question(visit, file["facts"], lambda name: visit.query(name) or "")
        if question is None:
            return None
        answer: dict[str, Any] | None = await visit.ask("whatIf", {"round": file["round"]}, body=question)
    except Problem as problem:
        visit.problem = visit.problem or problem
        return None
    return answer


# ---- what its forms do


async def submit(visit: Visit) -> Response:
    name = visit.id("dispute")
    do = _FORMS.get(visit.field("do"))
    if do is None:
        raise Problem("bad_document", "That is no form of this page.")
    operation, read, words = do
    version = visit.field("version")
    body = await read(visit)
    if_match = int(version) if version.isdecimal() and len(version) < 9 else None
    await visit.ask(operation, {"dispute": name}, body=body, if_match=if_match)
    return visit.go(f"/disputes/{name}", words)


async def _statement(visit: Visit) -> dict[str, Any]:
    return {"who": visit.field("who"), "part": visit.field("part"), "text": visit.field("statement")}


async def _reference(visit: Visit) -> dict[str, Any]:
    moments = {name: read_time(visit, visit.field(field), name) for name, field in (("from", "since"), ("to", "until"))}
    text = {"text": visit.field("shows")} if visit.field("shows") else {}
    return {"camera": visit.field("camera"), **moments, **text}


async def _note(visit: Visit) -> dict[str, Any]:
    return {"text": visit.field("note")}


async def _deadline(visit: Visit) -> dict[str, Any]:
    return {"deadline": read_time(visit, visit.field("deadline"), "deadline"), "reason": visit.field("deadline_reason")}


async def _what_if(visit: Visit) -> dict[str, Any]:
    file = await visit.ask("getDispute", {"dispute": visit.id("dispute")})
    question = _question(visit, file["facts"], visit.field)
    if question is None:
        raise Problem("bad_document", "Say which card or fact is supposed to have been another.")
    return {**question, **({"text": visit.field("question")} if visit.field("question") else {})}


async def _ruling(visit: Visit) -> dict[str, Any]:
    body: dict[str, Any] = {"outcome": visit.field("outcome"), "reason": visit.field("reason")}
    if entries := _entries(visit):
        body["entries"] = entries
    if visit.field("second_person"):
        body["second_person"] = visit.field("second_person")
    if visit.field("appeal_until"):
        body["appeal_until"] = read_time(visit, visit.field("appeal_until"), "appeal_until")
    return body


def _entries(visit: Visit) -> list[dict[str, Any]]:
    """The rows in which an amount was filled in."""
    entries = []
    for row in range(1, ENTRY_ROWS + 1):
        amount = visit.field(f"amount_{row}")
        if amount:
            wager = _wager(visit.field(f"wager_{row}"))
            text = read_amount(amount, f"The amount of entry {row}", signed=True)
            entries.append({**wager, "amount": text, "account": visit.field(f"account_{row}")})
    return entries


async def _appeal(visit: Visit) -> dict[str, Any]:
    return {"appellant": visit.field("appellant"), "grounds": visit.field("grounds")}


async def _closing(visit: Visit) -> dict[str, Any]:
    return {"how": visit.field("how"), "reason": visit.field("closing_reason")}


_FORMS = {
    "statement": ("giveStatement", _statement, "The statement is in the file."),
    "reference": ("referToSurveillance", _reference, "The reference is in the file."),
    "note": ("noteDispute", _note, "The note is in the file."),
    "deadline": ("moveDeadline", _deadline, "The deadline is moved."),
    "what-if": ("fileWhatIf", _what_if, "The question is in the file."),
    "ruling": ("ruleDispute", _ruling, "The ruling is stored."),
    "appeal": ("appealRuling", _appeal, "The appeal is in the file."),
    "appeal-ruling": ("ruleAppeal", _ruling, "The ruling on the appeal is stored."),
    "closing": ("closeDispute", _closing, "The dispute is closed."),
}


async def dossier(visit: Visit) -> Response:
    return await visit.fetch("getDossier", {"dispute": visit.id("dispute")})


PAGES = (
    Page("/disputes", "disputes", "Disputes", "disputes.html", show_list, READING, nav="Disputes"),
    Page(
        "/disputes/new",
        "new dispute",
        "Open a dispute",
        "dispute_new.html",
        show_new,
        FLOOR,
        section="disputes",
        submit=open_dispute,
    ),
    Page(
        "/disputes/{dispute}",
        "dispute",
        "Dispute",
        "dispute.html",
        show_one,
        READING,
        section="disputes",
        submit=submit,
        about=table_of_dispute,
    ),
    Page(
        "/disputes/{dispute}/dossier",
        "dossier",
        "Dossier",
        "dispute.html",
        dossier,
        READING,
        section="disputes",
        about=table_of_dispute,
    ),
    *irregular.PAGES,
)

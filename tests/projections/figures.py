"""The reports' figures worked out a second time, from round documents and their results alone: no event, no table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

Pair = tuple[dict[str, Any], dict[str, Any]]  # a document and its result
ZERO = Decimal("0.00")


def banker(document: dict[str, Any]) -> str | None:
    bank = document.get("player_dealer")
    if bank is None:
        return None
    seat = str(bank["seat"])
    return str(bank.get("bettor") or document.get("players", {}).get(seat) or f"seat-{seat}")


def wagers_left(document: dict[str, Any]) -> set[tuple[int, str]]:
    """Seat and bettor of those who had something left on a spot when bets were closed."""
    left: dict[tuple[int, str, str], Decimal] = defaultdict(Decimal)
    for action in document["actions"]:
        if action["do"] not in ("bet", "withdraw"):
            continue
        seat = action["seat"]
        bettor = action.get("bettor") or document.get("players", {}).get(str(seat)) or f"seat-{seat}"
        wager = (seat, bettor, action["spot"])
        if action["do"] == "bet":
            left[wager] += Decimal(action["amount"])
        else:
            left[wager] -= Decimal(action["amount"]) if "amount" in action else left[wager]
    return {(seat, bettor) for (seat, bettor, _), amount in left.items() if amount}


def seats_with_wagers(document: dict[str, Any]) -> set[int]:
    return {seat for seat, _ in wagers_left(document)}


def bettors(document: dict[str, Any]) -> set[str]:
    """Who took part: with a wager of their own, or as the player-dealer."""
    bank = banker(document)
    return {bettor for _, bettor in wagers_left(document)} | ({bank} if bank is not None else set())


def bankroll(pairs: Iterable[Pair]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = defaultdict(
        lambda: {"kind": "patron", "rounds": 0, "wagered": ZERO, "won": ZERO, "lost": ZERO, "fees": ZERO}
    )
    for document, result in pairs:
        bank = banker(document)
        if result["fee"] is not None and bank is not None:
            found[bank]["fees"] += Decimal(result["fee"]["amount"])
        if result["status"] != "settled":
            continue
        there = {line["bettor"] for line in result["lines"]} | ({bank} if bank else set())
        for bettor in there:
            found[bettor]["rounds"] += 1
        for line in result["lines"]:
            of = found[line["bettor"]]
            of["wagered"] += Decimal(line["wager"])
            of["won"] += Decimal(line["paid"])
            of["lost"] += Decimal(line["collected"])
            if bank is not None:
                found[bank]["won"] += Decimal(line["collected"])
                found[bank]["lost"] += Decimal(line["paid"])
        for action in document["actions"]:
            if action.get("kind") == "toke":
                found[action["bettor"]]["kind"] = "toke"
    return {
        bettor: {
            **{k: str(v) if isinstance(v, Decimal) else v for k, v in of.items()},
            "net": str(of["won"] - of["lost"]),
        }
        for bettor, of in found.items()
    }


def exposure(pairs: Iterable[Pair]) -> dict[str, dict[str, Any]]:
    found = {}
    for document, result in pairs:
        if result["exposure"] is None:
            continue
        bank = result["bank"]
        found[result["round"]] = {
            "table": document["table"],
            "player_dealer": banker(document),
            "wager": bank["wager"],
            "action": result["exposure"]["action"],
            "liability": result["exposure"]["liability"],
            "paid": bank["paid"],
            "collected": bank["collected"],
            "net": bank["net"],
            "shortfall": str(sum((Decimal(line["shortfall"]) for line in result["lines"]), ZERO)),
        }
    return found


def fees_by_tier(pairs: Iterable[Pair], bounds: Any) -> dict[tuple[str, Any, int], tuple[int, Decimal, Decimal]]:
    """(rounds, action, fees) by table, schedule and tier; `bounds(document)` are the upper bounds of its schedule."""
    found: dict[tuple[str, Any, int], tuple[int, Decimal, Decimal]] = {}
    for document, result in pairs:
        fee = result["fee"]
        if fee is None:
            continue
        action = Decimal(fee["action"])
        tier = 1 + next(at for at, bound in enumerate(bounds(document)) if bound is None or action <= bound)
        key = (document["table"], fee["schedule"], tier)
        rounds, actions, fees = found.get(key, (0, ZERO, ZERO))
        found[key] = (rounds + 1, actions + action, fees + Decimal(fee["amount"]))
    return found


def fees_by_table(pairs: Iterable[Pair]) -> dict[str, Decimal]:
    found: dict[str, Decimal] = defaultdict(lambda: ZERO)
    for document, result in pairs:
        if result["fee"] is not None:
            found[document["table"]] += Decimal(result["fee"]["amount"])
    return dict(found)

"""Drop boxes: which there are, one of them walked back to its rounds, blind counts, signing off, and swapping boxes."""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal
from typing import Any

from starlette.responses import Response

from api.service import blindness
from api.service.blindness import no_table
from api.service.count_room import IN_COUNT_ROOM, STATUSES
from api.service.problems import Problem
from api.web.amounts import read_number
from api.web.asked import address, asked_for, exports
from api.web.page import Page, View
from api.web.visit import Visit
from projections.boxes_search import boxes_on_tables, boxes_waiting

PATH = "/drop"
FORMATS = ("csv", "xlsx", "pdf", "json")
# Chips and notes that are found in boxes; others can be named beside them.
DENOMINATIONS = ("500.00", "100.00", "50.00", "25.00", "20.00", "10.00", "5.00", "1.00", "0.50")
MOST_PIECES = 1_000_000
BOXES_OF_A_PAGE = 40
MOST_TABLES = 500
LOOKED_AT = 100  # rounds of each kind beside a variance
STATES = {
    "": "All",
    "installed": "On their tables",
    "removed": "To be counted",
    "counted": "Counted",
    "variance": "With a variance",
    "reconciled": "Signed off",
}


# ---- the list


async def show_boxes(visit: Visit) -> View:
    asked = await asked_for(visit, "status", "table", "gaming_day", "shift", "cursor")
    if asked.get("status", "") not in STATES:
        raise Problem("bad_document", f"The status is one of {', '.join(STATUSES)}.")
    found = await visit.ask("listBoxes", query={**asked, "limit": str(BOXES_OF_A_PAGE)})
    reader = await visit.in_thread(blindness.reader, visit)
    figures = reader.books or reader.open
    narrowed = {name: value for name, value in asked.items() if name != "cursor"}
    states = [state for state in STATES if figures or state != "variance"]
    waiting = await visit.in_thread(boxes_waiting, visit.service.ledger.events.recorder.database)
    if not figures:  # whether a count was right is nobody's to know who counts
        waiting = {state: boxes for state, boxes in waiting.items() if state == "removed"}
    return View(
        {
            **found,
            "asked": narrowed,
            "figures": figures,
            "states": [
                {
                    "words": STATES[state],
                    "status": state,
                    "waiting": waiting.get(state, 0),
                    "address": address(PATH, narrowed, status=state or None),
                }
                for state in states
            ],
            "shift_names": visit.service.site.clock.shifts(),
            "older": found["cursor"] and address(PATH, narrowed, cursor=found["cursor"]),
            "may_count": visit.may("countBox"),
            "may_swap": visit.may("swapBox"),
            "exports": exports("drops", FORMATS, {name: narrowed[name] for name in narrowed if name != "status"})
            if visit.may("getReport") and figures
            else [],
        }
    )


# ---- one box


async def show_box(visit: Visit) -> View:
    name = visit.id("box")
    history = await visit.ask("getBoxHistory", {"box": name})
    slips = None
    reader = await visit.in_thread(blindness.reader, visit)
    if history["expected"] is not None and (reader.books or reader.open):
        slips = await visit.ask("getReport", {"name": "slips"}, query={"box": name})
    walked = None if slips is None else await _walked(visit, history, slips)
    counted_by = [moment["by"] for moment in history["moments"] if moment["what"] == "counted"]
    waits = history["status"] in ("counted", "variance")
    return View(
        {
            "box": history,
            "worths": _worths(history),
            "walked": walked,
            "may_count": visit.may("countBox") and history["status"] == "removed" and visit.person.by not in counted_by,
            "has_counted": visit.person.by in counted_by,
            "may_sign": visit.may("reconcileBox") and waits and visit.person.by not in counted_by,
            "needs_explanation": _over(history),
            "exports": exports("slips", FORMATS, {"box": name}) if slips is not None else [],
        },
        title=f"Box {name}",
        crumbs=(("Drop", PATH),),
    )


def _worths(history: dict[str, Any]) -> list[str]:
    """Every denomination that somebody counted and that the visitor may see, the largest first."""
    seen = {worth for moment in history["moments"] for worth in moment["pieces"] or ()}
    return sorted(seen, key=Decimal, reverse=True)


def _over(history: dict[str, Any]) -> bool:
    return history["variance"] is not None and abs(Decimal(history["variance"])) > Decimal(history["tolerance"])


async def _walked(visit: Visit, history: dict[str, Any], slips: list[dict[str, Any]]) -> dict[str, Any]:
    """The rounds behind the expected figure: those that do not match first, then by tier, then where else to look."""
    tiers: dict[tuple[Any, Any, Any], list[dict[str, Any]]] = defaultdict(list)
    for slip in slips:
        tiers[str(slip["schedule"]), slip["tier"], slip["fee"]].append(slip)
    short = history["variance"]
    amount = None if short is None or Decimal(short) == 0 else f"{abs(Decimal(short)):.2f}"
    return {
        "slips": slips,
        "unmatched": [slip for slip in slips if not slip["matched"]],
        "waived": [slip for slip in slips if slip["waived"] is not None],
        "amount": amount,
        "as_much": [slip for slip in slips if amount is not None and slip["fee"] == amount],
        "tiers": [
            {
                "schedule": schedule,
                "tier": tier,
                "fee": fee,
                "rounds": len(of),
                "dropped": _sum(of, "dropped"),
                "taken": _sum(of, "fee"),
                "unmatched": sum(not slip["matched"] for slip in of),
                # so many fees of this tier are as much as is missing or over
                "times": _times(amount, fee),
            }
            for (schedule, tier, fee), of in sorted(tiers.items(), key=lambda entry: repr(entry[0]))
        ],
        "odd": await _odd(visit, history) if amount is not None else [],
    }


def _times(amount: str | None, fee: str | None) -> int | None:
    if amount is None or fee is None or not Decimal(fee) or Decimal(amount) % Decimal(fee):
        return None
    return int(Decimal(amount) / Decimal(fee))


def _sum(slips: list[dict[str, Any]], column: str) -> str:
    return f"{sum((Decimal(slip[column]) for slip in slips if slip[column] is not None), Decimal(0)):.2f}"


async def _odd(visit: Visit, history: dict[str, Any]) -> list[dict[str, Any]]:
    """Rounds of that table, while the box was on it, that did not go as usual."""
    at = {moment["what"]: moment["at"] for moment in history["moments"] if moment["what"] in ("installed", "removed")}
    where = {"table": history["table"], "from": at.get("installed"), "to": at.get("removed"), "limit": str(LOOKED_AT)}
    found: dict[str, dict[str, Any]] = {}
    for what in ("voided", "corrected", "noted"):
        page = await visit.ask("findRounds", query={**where, what: "true"})
        for row in page["rounds"]:
            of = found.setdefault(row["round"], {"round": row["round"], "opened_at": row["opened_at"], "why": []})
            of.update(fee=row["fee"], status=row["status"])
            of["why"].append(what)
    return sorted(found.values(), key=lambda row: (row["opened_at"], row["round"]))


async def sign_off(visit: Visit) -> Response:
    name = visit.id("box")
    explanation = visit.field("explanation")
    body = {"explanation": explanation} if explanation else {}
    await visit.ask("reconcileBox", {"box": name}, body=body)
    return visit.go(f"{PATH}/{name}", f"Box {name} is signed off.")


# ---- counting


async def show_count(visit: Visit) -> View:
    name = visit.id("box")
    history = await visit.ask("getBoxHistory", {"box": name})
    own = [moment for moment in history["moments"] if moment["what"] == "counted" and moment["by"] == visit.person.by]
    removed = next((moment for moment in history["moments"] if moment["what"] == "removed"), None)
    return View(
        {
            "box": {"box": name, "table": history["table"], "status": history["status"], "counts": history["counts"]},
            "seal": removed and removed["seal"],
            "own": own[0] if own else None,
            "denominations": list(DENOMINATIONS),
        },
        title=f"Count box {name}",
        crumbs=(("Drop", PATH),),
    )


async def count(visit: Visit) -> Response:
    name = visit.id("box")
    pieces: dict[str, int] = {}
    for denomination in DENOMINATIONS:
        if number := _pieces(visit.field(f"n-{denomination}"), f"${denomination}"):
            pieces[denomination] = number
    other = visit.field("other")
    if other:
        if other in pieces or other in DENOMINATIONS:
            raise Problem("bad_document", f"${other} has a line of its own.")
        pieces[other] = _pieces(visit.field("n-other"), f"${other}")
    elif visit.field("n-other"):
        raise Problem("bad_document", "Say of which other denomination there are so many.")
    is_empty = visit.field("empty") == "yes"
    if is_empty and any(pieces.values()):
        raise Problem("bad_document", "Pieces have been entered, and the box is said to be empty. Which is it?")
    if not pieces and not is_empty:
        raise Problem("bad_document", "No piece has been entered. If the box is empty, say so below.")
    pieces = pieces or {DENOMINATIONS[-1]: 0}
    await visit.ask("countBox", {"box": name}, body={"pieces": pieces})
    total = sum(Decimal(value) * number for value, number in pieces.items())
    return visit.go(PATH + "?status=removed", f"Your count of box {name} is stored: ${total:,.2f}.")


def _pieces(text: str, what: str) -> int:
    if not text:
        return 0
    return read_number(text, f"The number of pieces of {what}", MOST_PIECES)


# ---- swapping


async def show_swap(visit: Visit) -> View:
    on_tables = await visit.in_thread(_on_tables, visit)
    return View({"on_tables": on_tables, "table": visit.query("table")}, crumbs=(("Drop", PATH),))


def _on_tables(visit: Visit) -> list[dict[str, str]]:
    visit.service.projecting.bring_up_to_date("drops")
    found = boxes_on_tables(visit.service.ledger.events.recorder.database, MOST_TABLES)
    return [{"table": table, "box": box, "since": since.isoformat()} for table, box, since in found]


async def swap(visit: Visit) -> Response:
    table = visit.field("table")
    body = {name: visit.field(name) for name in ("new_box", "seal", "second_person")}
    for name, value in {"table": table, **body}.items():
        if not value:
            raise Problem("bad_document", f"`{name}` is missing.")
    await visit.ask("swapBox", {"table": table}, body=body)
    return visit.go(PATH, f"Box {body['new_box']} is on table {table}; the full one has been taken off.")


PAGES = (
    Page(PATH, "drop", "Drop boxes", "drop.html", show_boxes, IN_COUNT_ROOM, nav="Drop", about=no_table),
    Page(
        f"{PATH}/swap",
        "swap",
        "Swap a box",
        "swap.html",
        show_swap,
        frozenset({"floor"}),
        section="drop",
        submit=swap,
        about=no_table,
    ),
    Page(
        f"{PATH}/{{box}}/count",
        "count",
        "Count",
        "count.html",
        show_count,
        frozenset({"counter"}),
        section="drop",
        submit=count,
        about=no_table,
    ),
    Page(
        f"{PATH}/{{box}}",
        "box",
        "Box",
        "box.html",
        show_box,
        IN_COUNT_ROOM,
        section="drop",
        submit=sign_off,
        about=no_table,
    ),
)

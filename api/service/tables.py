"""Tables: sessions opened and closed, who sits where, chips bought and cashed, the tray, the box."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from msgspec import UNSET
from starlette.responses import Response

from api.service import blindness, examples, shapes
from api.service.blindness import no_table
from api.service.operations import Answer, Call, Operation, answer
from api.service.problems import Problem
from api.service.retries import carry_out
from api.service.telling import Told
from domain.money import cents
from domain.tables import ChipsBought, ChipsCashed, TableSession, TrayCredited, TrayFilled
from domain.terms import NO_TERMS
from infra.floor import Floor
from infra.ledger import Receipted

AT_TABLES = frozenset({"terminal", "floor"})


def session_answer(session: TableSession, blind: bool = False) -> dict[str, Any]:
    """`blind`: without what tells how many rounds were played, and so how many fees were taken."""
    run = None if blind else session.run
    return {
        "table": session.table,
        "session": session.opened.session,
        "ruleset": session.rules.id,
        "hash": session.rules.content_hash,
        "terms": session.terms.document,
        "players": {str(seat): bettor for seat, bettor in sorted(session.seats.items())},
        "box": session.box,
        "deck": session.deck,
        "dealer": session.dealer,
        "banked": None if run is None else {"bettor": run.bettor, "seat": run.seat, "rounds": run.rounds},
        "playing": None if session.playing is None or blind else session.playing.round,
        "rounds": None if blind else session.rounds,
        "open": not session.closed,
    }


def _is_blind(call: Call, table: str) -> bool:
    return blindness.may_count(call) and table in blindness.hidden_tables(call)


async def _change(call: Call, change: Callable[[Floor, str], TableSession], status: int = 200) -> Response:
    table = call.id("table")
    call.person.check_table(table)

    def command(receipt: Receipted) -> TableSession:
        return change(Floor(call.service.ledger, receipt), table)

    def carried_out() -> Response:
        blind = _is_blind(call, table)  # asked first: once the command is stored, nothing shall keep its answer away
        return carry_out(
            call, command, lambda session: Told(status, msgspec.json.encode(session_answer(session, blind)))
        )

    return await call.in_thread(carried_out)


async def open_session(call: Call) -> Response:
    body = call.read(shapes.SessionBody)
    terms = NO_TERMS if body.terms is UNSET else body.terms
    players = {} if body.players is UNSET else {int(seat): bettor for seat, bettor in body.players.items()}
    box = None if body.box is UNSET else body.box
    return await _change(
        call, lambda floor, table: floor.open_session(table, body.ruleset, terms, players, call.actor, box), 201
    )


async def close_session(call: Call) -> Response:
    if call.body:
        call.read(shapes.Nothing)
    return await _change(call, lambda floor, table: floor.close_session(table, call.actor))


async def get_table(call: Call) -> Response:
    table = call.id("table")
    call.person.check_table(table)

    def look() -> dict[str, Any]:
        session = Floor(call.service.ledger).latest_session(table)
        if session is None:
            raise Problem("not_found", f"Table {table} has never been open.")
        return session_answer(session, _is_blind(call, table))

    return answer(await call.in_thread(look))


def _seat(call: Call) -> int:
    text: str = call.request.path_params["seat"]
    if len(text) != 1 or text not in "123456789":
        raise Problem("not_found", "A seat is a number from 1 on.")
    return int(text)


async def take_seat(call: Call) -> Response:
    seat, body = _seat(call), call.read(shapes.SeatBody)
    return await _change(call, lambda floor, table: floor.take_seat(table, seat, body.bettor, call.actor))


async def leave_seat(call: Call) -> Response:
    seat = _seat(call)
    return await _change(call, lambda floor, table: floor.leave_seat(table, seat, call.actor))


async def tap_in(call: Call) -> Response:
    body = call.read(shapes.DealerBody)
    return await _change(call, lambda floor, table: floor.tap_in(table, body.dealer, call.actor))


async def move_chips(call: Call) -> Response:
    body = call.read(shapes.ChipsBody)
    kind = ChipsBought if body.kind == "buy_in" else ChipsCashed
    event = kind(body.bettor, cents(body.amount))
    return await _change(call, lambda floor, table: floor.move_chips(table, event, call.actor))


async def move_tray(call: Call) -> Response:
    body = call.read(shapes.TrayBody)
    kind = TrayFilled if body.kind == "fill" else TrayCredited
    event = kind(cents(body.amount), body.slip)
    return await _change(call, lambda floor, table: floor.move_chips(table, event, call.actor))


async def count_tray(call: Call) -> Response:
    body = call.read(shapes.TrayCountBody)
    return await _change(call, lambda floor, table: floor.count_tray(table, cents(body.amount), body.when, call.actor))


async def swap_box(call: Call) -> Response:
    body = call.read(shapes.SwapBody)

    def change(floor: Floor, table: str) -> TableSession:
        second = call.second_person(body.second_person)
        return floor.swap_box(table, body.new_box, body.seal, second, call.actor)

    return await _change(call, change)


# ---- declared

_SESSION = Answer(shapes.Session, examples.SESSION, "The table's session.", ("Idempotent-Replayed",))

OPERATIONS = (
    Operation(
        "POST",
        "/v1/tables/{table}/sessions",
        "openSession",
        "tables",
        "Open a table",
        open_session,
        {201: _SESSION},
        AT_TABLES,
        "Its rule set and terms hold for every round until it is closed.",
        body=shapes.SessionBody,
        body_example=examples.SESSION_BODY,
        problems=("unknown_ruleset", "bad_terms", "conflict"),
        writes=True,
        about=no_table,
    ),
    Operation(
        "POST",
        "/v1/tables/{table}/sessions/current/close",
        "closeSession",
        "tables",
        "Close a table",
        close_session,
        {200: _SESSION},
        AT_TABLES,
        "Between rounds.",
        body=shapes.Nothing,
        body_example={},
        problems=("out_of_turn", "conflict"),
        writes=True,
        about=no_table,
    ),
    Operation(
        "GET",
        "/v1/tables/{table}",
        "getTable",
        "tables",
        "The table's latest session",
        get_table,
        {200: Answer(shapes.Session, examples.SESSION, "The table's session.")},
        frozenset({"terminal", "floor", "cage", "accounting", "auditor"}),
        about=no_table,
    ),
    Operation(
        "PUT",
        "/v1/tables/{table}/seats/{seat}",
        "takeSeat",
        "tables",
        "Seat a player",
        take_seat,
        {200: _SESSION},
        AT_TABLES,
        body=shapes.SeatBody,
        body_example={"bettor": "p-9"},
        problems=("out_of_turn", "conflict"),
        writes=True,
        about=no_table,
    ),
    Operation(
        "DELETE",
        "/v1/tables/{table}/seats/{seat}",
        "leaveSeat",
        "tables",
        "A player leaves his seat",
        leave_seat,
        {200: _SESSION},
        AT_TABLES,
        problems=("out_of_turn", "conflict"),
        writes=True,
        about=no_table,
    ),
    Operation(
        "POST",
        "/v1/tables/{table}/dealer",
        "tapIn",
        "tables",
        "A dealer taps in, or out",
        tap_in,
        {200: _SESSION},
        AT_TABLES,
        "Between rounds. A round's dealer is whoever was tapped in when it opened; null where nobody takes over.",
        body=shapes.DealerBody,
        body_example={"dealer": "dealer-7"},
        problems=("out_of_turn", "bad_choice", "conflict"),
        writes=True,
        about=no_table,
    ),
    Operation(
        "POST",
        "/v1/tables/{table}/chips",
        "moveChips",
        "tables",
        "A buy-in or a cash-out",
        move_chips,
        {200: _SESSION},
        frozenset({"terminal", "floor", "cage"}),
        body=shapes.ChipsBody,
        body_example={"kind": "buy_in", "bettor": "p-9", "amount": "200.00"},
        problems=("out_of_turn", "conflict"),
        writes=True,
        about=no_table,
    ),
    Operation(
        "POST",
        "/v1/tables/{table}/tray",
        "moveTray",
        "tables",
        "A fill or a credit of a house-banked table's tray",
        move_tray,
        {200: _SESSION},
        frozenset({"cage"}),
        body=shapes.TrayBody,
        body_example={"kind": "fill", "amount": "5000.00", "slip": "F-1093"},
        problems=("out_of_turn", "bad_choice", "conflict"),
        writes=True,
        about=no_table,
    ),
    Operation(
        "POST",
        "/v1/tables/{table}/tray/count",
        "countTray",
        "tables",
        "An opening or closing count of a house-banked table's tray",
        count_tray,
        {200: _SESSION},
        frozenset({"floor"}),
        "Between rounds, opening and closing in turn; the inventory report sets the two against the ledger's own win.",
        body=shapes.TrayCountBody,
        body_example={"when": "opening", "amount": "20000.00"},
        problems=("out_of_turn", "bad_choice", "conflict"),
        writes=True,
        about=no_table,
    ),
    Operation(
        "POST",
        "/v1/tables/{table}/box",
        "swapBox",
        "boxes",
        "Take the full drop box off a table and put an empty one on",
        swap_box,
        {200: _SESSION},
        frozenset({"floor"}),
        "By two different people; every drop has a box id of its own.",
        body=shapes.SwapBody,
        body_example={"new_box": "t1-box-2", "seal": "S-20417", "second_person": "count-2"},
        problems=("out_of_turn", "bad_choice", "conflict"),
        writes=True,
        two_people=frozenset({"floor", "cage", "counter", "accounting"}),
        about=no_table,
    ),
)

"""Two ledgers that differ in face-down cards alone answer alike: to every role, wherever it asks, to the last byte that
is not random or a time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from api.service.identity.tokens import make_token
from api.service.settings import Settings
from domain.round.actions import TakeBack
from infra.ledger.ledger import Ledger
from projections.engine.runner import Runner
from tests.api.operations import OPERATIONS, PAGE_PATHS, Operation
from tests.api.service import KEY, open_service
from tests.databases import migrated_database
from tests.rules.button_games import p215, tcp
from tests.tables_in_play import ACTOR, bank_round, document

# By place: in the round that is settled seat 2 has folded, in the others nothing is turned over yet.
HIDDEN = ({"2": "3c3d"}, {"1": "AsAd", "2": "3c3d", "dealer": "QsQc", "board": "Kd9c7h4s2d"})
OTHERS = ({"2": "8h5c"}, {"1": "JsJh", "2": "6c6d", "dealer": "TsTc", "board": "5d8c4h2sKc"})
# The first one's dealer shows a third card, the second one's has an ace up, so that there is insurance and a peek.
BUTTON_GAMES = (("Qs Qc 7c", "Ah 9d"), ("Tc 4c 7c", "Ah Jd"))
# Auditors may open folded hands, on record; the others have figures of the process and of requests.
EXCEPT = ("/v1/rounds/{round}/sealed", "/readyz", "/metrics", "/v1/reads")
READS = [it for it in OPERATIONS if it.method == "GET" and not it.streams and it.path not in EXCEPT]
RANDOM = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}|[0-9a-f]{16,}|[A-Za-z0-9+/_-]{40,}=*|[A-Za-z0-9+/]{22}==|"
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?|\d\d:\d\d(:\d\d)?|name=\"key\" value=\"[^\"]+|"
    r"<v>4\d{4}\.\d+</v>"  # a spreadsheet's own form of a moment, in days
)


def cards_of(text: str) -> list[str]:
    return [text[at : at + 2] for at in range(0, len(text), 2)]


def with_cards(raw: dict[str, Any], hidden: dict[str, str]) -> dict[str, Any]:
    dealt = [
        {**action, "cards": cards_of(hidden[str(action["to"])])}
        if action["do"] == "deal" and str(action["to"]) in hidden
        else action
        for action in raw["actions"]
    ]
    return {**raw, "actions": dealt}


def rounds(world: int) -> Iterator[dict[str, Any]]:
    settled, open_ = (HIDDEN, OTHERS)[world]
    yield with_cards(bank_round("t-1", round_id="r-1"), settled)
    yield with_cards(bank_round("t-2", round_id="r-2", end="open"), open_)
    yield with_cards(bank_round("t-3", round_id="r-3", end="void"), open_)
    three, two = BUTTON_GAMES[world]
    yield document(tcp("1 ante 10.00", "1 pair_plus 5.00", cards=f"1: As 8d 2c, dealer: {three}"), "t-4", "r-4")
    yield document(p215("1 game 10.00", cards=f"1: Ts 9c, dealer: {two}"), "t-5", "r-5")


PLACES = [(f"t-{number}", f"r-{number}") for number in range(1, 6)]
MORE = 3  # that are compared as they are stored, and not at every address


def play_more(ledger: Ledger, world: int) -> None:
    """Rounds that end with something face down, and one in which a hand was taken back and dealt again."""
    three, two = BUTTON_GAMES[world]
    folded = tcp("1 ante 10.00", "1 pair_plus 5.00", cards=f"1: As 8d 2c, dealer: {three}").then("1 fold")
    voided = p215("1 game 10.00", cards=f"1: Ts 9c, dealer: {two}").then("void misdeal")
    for number, play in enumerate((folded, voided), start=len(PLACES) + 1):
        assert ledger.record(document(play, f"t-{number}", f"r-{number}"), ACTOR)["error"] is None
    table, round_ = "t-8", "r-8"
    raw = with_cards(bank_round(table, round_id=round_, end="open"), (HIDDEN, OTHERS)[world][1])
    first = next(at for at, action in enumerate(raw["actions"]) if action["do"] == "deal")
    assert ledger.record({**raw, "actions": raw["actions"][: first + 1]}, ACTOR)["error"] is None
    ledger.act(round_, [TakeBack("Another seat.", "floor-1")], ACTOR)
    ledger.act(round_, [{**raw["actions"][first], "cards": cards_of(("KsKh", "4c4s")[world])}], ACTOR)


@pytest.fixture(scope="module")
def worlds(server_url: str) -> Iterator[tuple[Any, Any]]:
    with ExitStack() as stack:
        clients = []
        for world in (0, 1):
            url = stack.enter_context(migrated_database(server_url))
            ledger = Ledger(url)
            try:
                for raw in rounds(world):
                    assert ledger.record(raw, ACTOR)["error"] is None
                play_more(ledger, world)
            finally:
                ledger.close()
            with Runner(url) as runner:
                runner.catch_up()
            # It follows, so that no page says for how long reports have been late.
            clients.append(stack.enter_context(open_service(url, token_key=KEY, follow=True)))
        yield clients[0], clients[1]


def filled(path: str, places: dict[str, str]) -> str:
    return re.sub(r"\{(\w+)\}", lambda found: places.get(found[1], f"{found[1]}-1"), path)


def addresses(operation: Operation) -> Iterator[str]:
    named = {"ruleset": "uth-bgc", "bettor": "a", "level": "0", "tile": "000.p/9", "name": "collections"}
    for table, round_ in PLACES if is_of_a_round(operation.path) else PLACES[:2]:
        places = {**named, "table": table, "round": round_}
        path = filled(operation.path, places)
        yield path
        for param in operation.params:
            for value in param.schema.get("enum", ()):
                if param.where == "path":
                    yield operation.path.replace(f"{{{param.name}}}", value)
                else:
                    yield f"{path}?{param.name}={value}"


def is_of_a_round(path: str) -> bool:
    return "{round}" in path or "{table}" in path


def pages() -> Iterator[tuple[str, str]]:
    """With who asks: a terminal, and those who look at rounds only afterwards, for the pages of rounds alone."""
    named = {"ruleset": "uth-bgc", "bettor": "a", "name": "card-frequencies"}
    for number, (table, round_) in enumerate(PLACES):
        for shown in PAGE_PATHS:
            path = filled(shown, {**named, "table": table, "round": round_})
            if is_of_a_round(shown):
                yield from ((f"{path}?format=json", role) for role in ("terminal", "accounting", "auditor"))
            if is_of_a_round(shown) or number < 2:
                yield from ((path, "floor"), (f"{path}?format=json", "floor"))


def told(client: Any, address: str, role: str) -> Any:
    at = re.search(r"[tr]-([1-9])", address)
    table = f"t-{at[1] if at else 2}" if role == "terminal" else None
    token = make_token(KEY, Settings(token_key=KEY), f"{role}-1", role, table, 1.0)[0]
    headers = {"Authorization": f"Bearer {token}", "X-Request-Id": "two-worlds"}
    answer = client.get(address, headers=headers, follow_redirects=False)
    parts = [answer.content]
    if answer.content[:2] == b"PK":
        with ZipFile(BytesIO(answer.content)) as file:
            parts = [file.read(name) for name in sorted(file.namelist()) if not name.endswith((".pdf", ".png"))]
    elif answer.headers.get("content-type", "").startswith(("application/pdf", "application/octet-stream")):
        parts = []
    texts = [RANDOM.sub("*", part.decode("utf-8", "replace")) for part in parts]
    return answer.status_code, sorted(answer.headers), answer.headers.get("etag"), texts


def test_face_down_cards_change_no_answer(worlds: tuple[Any, Any]):
    asked = [(address, role_for(operation)) for operation in READS for address in addresses(operation)]
    asked += pages()
    different, answered = [], 0
    for address, role in dict.fromkeys(asked):
        one, other = (told(client, address, role) for client in worlds)
        answered += one[0] == 200
        if one != other:
            different.append(address)
    assert different == []
    assert answered > 100


def stored(client: Any) -> dict[str, list[str]]:
    """Every row of every report and every event of a round, as text, without what is random or a time."""
    with psycopg.connect(client.app.state.service.database_url) as connection:
        names = connection.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = 'projections' AND tablename NOT IN ('positions')"
        ).fetchall()
        rows = SQL("SELECT row::text FROM {} AS row")
        asked = {name: rows.format(Identifier("projections", name)) for (name,) in names}
        events = SQL("SELECT originator_version || topic || state FROM {} WHERE topic LIKE 'round.%'")
        asked["events"] = events.format(Identifier("roundledger", "event_log"))
        return {
            name: sorted(RANDOM.sub("*", text) for (text,) in connection.execute(statement))
            for name, statement in asked.items()
        }


def test_face_down_cards_are_in_no_report_and_no_event(worlds: tuple[Any, Any]):
    """So no filter, order or count of a report can depend on them either."""
    one, other = map(stored, worlds)
    assert {name: {*one[name]} ^ {*other[name]} for name in one if one[name] != other[name]} == {}
    assert len(one["hands"]) == len(PLACES) + MORE
    assert len(one["events"]) > 40


def role_for(operation: Operation) -> str:
    """The floor, wherever it may ask."""
    roles = operation.roles or {"floor"}
    return "floor" if "floor" in roles else min(roles)

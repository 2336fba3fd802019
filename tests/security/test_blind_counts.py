"""Promise: whoever may count a box learns nothing of what it should hold or of what others counted in it.

Every operation and every page, asked by every combination of roles at each stage of a count. They are taken from the
service's own lists, so that a new one is asked too. The attack that was once run is here as well: to compute somebody
else's count from the hashes that the transparency log gives out.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator
from functools import cache
from io import BytesIO
from itertools import combinations
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import msgspec
import pytest
from msgspec import Struct

from api.service.identity.tokens import make_token
from api.service.settings import Settings
from domain.disputes.disputes import Claim
from domain.floor.drop_boxes import BoxCounted, count_text
from domain.round.sealing import commitment
from infra.access.callers import BOOKS, ROLES
from infra.access.role_matrix import NotAllowed, check_parts, why_apart
from infra.access.sessions import Sessions
from infra.access.staff import Staff, StaffMember
from infra.aggregates.changes import Changes
from infra.ledger.disputes.disputes import Disputes
from infra.ledger.floor import Floor
from infra.ledger.ledger import Actor, Ledger
from infra.log.leaves import entry_of, leaf_hash_of, row_of
from infra.log.merkle import leaf_hash
from infra.log.sealer import seal_now
from infra.log.stored_log import LogReader
from infra.store.database import Database
from infra.store.streams import stream_id
from projections.engine.runner import Runner
from projections.reports.report_list import REPORTS
from tests.api.operations import OPERATIONS, PAGE_PATHS, Operation
from tests.api.service import KEY, Read, open_service, read, register, signature
from tests.databases import migrated_database
from tests.projections.export.pdf_text import pages
from tests.projections.simulated_floor import NOON_MS
from tests.tables_in_play import bank_round, progressive_round

SETTINGS = Settings(token_key=KEY)
STAGES = ("installed", "removed", "counted once", "counted differently", "agreed", "signed")
TABLE, BOX, OTHER_TABLE, FREE_TABLE = "t-1", "t-1-box-1", "t-2", "t-9"
SCHEDULE = {"limits": ["5.00", "500.00"], "tiers": [[None, "1.37"]]}
ROUNDS = [f"blind-{number}" for number in range(7)]
# Odd amounts, so that they can be found in any answer, whether as money or in cents.
EXPECTED = ("9.59", "959")
COUNTS = {
    "count-1": ({383: 1, 29: 2}, ("4.41", "441", "3.83", "383")),
    "count-2": ({347: 1, 23: 1}, ("3.70", "370", "3.47", "347")),
    "count-3": ({383: 1, 29: 2}, ("4.41", "441", "3.83", "383")),
}
FLOOR, COUNTER = Actor("floor-0", NOON_MS), "counter"
READS = [operation for operation in OPERATIONS if operation.method == "GET" and not operation.streams]
SLIP = "/v1/slips/1/paper"  # names the two boxes of a swap, and no figure
NO_FILES = ("application/json", "text/html", "text/plain", "text/javascript")
FIGURES_OF_REQUESTS = {"metrics"}  # how many requests came and how long they took: a duration may look like an amount


class Room(Struct, frozen=True):
    client: Any
    stage: str
    dispute: str
    people: Staff
    sessions: Sessions


@pytest.fixture(scope="module", params=STAGES)
def room(request: pytest.FixtureRequest, server_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    """A service whose box has come as far as the stage says, on a table that is in play with the next one."""
    with migrated_database(server_url) as url:
        keys = tmp_path_factory.mktemp("keys")
        ledger = Ledger(url)
        dispute = play(ledger, STAGES.index(request.param))
        ledger.close()
        with Runner(url) as runner:
            runner.catch_up()
        seal_now(url, keys)
        with open_service(url, token_key=KEY, rate_limit=0, follow=True, seal=False, log_keys=str(keys)) as client:
            database = Database(url)
            yield Room(client, request.param, dispute, Staff(database), Sessions(database))
            database.close()


def play(ledger: Ledger, stage: int) -> str:
    """Returns the id of a dispute about one of the rounds."""
    for number, round_id in enumerate(ROUNDS):
        bank = ("a", 7) if number < 2 else ("b", 6)
        terms: dict[str, Any] = {"ruleset": "uth-bgc", "trips": "UTH-01", "schedule": SCHEDULE}
        played = bank_round(TABLE, *bank, **terms, round_id=round_id, end="settle" if number < 2 else "void")
        assert ledger.record(played, FLOOR)["error"] is None
    ledger.record({**progressive_round(OTHER_TABLE, {}), "round": "house-1"}, FLOOR)
    filed = Disputes(ledger).open(
        ROUNDS[0], Claim(2, "ante", "hand reading", 1_000, "My hand was better.", NOON_MS + 1), FLOOR
    )
    floor = Floor(ledger)
    if stage > 0:
        floor.swap_box(TABLE, "t-1-box-2", "S-1", "cage-0", FLOOR)
    for counter in [*COUNTS][: max(0, min(stage - 1, 3))]:
        floor.count_box(BOX, COUNTS[counter][0], Actor(counter, NOON_MS))
    if stage > 4:
        floor.reconcile_box(BOX, Actor("acc-0", NOON_MS), explanation="The rest was found under the table.")
    return filed.dispute.opened.dispute


# ---- who asks


@cache
def bearer(by: str, role: str) -> dict[str, str]:
    table = TABLE if role == "terminal" else None
    return {"Authorization": f"Bearer {make_token(KEY, SETTINGS, by, role, table, 1.0)[0]}"}


def combinations_with_counter() -> list[tuple[str, ...]]:
    others = [role for role in ROLES if role != COUNTER]
    return [(COUNTER, *rest) for size in range(len(others) + 1) for rest in combinations(others, size)]


def shown_as_counter(room: Room, by: str) -> None:
    """Whoever has shown a counter's token once is known as somebody who counts."""
    assert room.client.get("/v1/boxes", headers=bearer(by, COUNTER)).status_code == 200


# ---- what is asked


GAMING_DAY = "2026-09-21"  # of the rounds
OF_BOOKS = {"day": GAMING_DAY, "period": GAMING_DAY, "number": "1", "machine": "one"}


def addresses(room: Room, operation: Operation) -> Iterator[str]:
    """This box, table, round and dispute, with each value that has a list; of this table alone, and of one that nobody
    counts at, which must not open what the answer tells of others."""
    named = {"box": BOX, "table": TABLE, "round": ROUNDS[0], "ruleset": "uth-bgc", "bettor": "a", "level": "0"}
    named |= {"dispute": room.dispute, "tile": "000.p/9", "name": "collections", **OF_BOOKS}
    path = re.sub(r"\{(\w+)\}", lambda found: named.get(found[1], f"{found[1]}-1"), operation.path)
    yield path
    params = {param.name: param for param in operation.params}
    lists = [path]
    for param in operation.params:
        values = param.schema.get("enum", ())
        if param.where == "path":
            lists += [operation.path.replace(f"{{{param.name}}}", value) for value in values]
        else:
            lists += [f"{path}?{param.name}={value}" for value in values]
    yield from lists[1:]
    if "table" in params:
        for table in (TABLE, FREE_TABLE):
            yield from (f"{address}{'&' if '?' in address else '?'}table={table}" for address in lists)
    if "as_of" in params:
        yield f"{path}?as_of=2026-12-01T00:00:00Z"


def page_paths(room: Room) -> Iterator[str]:
    named = {"box": BOX, "table": TABLE, "round": ROUNDS[0], "ruleset": "uth-bgc", "bettor": "a", "name": "drops"}
    named |= {"dispute": room.dispute, **OF_BOOKS}
    for shown in PAGE_PATHS:
        yield re.sub(r"\{(\w+)\}", lambda found: named.get(found[1], f"{found[1]}-1"), shown)
    yield from (f"/{page}" for page in (f"close?period={GAMING_DAY}", f"journals?gaming_day={GAMING_DAY}"))


def page_answers(room: Room, headers: dict[str, str]) -> Iterator[tuple[str, Read]]:
    """Every page, as HTML and as JSON, also of one table or two: as far as naming a table changes what it answers."""

    def ask(address: str) -> tuple[str, Read]:
        return address, read(room.client, address, headers)

    for path in page_paths(room):
        yield ask(path)
        if "?" in path:
            continue
        plain = ask(f"{path}?format=json")
        one_table = [ask(f"{path}?table={table}&format=json") for table in (TABLE, FREE_TABLE)]
        yield from (plain, *one_table)
        if any(told(answer) != told(plain[1]) for _, answer in one_table):
            two_tables = (f"{FREE_TABLE}&table={TABLE}", f"{TABLE}&table={FREE_TABLE}")
            yield from (ask(f"{path}?table={tables}&format=json") for tables in two_tables)
            yield from (ask(f"{path}?table={tables}") for tables in (TABLE, FREE_TABLE, *two_tables))
    for table in ("", f"&table={FREE_TABLE}"):
        yield from (ask(f"/hands/export?format={name}{table}") for name in ("csv", "json"))


def told(answer: Any) -> tuple[int, str]:
    """The status and the text, without what is different each time it is asked."""
    return answer.status_code, re.sub(r'"request_id":"[^"]*"', "", text_of(answer))


def figures_in(text: str, figures: tuple[str, ...]) -> list[str]:
    return [
        text[max(0, found.start() - 150) : found.end() + 30]
        for figure in figures
        if figure in text  # most are not, and that is known much sooner
        for found in re.finditer(rf"(?<![\w.+/-]){re.escape(figure)}(?![\w.+/=])", text)
    ]


def leaks(text: str, by: str) -> list[str]:
    """What must not be in an answer to somebody who counts: figures, and rounds, which lead to them."""
    others = tuple(figure for who, (_, figures) in COUNTS.items() if who != by for figure in figures)
    own = COUNTS[by][1] if by in COUNTS else ()
    found = figures_in(text, tuple(figure for figure in (*EXPECTED, *others) if figure not in own))
    return found + [round_id for round_id in ROUNDS if round_id in text]


def answers_to(room: Room, by: str, role: str, pdf: bool = True) -> Iterator[tuple[str, Read]]:
    """Everything that somebody gets to see in a role, wherever they ask, with the address that was asked.

    A PDF has no text to search, so it is asked for only where it has to be refused.
    """
    headers = bearer(by, role)
    for operation in READS:
        if operation.name in FIGURES_OF_REQUESTS or (operation.roles is not None and role not in operation.roles):
            continue
        for address in addresses(room, operation):
            if "format=pdf" not in address or (pdf and FREE_TABLE not in address):
                yield address, read(room.client, address, headers)
    yield from page_answers(room, headers)


def address_of(answer: Any) -> str:
    return answer.address if isinstance(answer, Read) else str(answer.request.url.raw_path.decode())


def text_of(answer: Any) -> str:
    """Without the address that was asked, which pages repeat, and which has the name of a round in it."""
    path = address_of(answer)
    if answer.content.startswith(b"%PDF"):
        return "\n".join(text for page in pages(answer.content) for text in page)
    return str(answer.text).replace(path, "").replace(path.partition("?")[0], "")


def readable(answer: Any) -> str:
    """The text of an answer, that of files in an archive too. Hashes and pictures have none; a PDF has the rows of the
    same report in other formats."""
    kind = answer.headers.get("content-type", "").partition(";")[0]
    if answer.content[:2] == b"PK":
        with ZipFile(BytesIO(answer.content)) as file:
            members = [file.read(name) for name in file.namelist() if not name.endswith((".pdf", ".png"))]
        return "\n".join(member.decode("utf-8", "replace") for member in members)
    if kind == "application/pdf" or (kind == "application/octet-stream" and "entries" not in address_of(answer)):
        return ""
    return str(answer.content.decode("utf-8", "replace"))


# ---- the promise


@pytest.mark.parametrize("role", ROLES)
def test_whoever_may_count_learns_no_figure_in_any_role(room: Room, role: str):
    """By tokens somebody may have any two roles, and asks in one of them at a time."""
    by = f"both-{role}"
    shown_as_counter(room, by)
    reply = 0
    for address, answer in answers_to(room, by, role):
        assert answer.status_code < 500, address
        if answer.status_code >= 300:
            assert leaks(text_of(answer), by) == [], address
            continue
        reply += 1
        kind = answer.headers["content-type"].partition(";")[0]
        if FREE_TABLE in address:
            assert leaks(readable(answer).replace(ROUNDS[0], "", address.count(ROUNDS[0])), by) == [], address
            continue
        assert kind in NO_FILES or address == SLIP, f"{address}: a file of {kind}"
        assert leaks(text_of(answer), by) == [], address
    assert reply > 5  # else nothing has been tried


@pytest.mark.parametrize("by", COUNTS)
def test_each_counter_learns_no_count_but_their_own(room: Room, by: str):
    for address, answer in answers_to(room, by, COUNTER):
        assert leaks(text_of(answer), by) == [], address


@pytest.mark.parametrize("role", ROLES)
def test_whoever_may_count_is_refused_all_that_leads_to_a_figure(room: Room, role: str):
    """Commands and feeds too. An operation for which nobody has said of which tables it tells is among them."""
    by = f"both-{role}"
    shown_as_counter(room, by)
    headers = bearer(by, role)
    for operation in OPERATIONS:
        if operation.roles is None or role not in operation.roles or operation.about_no_table:
            continue
        address = next(addresses(room, operation))
        with room.client.stream(operation.method, address, headers=headers) as answer:
            assert answer.status_code == 403, address


def test_where_a_round_is_among_those_of_another_table_is_not_told_either(room: Room):
    shown_as_counter(room, "both-floor")
    address = f"/v1/rounds/{ROUNDS[0]}/neighbours?table={FREE_TABLE}"
    assert room.client.get(address, headers=bearer("both-floor", "floor")).status_code == 403
    elsewhere = f"/v1/rounds/house-1/neighbours?table={TABLE}"
    assert room.client.get(elsewhere, headers=bearer("dealer-1", "terminal")).status_code == 403


def ask(room: Room, by: str, role: str, address: str, method: str = "GET", **sent: Any) -> Any:
    return room.client.request(method, address, headers=bearer(by, role), follow_redirects=False, **sent)


SPELT = (f"%20{TABLE}", f"+{TABLE}", f"{TABLE}%09", f"{TABLE}%C2%A0", TABLE.upper())


def once(room: Room) -> None:
    """What does not depend on the stage is asked at one of them."""
    if room.stage != "counted once":
        pytest.skip("asked at another stage")


@pytest.mark.parametrize("role", ["floor", "terminal"])
def test_a_table_in_another_spelling_is_as_closed_as_itself(room: Room, role: str):
    """Forms leave out spaces around an id: the check must not take it for another table's."""
    once(room)
    by = f"both-{role}"
    shown_as_counter(room, by)
    pages = [path for path in page_paths(room) if "?" not in path and "table=" not in path]
    for path in [*pages, "/v1/rounds", "/v1/fees", "/v1/reports/collections"]:
        for table in SPELT:
            answer = ask(room, by, role, f"{path}?table={table}&format=json")
            assert leaks(text_of(answer), by) == [], f"{path}?table={table}"


def test_a_report_that_knows_no_tables_is_not_opened_by_naming_one(room: Room):
    once(room)
    by = "both-floor"
    shown_as_counter(room, by)
    for name, report in REPORTS.items():
        for table in (TABLE, FREE_TABLE):
            answer = ask(room, by, "floor", f"/reports/{name}?table={table}")
            opened = answer.status_code == 200
            assert not opened or (table == FREE_TABLE and "table" in report.filters), f"{name} of {table}"
    assert ask(room, by, "floor", f"/propositions?table={FREE_TABLE}").status_code == 403


@pytest.mark.parametrize("role", ["floor", "terminal"])
def test_whether_an_id_is_a_round_is_not_told(room: Room, role: str):
    """Ids are often counted: whoever knows which are rounds knows how many there are."""
    once(room)
    by, unknown = f"both-{role}", "never-played"
    shown_as_counter(room, by)
    asked = [("GET", path) for path in PAGE_PATHS if "{round}" in path]
    asked += [(it.method, it.path) for it in OPERATIONS if "{round}" in it.path and role in (it.roles or ())]
    for method, path in asked:
        for query in ("", f"?table={FREE_TABLE}"):
            answers = [
                ask(room, by, role, path.replace("{round}", id_) + query, method) for id_ in (ROUNDS[0], unknown)
            ]
            assert [answer.status_code for answer in answers] == [403, 403], path
            assert told(answers[0])[1].replace(ROUNDS[0], unknown) == told(answers[1])[1], path


def test_nor_by_disputes_or_by_forms_that_name_a_round(room: Room):
    once(room)
    by = "both-floor"
    shown_as_counter(room, by)
    disputes = [ask(room, by, "floor", f"/v1/disputes/{dispute}") for dispute in (room.dispute, "d-unknown")]
    assert told(disputes[0]) == told(disputes[1])
    misdeal = {"place": "seat 1", "expected": "2", "found": "3", "outcome": "void", "note": "One too many."}
    forms = {"supervisor": {"supervisor": "floor-9"}, "deck": {"colour": "red"}, "hands": {"seats": "1"}}
    for form, fields in {**forms, "misdeal": misdeal}.items():
        sent = [
            ask(room, by, "floor", f"/facts/{form}?format=json", "POST", data={**fields, "round": round_id})
            for round_id in (ROUNDS[0], "never-played")
        ]
        assert [answer.status_code for answer in sent] == [403, 403]
        assert told(sent[0])[1].replace(ROUNDS[0], "never-played") == told(sent[1])[1]


def test_answers_do_not_count_the_requests_of_others(room: Room):
    """An id of a request that is one more than the last would tell how many came in between."""
    ids = [int(room.client.get("/healthz").headers["x-request-id"], 16) for _ in range(3)]
    assert abs(ids[1] - ids[0]) > 1_000 < abs(ids[2] - ids[1])


def test_every_combination_of_roles_is_blind(room: Room):
    for number, roles in enumerate(combinations_with_counter()):
        by = f"some-{number}"
        shown_as_counter(room, by)
        for role in roles:
            headers = bearer(by, role)
            for path in (f"/v1/rounds/{ROUNDS[0]}", "/v1/reports/collections", f"/v1/fees?table={TABLE}"):
                assert room.client.get(path, headers=headers).status_code == 403, f"{roles} as {role}: {path}"
            box = room.client.get(f"/v1/boxes/{BOX}/history", headers=headers)
            if box.status_code == 200:
                assert (box.json()["expected"], box.json()["variance"], box.json()["fees"]) == (None, None, None)
                assert all(moment["total"] is None for moment in box.json()["moments"])
            else:
                assert role in ("terminal", "admin") or any(why_apart(role, other) for other in roles)


def test_the_same_holds_for_parts_of_people_who_sign_in(room: Room):
    terminal = f"terminal:{TABLE}"
    for held in (("floor", terminal), ("floor", terminal, COUNTER)):
        by = f"part-{len(held)}"
        room.people.add(StaffMember(by, "Somebody", held, False), "a phrase that nobody guesses", "tests")
        cookie = room.sessions.sign_in(by, "a phrase that nobody guesses", "here")
        for part in held:
            room.sessions.take_part(cookie, part)
            sees = COUNTER not in held
            for path in (
                f"/v1/rounds/{ROUNDS[0]}",
                f"/rounds/{ROUNDS[0]}",
                f"/hands?table={TABLE}",
                f"/dealer/{TABLE}",
            ):
                answer = room.client.get(path, headers={"Cookie": f"roundledger-session={cookie}"})
                assert answer.status_code == (200 if sees else 403), f"{held} as {part}: {path}"


def test_whoever_no_longer_has_a_token_that_counts_sees_again(room: Room):
    by, kept = "once-1", bearer("once-1", "floor")
    token, token_id = make_token(KEY, SETTINGS, by, COUNTER, None, 1.0)
    path = f"/v1/rounds/{ROUNDS[0]}"
    assert room.client.get(path, headers=kept).status_code == 200  # until they show it, nobody can know
    room.client.get("/v1/boxes", headers={"Authorization": f"Bearer {token}"})
    assert room.client.get(path, headers=kept).status_code == 403
    revoked = room.client.post(
        f"/v1/tokens/{token_id}/revocation", json={"reason": "Counts no more."}, headers=bearer("boss-1", "admin")
    )
    assert revoked.status_code == 200
    assert room.client.get(path, headers=kept).status_code == 200


def test_a_token_that_the_ledger_makes_blinds_before_it_is_shown(room: Room):
    by, path = "once-2", f"/v1/rounds/{ROUNDS[0]}"
    assert room.client.get(path, headers=bearer(by, "floor")).status_code == 200
    register(room.people, ("chief-1", "admin"), ("chief-2", "admin"))
    body = {"by": by, "role": COUNTER, "days": 1, "second_person": "chief-2"}
    headers = {**bearer("chief-1", "admin"), "Second-Authorization": signature("chief-2")}
    assert room.client.post("/v1/tokens", json=body, headers=headers).status_code == 201
    assert room.client.get(path, headers=bearer(by, "floor")).status_code == 403


def test_roles_that_the_ledger_itself_gives_are_never_counter_and_books():
    for roles in combinations_with_counter():
        parts = [f"terminal:{TABLE}" if role == "terminal" else role for role in roles]
        if any(why_apart(*pair) for pair in combinations(roles, 2)):
            with pytest.raises(NotAllowed):
                check_parts(parts)
        else:
            check_parts(parts)
    assert all(why_apart(COUNTER, role) for role in BOOKS)


def test_whoever_keeps_the_books_sees_what_a_box_should_hold_at_any_time(room: Room):
    counted = room.stage in ("agreed", "signed")
    for role in sorted(BOOKS):
        box = room.client.get(f"/v1/boxes/{BOX}/history", headers=bearer(f"books-{role}", role)).json()
        assert (box["expected"], box["fees"]) == ("9.59", 7)
        assert (box["counted"], box["variance"]) == (("4.41", "-5.18") if counted else (None, None))
        page = room.client.get(f"/drop/{BOX}", headers={**bearer(f"books-{role}", role), "Accept": "text/html"}).text
        assert "$9.59" in page
        assert ("until two blind counts agree" in page) == (not counted)
        assert "as it should be" not in page
        totals = [moment["total"] for moment in box["moments"] if moment["what"] == "counted"]
        assert totals == (["4.41", "3.70", "4.41"] if counted else [None] * box["counts"])


@pytest.mark.parametrize("role", sorted(BOOKS))
def test_an_unopened_count_is_in_no_answer_to_those_who_keep_the_books(room: Room, role: str):
    """Tiles and entries of the log too, and nothing else of a count than who made it."""
    if room.stage in ("agreed", "signed"):
        pytest.skip("the counts are open")
    counts = tuple(figure for _, figures in COUNTS.values() for figure in figures)
    seen = ""
    for address, answer in answers_to(room, f"books-{role}", role, pdf=False):  # it has no text to search
        text = readable(answer)
        assert figures_in(text, counts) == [], address
        seen += text
    assert figures_in(seen, EXPECTED)  # else nothing could be found


def test_tables_without_an_uncounted_box_are_open_to_all_who_may_see_them(room: Room):
    by = "both-floor"
    shown_as_counter(room, by)
    headers = bearer(by, "floor")
    for path in ("/v1/rounds/house-1", f"/v1/rounds?table={OTHER_TABLE}", f"/v1/fees?table={OTHER_TABLE}"):
        assert room.client.get(path, headers=headers).status_code == 200, path
    refused = room.client.get("/v1/rounds", headers=headers)
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    assert "until two counts of its box" in refused.json()["detail"]


def test_the_number_of_rounds_is_not_in_the_answer_of_a_command_either(room: Room):
    by = "both-floor"
    shown_as_counter(room, by)
    reply = room.client.put(f"/v1/tables/{TABLE}/seats/4", json={"bettor": "p-9"}, headers=bearer(by, "floor"))
    assert (reply.status_code, reply.json()["rounds"], reply.json()["players"]["4"]) == (200, None, "p-9")
    assert reply.json()["deck"] is None  # the two decks alternate, round by round
    reply = room.client.delete(f"/v1/tables/{TABLE}/seats/4", headers=bearer("floor-0", "floor"))
    assert reply.json()["rounds"] > 0


# ---- the attack: a count is guessed, and the guess is compared with a hash


def hashes_for(room: Room, role: str) -> set[bytes]:
    """Every hash that a role gets out of the log, by whatever way."""
    client, headers = room.client, bearer(f"attacker-{role}", role)
    size = int(client.get("/v1/log/checkpoint", headers=headers).text.split("\n")[1])
    asked = [f"/v1/log/consistency?from={old}&to={old + 1}" for old in range(1, size)]
    asked += [f"/v1/log/consistency?from={old}" for old in range(1, size + 1)]
    asked += [f"/v1/rounds/{round_id}/{what}" for round_id in ROUNDS for what in ("proofs", "log")]
    found = set[bytes]()
    for address in asked:
        answer = client.get(address, headers=headers)
        found |= {b64decode(text) for text in re.findall(r"[A-Za-z0-9+/]{43}=", answer.text)}
    for number in range(size // 256 + 1):
        width = min(256, size - number * 256)
        tile = client.get(f"/v1/log/tile/0/{number:03}{'' if width == 256 else f'.p/{width}'}", headers=headers)
        if tile.status_code == 200:
            found |= {tile.content[at : at + 32] for at in range(0, len(tile.content), 32)}
    return found


def guesses(row: Any, counter: str) -> Iterator[tuple[dict[int, int], bytes]]:
    """Every leaf that a count of a few chips could have, for somebody who knows all else of its event."""
    _, by, at_ms = msgspec.json.decode(row.state)
    for first in range(6):
        for second in range(6):
            pieces = {383: first, 29: second}
            event = BoxCounted(counter, pieces, sum(value * number for value, number in pieces.items()))
            sealed = [counter, commitment(count_text(pieces), b"")]
            states = [[event, by, at_ms], [sealed, by, at_ms], [[*sealed, None], by, at_ms]]
            for topic in ("box.counted.v1", "box.count_sealed.v1", "box.count_sealed.v2"):
                for state in states:
                    guess = row._replace(topic=topic, state=msgspec.json.encode(state))
                    yield pieces, leaf_hash(entry_of(guess))


@pytest.mark.parametrize("role", ROLES)
def test_no_role_computes_a_count_from_hashes_of_the_log(room: Room, role: str):
    if room.stage not in ("counted once", "counted differently"):
        pytest.skip("there is no count to guess")
    log = room.client.app.state.service.sealing.log
    (row, *_) = [row for rows in log.events.pages() for row in rows if row.topic.startswith("box.count")]
    seen = hashes_for(room, role)
    assert role != "auditor" or leaf_hash_of(row) in seen  # the leaf itself can be had: what is in it is salted
    assert [pieces for pieces, leaf in guesses(row, "count-1") if leaf in seen] == []


def test_a_count_that_was_stored_open_could_be_computed(server_url: str, tmp_path: Path):
    """The attack works, on what it was made for: such a count is in no tile until a second one agrees with it."""
    with migrated_database(server_url) as url:
        ledger = Ledger(url)
        play(ledger, 1)
        append = Changes(Actor("count-1", NOON_MS))
        pieces, _ = COUNTS["count-1"]
        version = len(ledger.events.load(stream_id("box", BOX)))
        append.add("box", BOX, version, [BoxCounted("count-1", pieces, 441)])
        ledger.save_changes(append, "The box")
        seal_now(url, tmp_path)
        log = LogReader(ledger.events.recorder.database)
        (row,) = [row for rows in log.events.pages() for row in rows if row.topic == "box.counted.v1"]
        leaves = {leaf_hash_of(row)}
        assert [guess for guess, leaf in guesses(row, "count-1") if leaf in leaves] == [pieces]
        index = log.index_of(row.position)
        assert index is not None
        with open_service(url, token_key=KEY, rate_limit=0, seal=False, log_keys=str(tmp_path)) as client:
            width = min(256, log.size() - index // 256 * 256)
            name = f"{index // 256:03}{'' if width == 256 else f'.p/{width}'}"
            paths = (f"/v1/log/tile/0/{name}", f"/v1/log/tile/entries/{name}")
            headers = bearer("aud-1", "auditor")
            assert [client.get(path, headers=headers).status_code for path in paths] == [409, 409]
            Floor(ledger).count_box(BOX, pieces, Actor("count-2", NOON_MS))
            assert [client.get(path, headers=headers).status_code for path in paths] == [200, 200]
            entries = client.get(paths[1], headers=headers).content
            assert row_of(entries[2 : 2 + int.from_bytes(entries[:2], "big")]).position
        ledger.close()

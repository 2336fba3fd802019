"""A card that is face down is in nothing that a served process emits before it is turned over, whatever the role.

Answers, problems, headers and the feed are searched at every step; log and metrics may not name a card at all.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import httpx
import pytest

from api.service.identity.tokens import make_token
from api.service.settings import Settings
from domain.rules import rulesets
from infra.access.callers import ROLES
from infra.ledger.ledger import Ledger
from infra.simulation import documents
from tests.api.processes import free_port, serving
from tests.api.service import KEY, register, signature
from tests.domain.stored_rounds import ID

PATIENCE_SECONDS = 120.0
# Commitments, salts and hashes are random: two letters of them may look like a card, and mean nothing.
OPAQUE = re.compile(rf'{ID}|"(?:[A-Za-z0-9+/]{{43}}=|[A-Za-z0-9+/]{{22}}==|[0-9a-f]{{64}})"')
CARDS = re.compile(r"(?<![A-Za-z0-9])(?:[2-9TJQKA][cdhs])+(?![A-Za-z0-9])")
DECK = tuple(f"{rank}{suit}" for rank in "23456789TJQKA" for suit in "cdhs")


def cards_in(text: str) -> set[str]:
    """Every card that a text names, alone or run together with others."""
    runs = CARDS.findall(OPAQUE.sub('""', text))
    return {run[at : at + 2] for run in runs for at in range(0, len(run), 2)}


def test_the_search_finds_cards_and_nothing_else():
    assert cards_in('{"cards": ["Ah", null], "text": "Seat 1: Kd, 7c2d."}') == {"Ah", "Kd", "7c", "2d"}
    opaque = ["+2d/" * 10 + "abc=", "Kd" * 11 + "==", "2d" * 32, "691d1bb5-9d8d-4f44-ad0d-84b74b709994"]
    assert cards_in(json.dumps([*opaque, "Ahead at 2dollars", "x2d", "2026-03-08T20:15:04Z"])) == set()


class Table:
    """What is face down, as the dealing of a document has it."""

    def __init__(self, ruleset: str) -> None:
        self._family = ruleset.partition("-")[0]
        self._dealt: dict[Any, list[str | None]] = {}
        self._down: dict[Any, set[str | None]] = {}
        self.up: set[str] = set()

    @property
    def down(self) -> set[str]:
        """As far as somebody has seen them: what nobody knows cannot be revealed."""
        return {card for cards in self._down.values() for card in cards if card is not None} - self.up

    @property
    def known_hands(self) -> list[Any]:
        """Hands of which every card has been seen by the shoe."""
        return [place for place, cards in self._dealt.items() if place not in ("board", "burn") and None not in cards]

    def take_in(self, action: dict[str, Any]) -> None:
        if action["do"] == "deal":
            place = action["to"]
            before = len(self._dealt.setdefault(place, []))
            for at, card in enumerate(action["cards"], start=before):
                self._dealt[place].append(card)
                self._place(place, at, card)
        elif action["do"] == "reveal":
            board = self._dealt.get("board", [])
            turned = {"flop": board[:3], "turn_river": board[3:]}.get(action["of"], self._dealt.get(action["of"], []))
            self._turn([*turned, *action.get("cards", ())])

    def _place(self, place: Any, at: int, card: str | None) -> None:
        face_up = {"p215": place != "dealer" or at != 1, "tcp": place == "dealer" and at == 2}.get(self._family, False)
        if face_up:
            self._turn([card])
        else:
            self._down.setdefault(place, set()).add(card)

    def _turn(self, cards: list[str | None]) -> None:
        self.up.update(card for card in cards if card is not None)


def with_cards_face_down(ruleset: str) -> Iterator[dict[str, Any]]:
    """Simulated rounds of a card-reading shoe; in others nobody knows what is face down, so nothing can be revealed."""
    for line in islice(documents(ruleset, 161803, 1), 100):
        document, hidden, most = json.loads(line), Table(ruleset), 0
        for action in document["actions"]:
            hidden.take_in(action)
            most = max(most, len(hidden.down))
        if most and document["actions"][-1]["do"] == "settle":
            yield document


class Feed:
    """Listens to the whole floor in a thread of its own."""

    def __init__(self, port: int, headers: dict[str, str]) -> None:
        self._address, self._headers = f"http://127.0.0.1:{port}/v1/feed?after=0", headers
        self._came = threading.Condition()
        self._lines: list[str] = []
        self._version: dict[str, int] = {}
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        try:
            with httpx.stream("GET", self._address, headers=self._headers, timeout=PATIENCE_SECONDS) as answer:
                for line in answer.iter_lines():
                    self._take_in(line)
        except httpx.TransportError:
            pass  # the service has ended

    def _take_in(self, line: str) -> None:
        with self._came:
            self._lines.append(line)
            if line.startswith("data: "):
                item = json.loads(line[6:])
                self._version[item.get("round") or ""] = item["version"]
            self._came.notify_all()

    def upto(self, round_id: str, version: int) -> str:
        """What has come since it was last asked for, when the round has come up to this version."""
        with self._came:
            assert self._came.wait_for(lambda: self._version.get(round_id, 0) >= version, PATIENCE_SECONDS)
            lines, self._lines = self._lines, []
            return "\n".join(line for line in lines if f'"{round_id}"' in line)


@cache
def _token(role: str, table: str | None) -> str:
    return make_token(KEY, Settings(token_key=KEY), f"{role}-x", role, table, 1.0)[0]


class Service:
    def __init__(self, port: int, log: Path) -> None:
        self._log = log
        self._client = httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE_SECONDS)
        self.feed = Feed(port, self.headers("auditor"))

    def headers(self, role: str, table: str | None = None) -> dict[str, str]:
        """A request id of our own, since one that is made up might look like cards."""
        token = _token(role, (table or "t1") if role == "terminal" else None)
        return {"Authorization": f"Bearer {token}", "X-Request-Id": "face-down"}

    def ask(
        self,
        method: str,
        path: str,
        role: str,
        body: Any = None,
        table: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> httpx.Response:
        return self._client.request(method, path, json=body, headers=self.headers(role, table) | (headers or {}))

    def said(self) -> str:
        return self._log.read_text()

    def close(self) -> None:
        self._client.close()


@pytest.fixture(scope="module")
def service(ledger_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    log, port = tmp_path_factory.mktemp("log") / "log", free_port()
    ledger = Ledger(ledger_url)
    register(ledger.staff, ("floor-x", "floor"), ("floor-y", "floor"))
    ledger.close()
    with serving(ledger_url, port, log=log, ROUNDLEDGER_TOKEN_KEY=KEY, ROUNDLEDGER_RATE_LIMIT="0"):
        service = Service(port, log)
        yield service
        service.close()


def act(service: Service, round_id: str, table: str, action: dict[str, Any]) -> httpx.Response:
    return service.ask("POST", f"/v1/rounds/{round_id}/actions", "terminal", {"actions": [action]}, table)


def whole(answer: httpx.Response) -> str:
    return "\n".join([*(f"{name}: {value}" for name, value in answer.headers.items()), answer.text])


def looks(service: Service, round_id: str, table: str, role: str) -> Iterator[str]:
    """At the round, by every way that there is; most roles are refused some, and a refusal tells nothing either."""
    paths = [f"/v1/rounds/{round_id}{path}" for path in ("", "/events", "/replay", "/sealed")]
    paths += [f"/v1/tables/{table}", f"/v1/rounds?table={table}", f"/v1/reports/hands?table={table}"]
    for path in paths:
        yield whole(service.ask("GET", path, role, table=table))


def provocations(service: Service, round_id: str, table: str, hidden: Table) -> Iterator[str]:
    """Wrong actions about what is face down: the reasons that they are refused for must not name it."""
    others = sorted(set(DECK) - hidden.down - hidden.up)
    wrong: list[dict[str, Any]] = [{"do": "deal", "to": 1, "cards": [min(hidden.down)] * 2}]
    for place in sorted(hidden.known_hands, key=str)[:2]:
        wrong += [{"do": "reveal", "of": place, "cards": others[:count]} for count in (2, 3)]
    for action in wrong:
        answer = act(service, round_id, table, action)
        assert answer.status_code in (400, 403, 409), answer.text
        yield whole(answer)


def go_on(service: Service, round_id: str, table: str, action: dict[str, Any]) -> httpx.Response:
    """By the terminal; after too many contradictions by two people of the floor."""
    answer = act(service, round_id, table, action)
    if answer.status_code != 403:
        return answer
    body = {"actions": [action], "second_person": "floor-y"}
    headers = {"Second-Authorization": signature("floor-y")}
    return service.ask("POST", f"/v1/rounds/{round_id}/actions", "floor", body, headers=headers)


@pytest.mark.parametrize("ruleset", rulesets.ids())
def test_nothing_is_emitted_before_a_card_is_turned_over(service: Service, ruleset: str):
    """Each step is looked at by another role; what a round has emitted so far never names what is still face down."""
    for number, document in enumerate(islice(with_cards_face_down(ruleset), 2)):
        table, round_id = f"down-{ruleset}-{number}", f"r-down-{ruleset}-{number}"
        session = {key: document[key] for key in ("ruleset", "terms") if key in document}
        opened = service.ask("POST", f"/v1/tables/{table}/sessions", "floor", session)
        assert opened.status_code == 201, opened.text
        body = {key: document[key] for key in ("player_dealer", "players") if key in document}
        answer = service.ask("POST", f"/v1/tables/{table}/rounds", "floor", {**body, "round": round_id})
        assert answer.status_code == 201, answer.text
        named, fed, hidden = cards_in(whole(answer)), set[str](), Table(ruleset)
        for step, action in enumerate(document["actions"]):
            if action["do"] == "settle":
                break  # turns over what is still live
            answer = go_on(service, round_id, table, action)
            assert answer.status_code == 200, answer.text
            hidden.take_in(action)
            fed |= cards_in(service.feed.upto(round_id, answer.json()["version"]))
            emitted = [whole(answer)]
            if hidden.down:
                emitted += looks(service, round_id, table, ROLES[step % len(ROLES)])
                emitted += provocations(service, round_id, table, hidden)
            named = named.union(fed, *map(cards_in, emitted))
            assert not named & hidden.down, (ruleset, step, action)
        answer = go_on(service, round_id, table, {"do": "settle"})
        assert answer.status_code == 200, answer.text
        fed |= cards_in(service.feed.upto(round_id, answer.json()["version"]))
        assert (cards_in(whole(answer)) | fed) & hidden.up  # the search does find what has been turned over


def test_neither_log_nor_metrics_name_a_card(service: Service):
    """Whatever was played before, and whether it has been turned over or not."""
    assert service.ask("GET", "/v1/rounds", "floor").status_code == 200
    said = service.said()
    assert '"operation":"act"' in said
    assert cards_in(said) == set()
    assert cards_in(whole(service.ask("GET", "/metrics", "floor"))) == set()

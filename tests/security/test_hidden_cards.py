"""A request that stores nothing tells nothing of a card that is face down, whatever is guessed and wherever.

What is refused is refused on the public round, so it is enough that this is the same whatever is face down; the
guesses are tried one by one all the same, on the rules and over HTTP.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from api.service.identity.tokens import make_token
from api.service.problems import of_refusal
from api.service.settings import Settings
from domain.cards import DECK, SEALED
from domain.documents.result import result_of
from domain.errors import BadChoice, Refusal
from domain.round.decide import expects
from domain.round.hidden_cards import judge
from domain.round.replay import play
from domain.rules import rulesets
from domain.view.table_view import table_view
from tests.api.service import KEY, open_service, register_in, signature
from tests.rules.button_games import p215
from tests.security.worlds import NONSENSE, Action, World, guesses, moments, openings, others, played, rounds
from tests.tables_in_play import REST, bank_round, document

KINGS: Action = {"do": "deal", "to": 2, "cards": ["Kc", "Kh"]}
CONTRADICTED = "round.hidden_card_contradicted.v1"


# ---- the rules


@pytest.mark.parametrize("ruleset", rulesets.ids())
def test_the_public_round_is_the_same_whatever_lies_face_down(ruleset: str):
    compared = 0
    for raw in rounds(ruleset, 2):
        for world, _ in moments(raw):
            for other in others(raw, world):
                assert other.hidden.keys() == world.hidden.keys()
                assert other.public == world.public
                compared += other.whole != world.whole
    assert compared


def refused(world: World, actions: list[Action]) -> tuple[Any, ...] | None:
    """The refusal that a caller would get; None where the request would be compared with the cards."""
    try:
        judge(world.public, actions)
    except Refusal as refusal:
        problem = of_refusal(refusal)
        return problem.status, problem.code, problem.detail, problem.clause, problem.action
    return None


@pytest.mark.parametrize("ruleset", rulesets.ids())
def test_a_right_guess_is_refused_like_a_wrong_one(ruleset: str):
    """With nonsense behind it. Only a card that everybody can see makes a difference."""
    right = 0
    for raw in rounds(ruleset, 1):
        for world, rest in moments(raw):
            answers: dict[str, set[Any]] = {}
            down = {card for cards in world.hidden.values() for card in cards}
            for kind, card, guess in guesses(world, rest):
                if card not in world.up:
                    named = {name for name in guess[0]["cards"] if name is not None}
                    twice = len(named) < len(guess[0]["cards"])  # the guess itself names a card twice
                    answers.setdefault(f"{kind} {twice}", set()).add(refused(world, [*guess, NONSENSE]))
                    right += card in down
            assert all(len(each) == 1 and None not in each for each in answers.values()), answers
    assert right


@pytest.mark.parametrize("ruleset", rulesets.ids())
def test_what_was_played_passes_the_first_judgement(ruleset: str):
    """Whatever comes next, in pieces of any length: judging without cards refuses nothing that the cards allow."""
    for raw in rounds(ruleset, 2):
        for world, rest in moments(raw):
            for length in (1, 2, 3, len(rest)):
                assert refused(world, rest[:length]) is None


@pytest.mark.parametrize("ruleset", rulesets.ids())
def test_what_is_shown_of_a_round_is_made_of_the_public_one(ruleset: str):
    """It shows the same as the round with its cards does, and never the sign for a hidden card."""
    for raw in rounds(ruleset, 2):
        for world, _ in moments(raw):
            shown = [(result_of(one), expects(one), table_view(one)) for one in (world.public, world.whole)]
            assert shown[0] == shown[1]
            assert SEALED not in str(shown)


def test_in_pure_21_5_a_request_is_judged_by_all_hole_cards():
    """Whether another card is drawn depends on the hole card; whether the request is refused does not."""
    raw = document(p215("1 game 25.00", cards="1: Ts 9c, dealer: 9h 7d"), "t-1")
    world = played(raw, [*raw["actions"], {"do": "decide", "seat": 1, "choice": "stand"}])
    reveal, draw = {"do": "reveal", "of": "dealer"}, {"do": "deal", "to": "dealer", "cards": ["5c"]}
    assert refused(world, [reveal, {"do": "settle"}]) is None  # with an eight there it would be right
    assert refused(world, [reveal, draw, {"do": "settle"}]) is None  # and so is this, with a two
    assert refused(world, [reveal, draw, draw, draw, draw, {"do": "settle"}]) is not None
    assert play(world.whole, [reveal, draw, {"do": "settle"}])[0].status == "settled"


# ---- over HTTP


@pytest.fixture(scope="module")
def client(ledger_url: str) -> Iterator[Any]:
    with open_service(ledger_url) as client:
        yield client


def open_round(client: Any, raw: dict[str, Any], actions: list[Action], name: str) -> str:
    """A round at a table of its own, with these actions posted one by one."""
    session = {key: raw[key] for key in ("ruleset", "terms") if key in raw}
    answer = client.post(f"/v1/tables/{name}/sessions", json=session)
    assert answer.status_code == 201, answer.text
    body: dict[str, Any] = {key: raw[key] for key in ("player_dealer", "players") if key in raw}
    answer = client.post(f"/v1/tables/{name}/rounds", json={**body, "round": f"r-{name}"})
    assert answer.status_code == 201, answer.text
    for action in actions:
        answer = client.post(f"/v1/rounds/r-{name}/actions", json={"actions": [action]})
        assert answer.status_code == 200, answer.text
    return f"r-{name}"


def reply(client: Any, round_id: str, actions: list[Action]) -> tuple[int, tuple[tuple[str, str], ...], bytes]:
    """All that comes back: status, headers and body, to the last byte."""
    answer = client.post(
        f"/v1/rounds/{round_id}/actions", json={"actions": actions}, headers={"X-Request-Id": "same-for-all"}
    )
    return answer.status_code, tuple(answer.headers.items()), answer.content


def version(client: Any, round_id: str) -> int:
    number: int = client.get(f"/v1/rounds/{round_id}").json()["version"]
    return number


def some_moments(raw: dict[str, Any]) -> list[tuple[World, list[Action]]]:
    """The first with something face down, one in the middle, and the last."""
    found = list(moments(raw))
    return [found[0], found[len(found) // 2], found[-1]]


@pytest.mark.parametrize("ruleset", rulesets.ids())
def test_every_refusal_is_the_same_to_the_last_byte(client, ruleset: str):
    (raw,) = rounds(ruleset, 1)
    for moment, (world, rest) in enumerate(some_moments(raw)):
        name = f"bytes-{ruleset}-{moment}"
        round_id = open_round(client, raw, world.actions, name)
        before = version(client, round_id)
        down = {card for cards in world.hidden.values() for card in cards}
        tried = {*sorted(down)[:4], *sorted(set(DECK) - down - world.up)[:4]}
        answers: dict[str, set[Any]] = {}
        for kind, card, guess in guesses(world, rest):
            if card in tried and len(set(guess[0]["cards"])) == len(guess[0]["cards"]):
                answers.setdefault(kind, set()).add(reply(client, round_id, [*guess, NONSENSE]))
        assert answers
        assert all(len(each) == 1 for each in answers.values()), answers
        assert version(client, round_id) == before


@pytest.mark.parametrize("ruleset", ["p215-casino-club", "uth-casino-club", "tcp-casino-club"])
def test_what_turns_cards_over_and_is_refused_is_the_same_whatever_they_are(client, ruleset: str):
    (raw,) = rounds(ruleset, 1)
    for moment, (world, rest) in enumerate(some_moments(raw)):
        answers: dict[int, set[Any]] = {}
        worlds = [world, *others(raw, world)]
        for number, one in enumerate(worlds):
            round_id = open_round(client, raw, one.actions, f"open-{ruleset}-{moment}-{number}")
            for request, actions in enumerate(openings(world, rest)):
                answers.setdefault(request, set()).add(reply(client, round_id, [*actions, NONSENSE]))
        assert len(worlds) > 1
        assert all(len(each) == 1 for each in answers.values()), answers


def test_a_settled_round_tells_nothing_of_a_hand_that_was_folded(client):
    """What-ifs, corrections and actions, on two rounds that differ in the folded hand alone."""
    answers: dict[str, set[Any]] = {}
    for number, folded in enumerate((["3c", "3d"], ["5h", "6h"])):
        raw = bank_round(f"folded-{number}", round_id="r-folded")
        actions = [{**each, "cards": folded} if each.get("to") == 2 else each for each in raw["actions"]]
        round_id = open_round(client, raw, actions, f"folded-{number}")
        headers = {"X-Request-Id": "same-for-all"}
        for card in DECK:
            flop = {"do": "reveal", "of": "flop", "cards": [card, "9c", "7h"]}
            facts = {str(_fact(client, round_id, "flop")): flop}
            asked = client.post(f"/v1/rounds/{round_id}/what-if", json={"facts": facts}, headers=headers)
            body = {"reason": "r", "second_person": "b", "account": "house", "facts": {**facts, "0": {"do": "settle"}}}
            corrected = client.post(f"/v1/rounds/{round_id}/corrections/facts", json=body, headers=headers)
            acted = reply(client, round_id, [flop])
            assert asked.status_code == 200
            assert corrected.status_code == 409
            said = asked.content.replace(round_id.encode(), b"")
            answers.setdefault(card, set()).add((said, corrected.content, tuple(corrected.headers.items()), acted))
    assert all(len(each) == 1 for each in answers.values())


def _fact(client: Any, round_id: str, of: str) -> int:
    """The number of the reveal among the round's facts."""
    facts = [
        event
        for event in client.get(f"/v1/rounds/{round_id}/events").json()["events"]
        if event["event"].split(".")[1]
        in ("wager_placed", "bets_closed", "cards_dealt", "cards_turned", "decision_made", "settled")
    ]
    return next(at for at, event in enumerate(facts) if event["fields"].get("of") == of)


def test_a_document_that_comes_again_with_another_hidden_card_is_no_test_of_it(client):
    """Whoever knows all of a document but one hand could else try every hand until it is answered."""
    raw = bank_round("again-1", round_id="r-again", end="open")
    body = {key: raw[key] for key in ("round", "player_dealer", "actions")} | {"players": {"7": "a"}}
    session = {key: raw[key] for key in ("ruleset", "terms") if key in raw}
    assert client.post("/v1/tables/again-1/sessions", json=session).status_code == 201

    def sent(hand: list[str | None]) -> tuple[int, tuple[tuple[str, str], ...], bytes]:
        actions = [{**each, "cards": hand} if each.get("to") == 2 else each for each in body["actions"]]
        headers = {"X-Request-Id": "same-for-all"}
        answer = client.post("/v1/tables/again-1/rounds", json={**body, "actions": actions}, headers=headers)
        return answer.status_code, tuple(answer.headers.items()), answer.content

    first = sent(["3c", "3d"])
    assert first[0] == 201
    assert {sent(["3c", "3d"]), sent(["3c", "4d"]), sent(["5h", "6h"])} == {first}
    assert sent([None, None])[0] == 409  # that nobody saw them is another thing, and no secret
    assert version(client, "r-again") == len(client.get("/v1/rounds/r-again/events").json()["events"])


# ---- a request that would be stored


def contradictions(client: Any, round_id: str, **headers: str) -> list[dict[str, Any]]:
    events = client.get(f"/v1/rounds/{round_id}/events", headers=headers).json()["events"]
    return [event for event in events if event["event"] == CONTRADICTED]


def dealt(name: str) -> tuple[dict[str, Any], list[Action], list[Action]]:
    """A round up to the deal of seat 2, and what comes then."""
    raw = bank_round(name, round_id=f"r-{name}", end="open")
    at = next(at for at, action in enumerate(raw["actions"]) if action.get("to") == 2)
    return raw, raw["actions"][:at], raw["actions"][at:]


@pytest.mark.parametrize(
    ("name", "guess", "code"),
    [
        ("deal", [{"do": "deal", "to": 2, "cards": ["As", None]}], "duplicate_card"),
        ("more", [KINGS, {"do": "deal", "to": "dealer", "cards": ["Ad", None]}], "duplicate_card"),
    ],
)
def test_an_attempt_is_refused_without_an_index_and_stored_without_the_card(client, name, guess, code):
    raw, before, _ = dealt(f"attempt-{name}")
    round_id = open_round(client, raw, before, f"attempt-{name}")
    was = version(client, round_id)
    answer = client.post(f"/v1/rounds/{round_id}/actions", json={"actions": guess}, headers={"Staff-Id": "eve"})
    assert (answer.status_code, answer.json()["code"], answer.json()["action"]) == (409, code, None)
    assert (answer.json()["version"], answer.headers["etag"]) == (was + 1, f'"{was + 1}"')
    (stored,) = contradictions(client, round_id)
    assert (stored["by"], stored["fields"]) == ("eve", {"code": code})
    assert version(client, round_id) == was + 1
    honest = client.post(f"/v1/rounds/{round_id}/actions", json={"actions": dealt("x")[2][:1]})
    assert honest.status_code == 200, honest.text


def test_a_card_of_the_request_itself_is_refused_with_its_index(client):
    raw, before, _ = dealt("own-cards")
    round_id = open_round(client, raw, before, "own-cards")
    own = [KINGS, {"do": "deal", "to": "dealer", "cards": ["Kc", None]}]
    answer = client.post(f"/v1/rounds/{round_id}/actions", json={"actions": own})
    assert (answer.json()["code"], answer.json()["action"]) == ("duplicate_card", 1)
    assert contradictions(client, round_id) == []


def test_reveals_and_peeks_that_contradict_are_attempts(client):
    raw = bank_round("reveals", round_id="r-reveals", end="open")
    round_id = open_round(client, raw, raw["actions"], "reveals")
    wrong = {"do": "reveal", "of": 2, "cards": ["3c", "3h"]}
    answer = client.post(f"/v1/rounds/{round_id}/actions", json={"actions": [wrong]})
    assert (answer.json()["code"], answer.json()["action"]) == ("wrong_cards", None)
    flop = [REST[0], {"do": "reveal", "of": "flop", "cards": ["Kd", "9c", "3d"]}]
    answer = client.post(f"/v1/rounds/{round_id}/actions", json={"actions": flop})
    assert (answer.json()["code"], answer.json()["action"]) == ("wrong_cards", None)
    assert [event["fields"] for event in contradictions(client, round_id)] == [{"code": "wrong_cards"}] * 2
    assert client.post(f"/v1/rounds/{round_id}/actions", json={"actions": REST}).json()["status"] == "settled"


def hole_card(client: Any, name: str, up: str, hole: str) -> str:
    raw = document(p215("1 game 25.00", cards=f"1: Ts 9c, dealer: {up} {hole}"), name)
    return open_round(client, raw, raw["actions"], name)


def test_a_peek_that_guesses_wrong_is_an_attempt_and_one_that_asks_is_answered(client):
    for number, (hole, pure) in enumerate((("5d", False), ("Kd", True))):
        round_id = hole_card(client, f"peek-{number}", "Ah", hole)
        address = f"/v1/rounds/{round_id}/actions"
        answer = client.post(address, json={"actions": [{"do": "peek", "pure": not pure}]})
        assert (answer.status_code, answer.json()["code"], answer.json()["action"]) == (409, "wrong_cards", None)
        assert len(contradictions(client, round_id)) == 1
        assert client.post(address, json={"actions": [{"do": "peek"}]}).status_code == 200
        (peeked,) = [
            event
            for event in client.get(f"/v1/rounds/{round_id}/events").json()["events"]
            if event["event"] == "round.hole_card_peeked.v1"
        ]
        assert peeked["fields"] == {"pure": pure}


def test_going_on_as_if_the_hole_card_were_another_is_an_attempt(client):
    """9h 7d is a 16 and draws; whoever settles behind the reveal has said that it does not."""
    round_id = hole_card(client, "goes-on", "9h", "7d")
    address = f"/v1/rounds/{round_id}/actions"
    assert client.post(address, json={"actions": [{"do": "decide", "seat": 1, "choice": "stand"}]}).status_code == 200
    actions: list[Action] = [{"do": "reveal", "of": "dealer"}, {"do": "settle"}]
    answer = client.post(address, json={"actions": actions})
    assert (answer.status_code, answer.json()["code"], answer.json()["action"]) == (409, "wrong_cards", None)
    assert len(contradictions(client, round_id)) == 1
    actions.insert(1, {"do": "deal", "to": "dealer", "cards": ["5c"]})
    assert client.post(address, json={"actions": actions}).json()["status"] == "settled"


def test_an_attempt_that_comes_again_under_its_key_is_one_attempt(client):
    raw, before, rest = dealt("key")
    round_id = open_round(client, raw, before, "key")
    guess, headers = {"actions": [{"do": "deal", "to": 2, "cards": ["As", None]}]}, {"Idempotency-Key": "k-1"}
    address = f"/v1/rounds/{round_id}/actions"
    first, second = (client.post(address, json=guess, headers=headers) for _ in range(2))
    assert (first.status_code, first.headers["content-type"]) == (409, "application/problem+json")
    assert (second.status_code, second.headers["content-type"]) == (409, "application/problem+json")
    assert first.content == second.content
    assert ("idempotent-replayed" in first.headers, second.headers["idempotent-replayed"]) == (False, "true")
    assert len(contradictions(client, round_id)) == 1
    for again in (rest[:1], [{"do": "deal", "to": 2, "cards": ["Ad", None]}]):
        reused = client.post(address, json={"actions": again}, headers=headers)
        assert (reused.status_code, reused.json()["code"]) == (422, "key_reused")
    assert len(contradictions(client, round_id)) == 1


def test_a_key_that_is_used_again_is_no_test_of_what_was_dealt_under_it(client):
    """The key of a shoe is easily guessed: whoever has it could else try every hand until the first answer comes."""
    raw, before, rest = dealt("same-key")
    round_id = open_round(client, raw, before, "same-key")
    key = {"Idempotency-Key": "shoe-1-0007", "X-Request-Id": "same-for-all"}

    def sent(address: str, body: dict[str, Any]) -> tuple[int, str | None, bytes]:
        answer = client.post(address, json=body, headers=key)
        return answer.status_code, answer.headers.get("etag"), answer.content

    def act(cards: list[str | None]) -> tuple[int, str | None, bytes]:
        return sent(f"/v1/rounds/{round_id}/actions", {"actions": [{**rest[0], "cards": cards}]})

    first = act(["3c", "3d"])
    assert first[0] == 200
    assert {act([one, other]) for one in DECK[:9] for other in DECK[9:14]} == {first}
    assert act([None, "3d"])[0] == 422  # that nobody saw a card is another thing, and no secret
    key["Idempotency-Key"] = "shoe-1-0008"
    address = "/v1/tables/same-key/cards"
    first = sent(address, {"packets": [["Qs", "Qc"]]})
    assert first[0] == 200
    assert {sent(address, {"packets": [[card, "Qc"]]}) for card in DECK} == {first}
    assert sent(address, {"packets": [["Qs"]]})[0] == 422


def test_a_key_is_still_for_the_cards_that_everybody_sees(client):
    raw = document(p215("1 game 25.00", cards="1: Ts 9c, dealer: Ah 5d"), "seen-key")
    round_id = open_round(client, raw, raw["actions"][:2], "seen-key")
    address, headers = f"/v1/rounds/{round_id}/actions", {"Idempotency-Key": "k"}
    for cards, status in ((["Ts"], 200), (["Ts"], 200), (["Tc"], 422)):
        body = {"actions": [{"do": "deal", "to": 1, "cards": cards}]}
        assert client.post(address, json=body, headers=headers).status_code == status


def test_a_used_key_is_refused_before_anything_is_compared(client, monkeypatch: pytest.MonkeyPatch):
    """Or the time until the refusal would tell whether there was a contradiction, at no cost."""
    raw, before, rest = dealt("used-key")
    round_id = open_round(client, raw, before, "used-key")
    address, headers = f"/v1/rounds/{round_id}/actions", {"Idempotency-Key": "used"}
    assert client.post(address, json={"actions": rest[:1]}, headers=headers).status_code == 200

    def compare(*_: Any) -> Any:
        raise AssertionError("the request was compared with the cards")

    monkeypatch.setattr("infra.ledger.round_changes.play", compare)
    for card in ("Kd", "Kc"):
        guess = {"actions": [{"do": "deal", "to": "dealer", "cards": [card, None]}]}
        assert client.post(address, json=guess, headers=headers).status_code == 422
    nonsense = {"actions": [{"do": "deal", "to": "dealer", "cards": ["As", None]}, NONSENSE]}
    assert client.post(address, json=nonsense).status_code == 400  # nor is anything that is refused


def test_a_stale_version_is_said_before_anything_is_compared(client):
    raw, before, _ = dealt("stale")
    round_id = open_round(client, raw, before, "stale")
    for card in ("As", "Kc"):
        guess = {"actions": [{"do": "deal", "to": 2, "cards": [card, None]}]}
        answer = client.post(f"/v1/rounds/{round_id}/actions", json=guess, headers={"If-Match": '"3"'})
        assert answer.status_code == 412
    assert contradictions(client, round_id) == []


def test_a_correction_that_contradicts_a_folded_hand_is_an_attempt(client):
    raw = bank_round("misread", round_id="r-misread")
    round_id = open_round(client, raw, raw["actions"], "misread")

    def correct(card: str) -> Any:
        facts = {str(_fact(client, round_id, "flop")): {"do": "reveal", "of": "flop", "cards": [card, "9c", "7h"]}}
        body = {"reason": "Misread.", "second_person": "b", "account": "house", "facts": facts}
        return client.post(f"/v1/rounds/{round_id}/corrections/facts", json=body, headers={"Idempotency-Key": card})

    for _ in range(2):
        answer = correct("3d")  # in the hand of seat 2, which was folded
        assert (answer.status_code, answer.json()["code"], answer.json()["action"]) == (409, "duplicate_card", None)
    assert len(contradictions(client, round_id)) == 1
    assert correct("Kc").status_code == 200


def test_a_correction_that_something_else_refuses_is_no_test_of_a_folded_hand(client, monkeypatch: pytest.MonkeyPatch):
    """What it does to a meter may be refused, and that is found out before anything is compared."""

    def refuse(*_: Any) -> None:
        raise BadChoice("A meter cannot show less than 0.00.")

    monkeypatch.setattr("infra.ledger.annotations._correct_meter", refuse)
    raw = bank_round("meter-first", round_id="r-meter-first")
    round_id = open_round(client, raw, raw["actions"], "meter-first")
    answers = set()
    for card in ("3d", "Kc"):  # in the hand of seat 2, which was folded, and nowhere
        facts = {str(_fact(client, round_id, "flop")): {"do": "reveal", "of": "flop", "cards": [card, "9c", "7h"]}}
        body = {"reason": "Misread.", "second_person": "b", "account": "house", "facts": facts}
        headers = {"X-Request-Id": "same-for-all"}
        answer = client.post(f"/v1/rounds/{round_id}/corrections/facts", json=body, headers=headers)
        answers.add((answer.status_code, tuple(answer.headers.items()), answer.content))
    assert len(answers) == 1
    assert contradictions(client, round_id) == []


# ---- after three attempts


@pytest.fixture(scope="module")
def locked(ledger_url: str) -> Iterator[Any]:
    with open_service(ledger_url, token_key=KEY, rate_limit=0) as client:
        register_in(
            ledger_url, ("floor-1", "floor"), ("floor-2", "floor"), ("cage-1", "cage"), ("acct-1", "accounting")
        )
        yield client


def bearer(role: str, by: str, table: str | None = None) -> str:
    return f"Bearer {make_token(KEY, Settings(token_key=KEY), by, role, table, 1.0)[0]}"


def test_after_three_attempts_only_floor_with_a_second_person_goes_on(client, locked):
    raw, before, rest = dealt("three")
    round_id = open_round(client, raw, before, "three")
    address = f"/v1/rounds/{round_id}/actions"
    terminal = {"Authorization": bearer("terminal", "dealer-1", "three")}
    floor = {"Authorization": bearer("floor", "floor-1")}
    for card in ("As", "Ad", "As"):
        guess = {"actions": [{"do": "deal", "to": 2, "cards": [card, None]}]}
        assert locked.post(address, json=guess, headers=terminal).status_code == 409
    reader = {"Authorization": bearer("auditor", "audit-1")}
    assert [event["by"] for event in contradictions(locked, round_id, **reader)] == ["dealer-1"] * 3

    def go_on(actions: list[Action], headers: dict[str, str], second: str | None = None) -> int:
        body: dict[str, Any] = {"actions": actions}
        if second is not None:
            body["second_person"] = second
            headers = {**headers, "Second-Authorization": signature(second)}
        status: int = locked.post(address, json=body, headers=headers).status_code
        return status

    was = version(client, round_id)
    for actions in (rest[:1], [{"do": "void", "reason": "misdeal"}], [NONSENSE]):
        assert go_on(actions, terminal) == 403
        assert go_on(actions, floor) == 403
        assert go_on(actions, terminal, "floor-2") == 403  # a terminal is no supervisor, whoever signs with it
        assert go_on(actions, floor, "floor-1") == 403
        assert go_on(actions, floor, "cage-1") == 403
    assert version(client, round_id) == was
    assert go_on(rest[:1], floor, "floor-2") == 200
    assert go_on(rest[1:2], floor) == 403  # each request anew
    kings: Action = {"do": "reveal", "of": 1, "cards": ["Kc", "Kh"]}
    assert go_on([rest[1], rest[2], kings], floor, "floor-2") == 409  # two people who guess are recorded, too
    assert go_on(rest[1:], floor, "floor-2") == 200
    assert go_on(REST, floor, "acct-1") == 200
    events = locked.get(f"/v1/rounds/{round_id}/events", headers=reader).json()["events"]
    pairs = [event["fields"]["by"] for event in events if event["event"] == "round.play_supervised.v1"]
    assert pairs == [["floor-1", "floor-2"]] * 3 + [["floor-1", "acct-1"]]
    assert contradictions(locked, round_id, **reader)[-1]["by"] == "floor-1"


def test_without_authentication_two_people_are_still_two(client):
    raw, before, rest = dealt("two")
    round_id = open_round(client, raw, before, "two")
    address = f"/v1/rounds/{round_id}/actions"
    for _ in range(3):
        client.post(address, json={"actions": [{"do": "deal", "to": 2, "cards": ["As", None]}]})
    alone = client.post(address, json={"actions": rest[:1]})
    assert (alone.status_code, alone.json()["code"]) == (403, "forbidden")
    assert "second person" in alone.json()["detail"]
    headers = {"Staff-Id": "ann"}
    same = client.post(address, json={"actions": rest[:1], "second_person": "ann"}, headers=headers)
    assert (same.status_code, same.json()["code"]) == (409, "bad_choice")
    both = client.post(address, json={"actions": rest[:1], "second_person": "ben"}, headers=headers)
    assert both.status_code == 200

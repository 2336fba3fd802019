"""Two terminals at one table that make mistakes: wrong bets, wrong cards and decisions, answers that get lost, pages
that are loaded again, requests that the other terminal has overtaken. What they mean to enter is a round document."""

from __future__ import annotations

import json
import time
from collections import Counter
from itertools import islice
from random import Random
from typing import Any

import httpx
from fastapi.testclient import TestClient

from domain.cards import DECK
from domain.documents.document import adjudicate
from domain.documents.result import result_of
from domain.round.replay import fact_documents
from infra.ledger.ledger import Actor, Ledger
from infra.simulation import documents
from tests.api.pages.dealer_screen import as_dealt

Action = dict[str, Any]
TOGETHER = ("bet", "deal", "decide")  # as last round, the whole deal, everybody else: several in one tap
MISTAKES = ("none", "none", "none", "lost answer", "never sent", "loaded again", "wrong", "wrong", "behind")


class Dealing:
    """The play of one round by two terminals; `known` is the version that each of them has seen."""

    def __init__(self, client: httpx.Client | TestClient, round_id: str, rng: Random) -> None:
        self.client, self.rng = client, rng
        self.address = f"/v1/rounds/{round_id}"
        self.known = [1, 1]
        self.keys = 0
        self.done: Counter[str] = Counter()

    def enter(self, actions: list[Action]) -> None:
        """What one tap enters; a single one may be mistaken."""
        terminal, action, chance = self.rng.randrange(2), actions[0], self.rng.choice(MISTAKES)
        match "none" if chance == "wrong" and len(actions) > 1 else chance:
            case "wrong" if action["do"] == "bet":
                wrong = {**action, "amount": "7.00"}
                self.post(terminal, "actions", {"actions": [wrong]}, 200)
                back = {"do": "withdraw", **{name: wrong[name] for name in ("seat", "spot", "amount")}}
                if "bettor" in wrong:
                    back["bettor"] = wrong["bettor"]
                self.post(1 - terminal, "actions", {"actions": [back]}, 200)
                self.count("wrong bet")
            case "wrong" if action["do"] in ("deal", "decide", "peek") or "cards" in action:
                if not self.take_back(terminal, self.mistaken(action)):
                    return  # by chance it was right, and sealed cards that are shown stay
            case "lost answer":
                self.count("lost answer")
                self.post(terminal, "actions", {"actions": actions}, 200, times=2)
                return
            case "never sent":
                self.count("never sent")
            case "loaded again":
                self.count("loaded again")
                self.look(terminal)
            case "behind":
                self.known[terminal] = max(1, self.known[terminal] - 1)
        self.post(terminal, "actions", {"actions": actions}, 200)

    def mistaken(self, action: Action) -> Action:
        """Another card, or another decision; where that is refused, nothing was entered."""
        if action["do"] == "peek":
            return {"do": "peek", "pure": not action.get("pure", False)}
        if action["do"] == "decide":
            entries = self.client.get(self.address).json()["expects"]
            same = [one for one in entries if one["do"] == "decide" and one["seat"] == action["seat"]]
            choices = [one for entry in same if "bettor" not in entry for one in entry["choices"] if "max" not in one]
            if not choices or "bettor" in action:
                return action
            chosen = self.rng.choice(choices)
            times = {"times": self.rng.choice(chosen["times"])} if "times" in chosen else {}
            hand = {"hand": action["hand"]} if "hand" in action else {}
            return {"do": "decide", "seat": action["seat"], **hand, "choice": chosen["choice"], **times}
        cards = [None if card is None else self.rng.choice(DECK) for card in action.get("cards", ())]
        return {**action, **({"cards": cards} if "cards" in action else {})}

    def take_back(self, terminal: int, wrong: Action) -> bool:
        """Whether nothing of it is left."""
        status = self.post(terminal, "actions", {"actions": [wrong]}, None)
        if status != 200:
            self.count("wrong entry refused")
            return True
        body = {"reason": "A slip of the finger.", "confirmed_by": "floor-1"}
        status = self.post(1 - terminal, "take-backs", body, None, times=self.rng.choice((1, 2)))
        assert status == 200 or wrong["do"] == "reveal", (status, wrong)
        self.count("taken back")
        return status == 200

    def post(self, terminal: int, what: str, body: Action, status: int | None, times: int = 1) -> int:
        """Onto the version that the terminal has seen; one that is behind looks and tries again, as the screen does."""
        self.keys += 1
        key = f"{self.address}-{self.keys}"
        attempt = 0
        while True:
            attempt += 1
            assert attempt < 5, "nobody is overtaken for ever"
            headers = {"If-Match": f'"{self.known[terminal]}"', "Idempotency-Key": f"{key}-{attempt}"}
            answers = [self.client.post(f"{self.address}/{what}", json=body, headers=headers) for _ in range(times)]
            assert len({(answer.status_code, answer.text) for answer in answers if answer.status_code == 200}) <= 1
            answer = answers[0]
            if answer.status_code == 412:
                self.count("overtaken")
            elif answer.status_code == 403 and "second_person" not in body and what == "actions":
                body = {**body, "second_person": "floor-2"}
                self.count("two people")
            else:
                break
            self.look(terminal)
        if answer.status_code == 200:
            self.known[terminal] = answer.json()["version"]
            if self.rng.random() < 0.8:  # the other one has heard of it by its feed
                self.known[1 - terminal] = self.known[terminal]
        elif status is not None:
            raise AssertionError((status, answer.text, body))
        return answer.status_code

    def look(self, terminal: int) -> None:
        self.known[terminal] = self.client.get(self.address).json()["version"]

    def count(self, what: str) -> None:
        self.done[what] += 1


def play_rounds(
    client: httpx.Client | TestClient, ledger: Ledger, ruleset: str, rounds: int, seed: int
) -> Counter[str]:
    """Plays them, and compares each with the same document at a table where nobody makes mistakes; what happened."""
    rng = Random(f"{ruleset}/{seed}")
    done: Counter[str] = Counter()
    for number, line in enumerate(islice(documents(ruleset, seed, 1), rounds)):
        raw = json.loads(line)
        raw.get("terms", {}).get("meter", {}).pop("id", None)  # each table has a meter of its own
        document = as_dealt(raw) if rng.random() < 0.7 else raw
        table, round_id = f"{ruleset}-{seed}", f"{ruleset}-{seed}-{number}"
        actor = Actor("dealer-1", time.time_ns() // 1_000_000)
        right = ledger.record({**document, "table": f"{table}-m", "round": f"{round_id}-m"}, actor)
        opened = ledger.record({**document, "table": table, "round": round_id, "actions": []}, actor)
        assert opened["status"] == "open", opened
        dealing = Dealing(client, round_id, rng)
        for actions in taps(document["actions"], rng):
            dealing.enter(actions)
        check(ledger, round_id, right)
        done.update(dealing.done)
        done["rounds"] += 1
    return done


def taps(actions: list[Action], rng: Random) -> list[list[Action]]:
    """One by one, or those of one kind that follow one another in one tap."""
    found: list[list[Action]] = []
    for action in actions:
        if found and action["do"] in TOGETHER and action["do"] == found[-1][0]["do"] and rng.random() < 0.6:
            found[-1].append(action)
        else:
            found.append([action])
    return found


def check(ledger: Ledger, round_id: str, right: Action) -> None:
    """The result of the document; each wager, card and decision once, and in order."""
    stored, meant = ledger.load(round_id), ledger.load(f"{round_id}-m")
    mine, theirs = result_of(stored.round), result_of(meant.round)
    assert {name: value for name, value in mine.items() if value != theirs[name]}.keys() <= {"round"}, (mine, theirs)
    entered = [fact for fact in fact_documents(stored.events()) if fact["do"] not in ("bet", "withdraw")]
    assert entered == [fact for fact in fact_documents(meant.events()) if fact["do"] not in ("bet", "withdraw")]
    if right["meter"] is None:
        facts = fact_documents(meant.events())
        assert facts
        assert right["lines"] == _adjudicated(ledger, round_id, facts)


def _adjudicated(ledger: Ledger, round_id: str, facts: list[Action]) -> Any:
    opened = ledger.load(round_id).round.opened
    bank = {"seat": opened.bank_seat, "bettor": opened.bank_bettor, "wager": f"{(opened.bank_wager or 0) / 100:.2f}"}
    envelope: Action = {"ruleset": opened.ruleset, "terms": opened.terms, "actions": facts}
    envelope["players"] = {str(seat): bettor for seat, bettor in opened.players.items()}
    if opened.bank_seat is not None:
        envelope["player_dealer"] = bank
    return adjudicate(json.dumps(envelope).encode())["lines"]

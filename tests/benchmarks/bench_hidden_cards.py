"""Whether the time of a refusal tells a right guess at a hidden card from a wrong one.

Two rounds differ in one hand that is face down, and the same guesses go to both, in turns: what is right for one
is wrong for the other, so that nothing but being right can make a difference. Each guess has nonsense behind it, so
that nothing is stored. The figure is how often a right guess takes longer than a wrong one (the Mann-Whitney statistic
as a share); one half is no difference, and the reference is where four standard errors end.
"""

from __future__ import annotations

import http.client
import json
import os
import time
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Any

from tests.benchmarks import Row
from tests.benchmarks.bench_service import served
from tests.tables_in_play import bank_round

GUESSES = int(os.environ.get("ROUNDLEDGER_BENCH_GUESSES", "2000"))  # right ones, and as many wrong ones
STANDARD_ERRORS = 4
HANDS = (["3c", "3d"], ["5h", "6h"])
NONSENSE = {"do": "no such thing"}


class Attacker:
    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def post(self, path: str, body: Any) -> tuple[int, bytes, float]:
        """The status, the answer, and how long it took."""
        sent = json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "X-Request-Id": "same-for-all"}
        started = time.perf_counter()
        self._connection.request("POST", path, sent, headers)
        answer = self._connection.getresponse()
        read = answer.read()
        return answer.status, read, time.perf_counter() - started


def _open(attacker: Attacker, number: int, hand: list[str]) -> str:
    raw = bank_round(f"guessed-{number}", round_id=f"r-guessed-{number}", end="open")
    session = {"ruleset": raw["ruleset"], "terms": raw["terms"]}
    assert attacker.post(f"/v1/tables/{raw['table']}/sessions", session)[0] == 201
    actions = [{**action, "cards": hand} if action.get("to") == 2 else action for action in raw["actions"]]
    body = {"round": raw["round"], "player_dealer": raw["player_dealer"], "actions": actions}
    assert attacker.post(f"/v1/tables/{raw['table']}/rounds", body)[0] == 201
    return f"/v1/rounds/{raw['round']}/actions"


def _requests() -> dict[str, list[list[dict[str, Any]]]]:
    """The guesses of each kind: for the hand of the first round, and for that of the second."""
    check = {"do": "decide", "seat": 2, "choice": "check"}
    flop = [{"do": "reveal", "of": "flop", "cards": [hand[0], "9c", "7h"]} for hand in HANDS]
    return {
        "reveals": [[{"do": "reveal", "of": 2, "cards": hand}, NONSENSE] for hand in HANDS],
        "duplicates": [[check, street, NONSENSE] for street in flop],
    }


def longer(right: Sequence[float], wrong: Sequence[float]) -> float:
    """The share of all pairs in which the right guess took longer; a tie counts half."""
    ordered = sorted(wrong)
    beaten = sum(bisect_left(ordered, value) + bisect_right(ordered, value) for value in right)
    return beaten / (2 * len(right) * len(wrong))


def _measure(attacker: Attacker, paths: Sequence[str], guesses: Sequence[list[dict[str, Any]]]) -> float:
    right, wrong, answers = list[float](), list[float](), set[tuple[int, bytes]]()
    for turn in range(GUESSES // 2 + 50):
        for at, path in enumerate(paths):
            for guess in (at, 1 - at) if turn % 2 else (1 - at, at):
                status, answer, seconds = attacker.post(path, {"actions": guesses[guess]})
                answers.add((status, answer))
                if turn >= 50:  # the first are for warming up
                    (right if guess == at else wrong).append(seconds)
    if len(answers) != 1:
        raise RuntimeError(f"the answers themselves differ: {answers}")
    return longer(right, wrong)


def run() -> list[Row]:
    error = ((2 * GUESSES + 1) / (12 * GUESSES * GUESSES)) ** 0.5
    rows = []
    with served() as port:
        attacker = Attacker(port)
        paths = [_open(attacker, number, hand) for number, hand in enumerate(HANDS)]
        for kind, guesses in _requests().items():
            share = _measure(attacker, paths, guesses)
            rows.append(
                Row(
                    name=f"{kind}, {GUESSES} right and as many wrong guesses",
                    measured=max(share, 1 - share),
                    unit="of pairs",
                    reference=0.5 + STANDARD_ERRORS * error,
                    reference_name=f"no difference, and {STANDARD_ERRORS} standard errors",
                    required_ratio=1.0,
                    better="lower",
                )
            )
    return rows

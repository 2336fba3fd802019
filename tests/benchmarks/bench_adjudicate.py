"""Rounds adjudicated a second, against PokerKit; and whether memory stays flat over a long file.

Ours: a round of Ultimate Texas Hold'em with a player-dealer and six players, from the bytes of its document to the
bytes of its result. Theirs: a six-handed no-limit hold'em hand in which everybody checks or calls to the showdown,
with every automation on. The hands are comparable in cards and decisions; ours has more wagers.
"""

import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version
from itertools import islice
from pathlib import Path

from pokerkit import Automation, NoLimitTexasHoldem

from domain.documents.document import adjudicate, encode_result
from domain.rules import rulesets
from infra.simulation import documents
from tests.benchmarks import Row

PLAYERS = 6
ROUNDS = 200
THEIR_HANDS = 40
TURNS = 12
SHORT_FILE, LONG_FILE = 2_000, 20_000
MOST_GROWTH = 1.1

AUTOMATIONS = (
    Automation.ANTE_POSTING,
    Automation.BET_COLLECTION,
    Automation.BLIND_OR_STRADDLE_POSTING,
    Automation.CARD_BURNING,
    Automation.HOLE_DEALING,
    Automation.BOARD_DEALING,
    Automation.HOLE_CARDS_SHOWING_OR_MUCKING,
    Automation.HAND_KILLING,
    Automation.CHIPS_PUSHING,
    Automation.CHIPS_PULLING,
)

# The process reads its own peak: what the system says of a finished child includes its parent's before the exec.
ADJUDICATE = """
import sys
from api.cli.main import main
try:
    main()
finally:
    peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
    print(peak.split()[1], file=sys.stderr)
"""


def run() -> list[Row]:
    lines = list(islice(filter(is_six_players_round, documents("uth-casino-club", 1, tables=8)), ROUNDS))
    ours, theirs = compared(lines)
    short, long = (peak_kib(length) for length in (SHORT_FILE, LONG_FILE))
    return [
        Row(
            name="adjudicate: six players of Ultimate Texas Hold'em",
            measured=ours,
            unit="hands/s",
            reference=theirs,
            reference_name=f"pokerkit {version('pokerkit')}, six-handed check-down",
            required_ratio=30.0,
        ),
        Row(
            name=f"adjudicate: peak memory after {LONG_FILE:,} documents",
            measured=long / 1024,
            unit="MiB",
            reference=short / 1024,
            reference_name=f"after {SHORT_FILE:,}",
            required_ratio=1 / MOST_GROWTH,
            better="lower",
        ),
    ]


def is_six_players_round(line: bytes) -> bool:
    """A settled round with a player-dealer and six seats that bet, and nobody behind them."""
    actions = json.loads(line)["actions"]
    bets = [action for action in actions if action["do"] == "bet"]
    alone = not any("kind" in bet for bet in bets)
    dealt = {action["to"] for action in actions if action["do"] == "deal" and isinstance(action["to"], int)}
    return alone and len(dealt) == PLAYERS and actions[-1]["do"] == "settle"


def compared(lines: list[bytes]) -> tuple[float, float]:
    """Our rate and theirs. The two take turns, so that a busy moment of the machine hits both.

    Every round and every hand counts with its quickest turn: hard and easy ones alike, each at its least disturbed.
    """
    ours = [float("inf")] * len(lines)
    theirs = [float("inf")] * THEIR_HANDS
    for _ in range(TURNS):
        for at, line in enumerate(lines):
            ours[at] = min(ours[at], seconds(adjudicate_line, line))
        for at in range(THEIR_HANDS):
            random.seed(at)  # PokerKit shuffles with it, so that each turn plays the same hands
            theirs[at] = min(theirs[at], seconds(check_down))
    return len(lines) / sum(ours), THEIR_HANDS / sum(theirs)


def adjudicate_line(line: bytes) -> None:
    encode_result(adjudicate(line))


def check_down() -> None:
    state = NoLimitTexasHoldem.create_state(AUTOMATIONS, False, 0, (1, 2), 2, 200, PLAYERS)
    while state.status:
        state.check_or_call()


def seconds(work: Callable[..., None], *arguments: object) -> float:
    """Of one core's time, whoever else uses the machine."""
    start = time.process_time()
    work(*arguments)
    return time.process_time() - start


def peak_kib(length: int) -> int:
    """The most memory that `roundledger adjudicate` has held at the end of a file of so many documents."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rounds.jsonl"
        with file.open("wb") as out:
            out.writelines(line + b"\n" for line in islice(mixed(), length))
        command = [sys.executable, "-c", ADJUDICATE, "adjudicate", str(file)]
        done = subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    return int(done.stderr)


def mixed() -> Iterator[bytes]:
    """Rounds of all rule sets in turn, no two alike."""
    floors = [documents(ruleset, 1, tables=4) for ruleset in rulesets.ids()]
    while True:
        yield from map(next, floors)

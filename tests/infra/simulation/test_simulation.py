"""The simulated floor: the same for the same seed, legal to the last action, rotation kept, and varied."""

import json
import os
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import islice, pairwise
from random import Random
from typing import Any

import pytest
from typer.testing import CliRunner

from api.cli.main import app
from domain.documents.document import adjudicate
from domain.games.p215 import strategy as p215
from domain.games.uth import strategy as uth
from domain.round.dealing import clockwise
from domain.rules import rulesets
from infra.simulation import LARGEST_SEED, MOST_ROUNDS, MOST_TABLES, documents
from infra.simulation.table import Table
from infra.simulation.withdrawals import Withdrawals

IDS = rulesets.ids()
PLAYER_BANKED = [id for id in IDS if rulesets.load(id).player_banked]
ROUNDS = 720
TABLES = 8
ID_FORM = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")

Document = dict[str, Any]


@cache
def lines(ruleset: str) -> list[bytes]:
    return list(islice(documents(ruleset, 7, TABLES), ROUNDS))


@cache
def rounds(ruleset: str) -> list[tuple[Document, Document]]:
    """Documents with their results."""
    return [(json.loads(line), adjudicate(line)) for line in lines(ruleset)]


def tables(ruleset: str) -> list[list[tuple[Document, Document]]]:
    """The same table by table."""
    found: dict[str, list[tuple[Document, Document]]] = defaultdict(list)
    for document, result in rounds(ruleset):
        found[document["table"]].append((document, result))
    return list(found.values())


def actions(document: Document, do: str) -> Iterator[Document]:
    return (action for action in document["actions"] if action["do"] == do)


# ---- the same for the same seed


@pytest.mark.parametrize("ruleset", IDS)
def test_the_same_seed_gives_the_same_bytes(ruleset):
    assert list(islice(documents(ruleset, 7, TABLES), 100)) == lines(ruleset)[:100]


@pytest.mark.parametrize("ruleset", IDS)
def test_another_seed_gives_other_rounds(ruleset):
    assert list(islice(documents(ruleset, 8, TABLES), 20)) != lines(ruleset)[:20]


@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_the_bytes_do_not_depend_on_hash_randomisation(hash_seed):
    program = f"""
import sys
from itertools import islice
from infra.simulation import documents
for ruleset in {IDS}:
    sys.stdout.buffer.writelines(islice(documents(ruleset, 7, {TABLES}), 60))
"""
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, check=True)
    assert done.stdout == b"".join(line for ruleset in IDS for line in lines(ruleset)[:60])


# ---- legal


@pytest.mark.parametrize("ruleset", IDS)
def test_every_round_is_accepted_and_ends_settled_or_void(ruleset):
    for document, result in rounds(ruleset):
        assert result["error"] is None, document
        assert result["status"] == {"settle": "settled", "void": "void"}[document["actions"][-1]["do"]]


def test_rounds_and_tables_have_ids_of_their_own_over_rule_sets_and_seeds():
    seen: set[str] = set()
    owners: dict[str, tuple[str, int]] = {}
    for ruleset in IDS:
        for seed in (7, 8):
            for line in islice(documents(ruleset, seed, TABLES), 60):
                document = json.loads(line)
                assert document["round"] not in seen
                seen.add(document["round"])
                assert owners.setdefault(document["table"], (ruleset, seed)) == (ruleset, seed)


def test_the_longest_ids_still_have_the_form_of_one():
    ruleset = max(IDS, key=len)
    *_, last = islice(documents(ruleset, LARGEST_SEED, MOST_TABLES), 20)
    document = json.loads(last)
    longest = re.sub(r"\d+$", str(MOST_ROUNDS), re.sub(r"-t\d+", f"-t{MOST_TABLES}", document["round"]))
    for name in (longest, document["round"], document["table"], *document["players"].values()):
        assert ID_FORM.fullmatch(name)


def test_the_rounds_of_the_tables_are_interleaved():
    assert len({document["table"] for document, _ in rounds("uth-bgc")[:80]}) == TABLES


@pytest.mark.parametrize("ruleset", IDS)
def test_a_table_keeps_its_terms_for_a_session(ruleset):
    for table in tables(ruleset):
        terms = [{**document["terms"], "meter": None} for document, _ in table]
        assert sum(before != after for before, after in pairwise(terms)) <= len(table) // 60


def test_tables_differ_in_their_terms():
    assert len({json.dumps(table[0][0]["terms"]) for table in tables("p215-casino-club")}) > 1


@pytest.mark.parametrize("ruleset", IDS)
def test_people_stay_for_a_while_and_others_come(ruleset):
    moved = [
        before["players"] != after["players"]
        for table in tables(ruleset)
        for (before, _), (after, _) in pairwise(table)
    ]
    assert len(moved) / 50 < sum(moved) < len(moved) / 3


def test_a_meter_goes_on_from_round_to_round():
    compared = 0
    for table in tables("uth-sd"):
        meters = [(document["terms"]["meter"], result) for document, result in table if "meter" in document["terms"]]
        for (before, result), (after, _) in pairwise(meters):
            assert {key: after[key] for key in ("shown", "reserve")} == result["meter"]["after"]
            assert {**after, "shown": "", "reserve": ""} == {**before, "shown": "", "reserve": ""}
            assert after["id"] == f"m-{result['round'].rpartition('-')[0]}"
            compared += after["shown"] != before["shown"]
    assert compared > 50


# ---- rotation, by the rules and not by the simulation's own code


@pytest.mark.parametrize("ruleset", PLAYER_BANKED)
def test_nobody_banks_a_third_round_in_a_row_unless_everybody_else_declined(ruleset):
    strict = rulesets.load(ruleset).rotation == "strict"
    thirds = moves = 0
    for table in tables(ruleset):
        last, in_a_row = None, 0
        for document, result in table:
            bank = document["player_dealer"]
            offered = clockwise_from(last["seat"] if last else 0, document["players"])
            if last is not None and bank["bettor"] == last["bettor"]:
                if in_a_row >= 2:
                    assert not strict
                    assert bank.get("declined") == [seat for seat in offered if seat != bank["seat"]]
                    thirds += 1
            else:
                if last is not None:
                    assert bank.get("declined", []) == offered[: offered.index(bank["seat"])]
                    moves += 1
                in_a_row = 0
            last = bank
            in_a_row += result["status"] == "settled"  # a voided round does not use up one of the two
    assert moves > 50
    assert (thirds > 0) != strict


def clockwise_from(seat: int, players: dict[str, str]) -> list[int]:
    """The seats to whom the bank is offered, the first to the left of `seat` first."""
    seats = sorted(int(name) for name in players)
    return [other for other in seats if other > seat] + [other for other in seats if other <= seat]


@pytest.mark.parametrize("ruleset", PLAYER_BANKED)
def test_a_voided_round_is_banked_again_by_the_same_person(ruleset):
    again = 0
    for table in tables(ruleset):
        for (before, result), (after, _) in pairwise(table):
            if result["status"] == "void":
                assert after["player_dealer"]["bettor"] == before["player_dealer"]["bettor"]
                again += 1
    assert again > 3


# ---- varied


def found(ruleset: str) -> Counter[str]:
    """How many rounds have each thing that a test of variety asks for."""
    count: Counter[str] = Counter()
    for document, result in rounds(ruleset):
        count.update(set(features(document, result)))
    return count


def features(document: Document, result: Document) -> Iterator[str]:
    yield result["status"]
    yield f"coverage {document['terms'].get('coverage')}"
    yield f"dealing {document['terms'].get('dealing')}"
    yield f"banked by {document.get('player_dealer', {}).get('bettor', '')[:2]}"
    yield "fee" if result["fee"] else "no fee"
    for bet in actions(document, "bet"):
        yield f"bet {bet['spot']}"
        yield f"bet {bet.get('kind')}"
    seats = Counter((bet["seat"], bet["spot"]) for bet in actions(document, "bet") if "kind" not in bet)
    if any((seat, "trips") in seats and (seat, "ante") not in seats for seat, _ in seats):
        yield "trips only"
    if max(seats.values()) > 1:
        yield "pressed"
    yield from taken_back(document)
    if len(set(document["players"].values())) < len(document["players"]):
        yield "two spots"
    for decision in actions(document, "decide"):
        yield " ".join(str(decision[key]) for key in ("choice", "times") if key in decision)
        if "bettor" in decision:
            yield f"follows with {decision['choice']}"
        if decision.get("hand", 1) > 2:
            yield "splits again"
    for deal in actions(document, "deal"):
        if None in deal["cards"]:
            yield f"unseen {'seat' if isinstance(deal['to'], int) else deal['to']}"
    for reveal in actions(document, "reveal"):
        yield f"reveals {'seat' if isinstance(reveal['of'], int) else reveal['of']}"
    for line in result["lines"]:
        yield f"{line['spot']} {line['outcome']}"
        if line["shortfall"] != "0.00":
            yield "shortfall"
        if line["outcome"] == "no_action":
            yield "no action"


ALL = {"takes part back", "takes all back", "takes back all there was"}
PLAYER_DEALER = {
    *("void", "coverage single-pool", "coverage separate-limits", "banked by p-", "banked by tp", "shortfall"),
    *("no action", "bet backline", "pressed"),
}
POKER = {"unseen seat", "unseen dealer", "reveals seat", "fold", "ante win", "ante lose", "ante push"}
UTH = {*POKER, "raise 4", "raise 3", "raise 2", "raise 1", "check", "unseen board", "bet trips", "trips win"}
FOLLOWED = {"follows with raise", "follows with fold"}
EXPECTED = {
    "uth-club": {*UTH, *PLAYER_DEALER, *FOLLOWED, "fee", "no fee"},
    "uth-bgc": {*UTH, *PLAYER_DEALER, *FOLLOWED, "fee", "no fee", "dealing shoe", "dealing shuffler"},
    "uth-casino-club": {*UTH, *PLAYER_DEALER, *FOLLOWED, "fee", "dealing shoe", "dealing shuffler"},
    "uth-house": {*UTH, "void", "two spots"},
    "uth-sd": {
        *UTH,
        *("void", "trips only", "bet toke", "follows with raise", "bet progressive", "progressive win"),
        *("dealing hand", "dealing shuffler", "unseen burn", "two spots"),
    },
    "tcp-casino-club": {
        *POKER,
        *PLAYER_DEALER,
        *("play", "follows with play", "follows with fold", "bet pair_plus", "bet six_card", "six_card win", "fee"),
    },
    "p215-casino-club": {
        *PLAYER_DEALER,
        *("hit", "stand", "double", "split", "surrender", "insure", "splits again", "unseen dealer", "fee"),
        *("follows with double", "follows with split", "bet buster", "bet red_flex", "game surrender"),
    },
}


@pytest.mark.parametrize("ruleset", IDS)
def test_the_rounds_are_varied(ruleset):
    count = found(ruleset)
    assert (EXPECTED[ruleset] | ALL) - count.keys() == set()
    assert sum(count[kind] for kind in ALL) < ROUNDS / 5
    assert 0.005 < count["void"] / ROUNDS < 0.06


@pytest.mark.parametrize("ruleset", PLAYER_BANKED)
def test_coverage_runs_out_in_a_share_of_the_rounds(ruleset):
    assert 0.05 < found(ruleset)["shortfall"] / ROUNDS < 0.6


@pytest.mark.parametrize("ruleset", IDS)
def test_over_many_tables_every_schedule_and_every_pay_table_is_used(ruleset):
    rules = rulesets.load(ruleset)
    terms = [json.loads(line)["terms"] for line in islice(documents(ruleset, 7, tables=150), 600)]
    if len(rules.schedules) > 1:
        assert {term["schedule"] for term in terms} == set(rules.schedules)
    trips = list(rules.tables_for("trips"))
    if rules.one_trips_table is not None:
        trips = trips[:1]  # a second one on a floor would be an audit finding
    for key, offered in (("trips", trips), ("progressive", rules.progressives)):
        assert {term[key] for term in terms if key in term} == set(offered)


def taken_back(document: Document) -> Iterator[str]:
    """What was taken back: part of a wager, a whole one that was placed again, or all that somebody had there."""
    for at, action in enumerate(document["actions"]):
        if action["do"] != "withdraw":
            continue
        if "amount" in action:
            yield "takes part back"
        elif any(wager(bet) == wager(action) for bet in document["actions"][at:] if bet["do"] == "bet"):
            yield "takes all back"
        else:
            yield "takes back all there was"


def wager(action: Document) -> tuple[object, ...]:
    return action["seat"], action["spot"], action.get("bettor")


@pytest.mark.parametrize("ruleset", IDS)
def test_whatever_is_taken_back_everything_else_is_as_without_it(ruleset, monkeypatch):
    """Its randomness is its own, and the wagers at the end are the same: so are the cards, and each result."""
    taken_back_in = [number for number, (document, _) in enumerate(rounds(ruleset)) if any(taken_back(document))]
    assert len(taken_back_in) > 10
    monkeypatch.setattr(Withdrawals, "among", lambda self, bets, chip, idle, spot: list(bets))
    for number, plain in enumerate(islice(documents(ruleset, 7, TABLES), ROUNDS)):
        document, result = rounds(ruleset)[number]
        assert {**document, "actions": without_withdrawals(document["actions"])} == json.loads(plain)
        if number in taken_back_in:
            assert adjudicate(plain) == result


def without_withdrawals(played: list[Document]) -> list[Document]:
    """A withdrawal comes right after the bet that it undoes."""
    kept: list[Document] = []
    for action in played:
        if action["do"] == "withdraw":
            undone = kept.pop()
            assert (undone["do"], wager(undone)) == ("bet", wager(action))
            assert action.get("amount", undone["amount"]) == undone["amount"]
        else:
            kept.append(action)
    return kept


# ---- the strategies


@pytest.mark.parametrize(
    ("hole", "board", "times"),
    [
        ("Ac 2d", "", 4),
        ("Kc 2c", "", 4),
        ("Kc 5d", "", 4),
        ("Kc 4d", "", 0),
        ("Qc 6c", "", 4),
        ("Qc 7d", "", 0),
        ("Jc Td", "", 4),
        ("Jc 9d", "", 0),
        ("3c 3d", "", 4),
        ("2c 2d", "", 0),
        ("7c 2d", "7h Kd Jc", 2),
        ("2c 2d", "7h Kd Jc", 0),
        ("Tc 2d", "7c Kc Jc", 2),
        ("9c 2d", "7c Kc Jc", 0),
        ("5c 2d", "Kh Kd Js", 0),
        ("5c 2d", "Kh Kd Js 8s 5d", 1),
        ("Tc 2d", "Kh Kd Js Jh Ad", 1),  # the board plays, and few cards beat it
        ("3c 2d", "Kh Qd 9s 8h 7d", 0),
    ],
)
def test_ultimate_texas_holdem_is_played_by_the_book(hole, board, times):
    assert uth.multiple(tuple(hole.split()), tuple(board.split())) == times


@pytest.mark.parametrize(
    ("cards", "up_card", "choice"),
    [
        ("8c 8d", "Th", "split"),
        ("8c 8d", "Ah", "surrender"),
        ("Tc Kd", "6h", "stand"),
        ("Tc 6d", "Jh", "surrender"),
        ("Tc 6d", "7h", "hit"),
        ("Tc 2d", "4h", "stand"),
        ("Tc 2d", "3h", "hit"),
        ("6c 5d", "Ah", "double"),
        ("6c 4d", "Th", "hit"),
        ("Ac 7d", "2h", "double"),
        ("Ac 7d", "8h", "stand"),
        ("Ac 7d", "9h", "hit"),
        ("Ac 8d", "6h", "double"),
        ("Ac Ad", "Ah", "split"),
    ],
)
def test_pure_21_5_is_played_by_the_book(cards, up_card, choice):
    offered = {"hit", "stand", "double", "surrender"} | ({"split"} if cards[0] == cards[3] else set())
    chosen = p215.choose(tuple(cards.split()), up_card, offered, splits_tens=False, surrenders=True)
    assert chosen == choice


# ---- the command


def test_simulate_writes_the_documents_a_line_each():
    done = CliRunner().invoke(
        app, ["simulate", "--ruleset", "uth-bgc", "--rounds", "25", "--seed", "7", "--tables", "8"]
    )
    assert done.exit_code == 0
    assert done.stdout_bytes.splitlines() == lines("uth-bgc")[:25]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--ruleset", "uth-moon", "--rounds", "5"], "no rule set 'uth-moon'"),
        (["--ruleset", "uth-sd", "--rounds", "0"], "--rounds is from 1"),
        (["--ruleset", "uth-sd", "--rounds", "5", "--seed", "-1"], "--seed is from 0"),
        (["--ruleset", "uth-sd", "--rounds", "5", "--tables", "1000"], "--tables is from 1 to 999"),
    ],
)
def test_simulate_refuses_what_makes_no_sense(options, why):
    done = CliRunner().invoke(app, ["simulate", *options])
    assert done.exit_code == 2
    assert why in done.stderr


def test_simulate_is_quiet_when_its_reader_has_seen_enough():
    program = "from api.cli.main import main; main()"
    command = [sys.executable, "-c", program, "simulate", "--ruleset", "uth-sd", "--rounds", "5000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


def test_a_new_company_goes_on_where_the_bank_was_held_last():
    """Nobody is passed over between the last player-dealer and the first of the people who sit down next."""
    rules = rulesets.load("uth-club")
    for after in range(rules.seats + 1):
        document = json.loads(Table(rules, "t", 1, Random("company"), bank_after=after).next_document())
        seats = {int(seat) for seat in document["players"]}
        assert document["player_dealer"]["seat"] == clockwise(seats, after)[0]
        assert document["player_dealer"].get("declined", []) == []

"""What holds for every legal round, whatever is bet, dealt and decided (tests.domain.legal_rounds plays them)."""

import copy
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.cards import DECK
from domain.documents.document import adjudicate, encode_result, read_document
from domain.documents.result import result_of
from domain.errors import Refusal
from domain.games.p215 import state as p215
from domain.money import cents, dollars, money
from domain.round.actions import parse_action
from domain.round.decide import decide, evolve, expects, fold, start
from domain.round.events import ROUND_TOPICS, RoundOpened
from domain.round.replay import play
from domain.round.state import Round
from domain.rules import rulesets
from domain.rules.terms import TermsDocument, resolve
from tests.domain.legal_rounds import NAMES, OFFERS, RULESETS, Json, dice, documents, laws, matches, seating, steps_of

RESULT_KEYS = {
    *("round", "ruleset", "status", "fee", "button", "dealer", "lines", "bank", "exposure", "meter", "error"),
}
LINE_KEYS = {
    *("seat", "bettor", "hand", "spot", "wager", "outcome", "odds", "owed", "paid", "collected", "returned"),
    *("shortfall", "from", "clause", "reason"),
}
CODES = {
    *("bad_document", "unknown_ruleset", "bad_terms", "out_of_turn", "bad_choice", "limit", "missing_wager"),
    *("duplicate_card", "wrong_cards"),
}
every_rule_set = pytest.mark.parametrize("ruleset", RULESETS)


def result(document: Json) -> Json:
    """As another program sees it: through JSON, in and out."""
    answer: Json = json.loads(encode_result(adjudicate(json.dumps(document).encode())))
    assert answer["status"] != "refused", answer["error"]
    return answer


def rounds(examples: int, whole: bool = False) -> Callable[[Callable[[Json], None]], Any]:
    """A law for every rule set that takes a legal document; `whole` ones are all settled."""

    def law(test: Callable[[Json], None]) -> Any:
        def held(ruleset: str, data: st.DataObject) -> None:
            test(data.draw(documents(ruleset, whole)))

        held.__name__, held.__doc__ = test.__name__, test.__doc__  # the name decides which examples come
        return every_rule_set(laws(examples)(given(data=st.data())(held)))

    return law


def amounts(line: Json, *fields: str) -> list[int]:
    return [cents(line[field]) for field in fields]


# ---- money on each line


@rounds(25, whole=True)
def test_a_wager_is_collected_or_goes_back(document: Json):
    for line in result(document)["lines"]:
        wager, collected, returned = amounts(line, "wager", "collected", "returned")
        assert wager == collected + returned
        assert min(collected, returned) >= 0


@rounds(25, whole=True)
def test_a_shortfall_is_what_the_rules_owed_and_nobody_paid_or_took(document: Json):
    for line in result(document)["lines"]:
        owed, paid, collected, shortfall = amounts(line, "owed", "paid", "collected", "shortfall")
        if line["spot"] == "progressive":
            assert shortfall == 0
        else:
            assert shortfall == owed - paid - collected >= 0
        if line["outcome"] == "no_action":
            assert (paid, collected, shortfall) == (0, 0, owed)
        if line["outcome"] == "push":
            assert owed == paid == collected == 0
        assert paid == 0 or line["outcome"] == "win"
        assert (line["odds"] is None) == (line["outcome"] != "win" or line["spot"] == "envy")


@rounds(25, whole=True)
def test_coverage_the_bank_moves_no_more_than_its_wager(document: Json):
    answer = result(document)
    bank = answer["bank"]
    paid, collected = cents(bank["paid"]), cents(bank["collected"])
    if bank["wager"] is None:
        assert OFFERS[document["ruleset"]].house
        assert all(line["outcome"] != "no_action" for line in answer["lines"])
    elif document.get("terms", {}).get("coverage") == "separate-limits":
        assert max(paid, collected) <= cents(bank["wager"])
    else:
        assert paid + collected <= cents(bank["wager"])


@rounds(25, whole=True)
def test_coverage_nothing_is_short_while_the_bank_has_anything_left(document: Json):
    """One pass in the order of the lines: a shortfall or no action means that all of the wager is used up by then."""
    answer = result(document)
    if answer["bank"]["wager"] is None:
        return
    single_pool = document.get("terms", {}).get("coverage") != "separate-limits"
    left = {"pay": cents(answer["bank"]["wager"]), "take": cents(answer["bank"]["wager"])}
    for line in answer["lines"]:
        paid, collected, shortfall = amounts(line, "paid", "collected", "shortfall")
        if line["outcome"] == "no_action":
            assert 0 in left.values()
        elif line["outcome"] == "push":
            assert max(left.values()) > 0
        left["pay"] -= paid + (collected if single_pool else 0)
        left["take"] -= collected + (paid if single_pool else 0)
        assert min(left.values()) >= 0
        if shortfall:
            assert 0 in left.values()


def test_coverage_the_examples_of_the_rules():
    """Wagers that lose 600, lose 600, win 1,200 and lose 300 against 1,000, under both policies."""
    stakes = {1: "600.00", 2: "600.00", 3: "1200.00", 5: "300.00"}
    hands = {1: ("9c", "7c"), 2: ("9d", "7d"), 3: ("Kh", "Kd"), 5: ("9s", "7s")}
    cards = [{"do": "deal", "to": seat, "cards": [hands[seat][at]]} for at in (0, 1) for seat in (5, 1, 2, 3)]
    dealer = [{"do": "deal", "to": "dealer", "cards": [card]} for card in ("8c", "9h")]
    actions = [
        *({"do": "bet", "seat": seat, "spot": "game", "amount": stake} for seat, stake in stakes.items()),
        {"do": "close_bets"},
        *(*cards[:4], dealer[0], *cards[4:], dealer[1]),
        *({"do": "decide", "seat": seat, "choice": "stand"} for seat in (5, 1, 2, 3)),
        {"do": "reveal", "of": "dealer"},
        {"do": "settle"},
    ]
    # The hole card is a nine: counted round the seven other seats the button is at the second of them again.
    document: Json = {"ruleset": "p215-casino-club", "player_dealer": {"seat": 4, "wager": "1000.00"}}
    moved = {}
    for policy in ("single-pool", "separate-limits"):
        answer = result({**document, "terms": {"schedule": 11, "coverage": policy}, "actions": actions})
        assert answer["button"] == 2
        moved[policy] = [(line["seat"], line["outcome"], line["paid"], line["collected"]) for line in answer["lines"]]
    first = [(2, "lose", "0.00", "600.00")]
    assert moved == {
        "single-pool": [
            *first,
            (3, "win", "400.00", "0.00"),
            (5, "no_action", "0.00", "0.00"),
            (1, "no_action", "0.00", "0.00"),
        ],
        "separate-limits": [
            *first,
            (3, "win", "1000.00", "0.00"),
            (5, "lose", "0.00", "300.00"),
            (1, "lose", "0.00", "100.00"),
        ],
    }


# ---- money all together


def stakes_of(document: Json) -> Counter[tuple[int, str, int, str]]:
    """What every action put on the layout, by seat, bettor, hand and spot, worked out from the document alone."""
    seated = seating(document)
    stakes: Counter[tuple[int, str, int, str]] = Counter()
    hands: Counter[int] = Counter()  # of a seat, beyond the first
    for action in document["actions"]:
        if action["do"] not in ("bet", "withdraw", "decide"):
            continue
        seat = action["seat"]
        bettor, hand = action.get("bettor", seated[seat]), action.get("hand", 1)
        if action["do"] == "withdraw":
            stake = stakes[seat, bettor, 1, action["spot"]]
            stakes[seat, bettor, 1, action["spot"]] -= cents(action["amount"]) if "amount" in action else stake
            continue
        match action.get("choice", "bet"):
            case "bet":
                stakes[seat, bettor, 1, action["spot"]] += cents(action["amount"])
            case "raise":
                stakes[seat, bettor, 1, "play"] += action["times"] * stakes[seat, bettor, 1, "ante"]
            case "play":
                stakes[seat, bettor, 1, "play"] += stakes[seat, bettor, 1, "ante"]
            case "insure":
                stakes[seat, bettor, 1, "insurance"] += cents(action["amount"])
            case "double":
                stakes[seat, bettor, hand, "double"] += cents(action["amount"])
            case "split":
                hands[seat] += bettor == seated[seat]
                stakes[seat, bettor, 1 + hands[seat], "game"] += stakes[seat, bettor, hand, "game"]
    return +stakes


@rounds(25, whole=True)
def test_every_wager_has_one_line_and_no_line_is_without_a_wager(document: Json):
    lines = [line for line in result(document)["lines"] if line["spot"] != "envy"]
    settled = [(line["seat"], line["bettor"], line["hand"], line["spot"]) for line in lines]
    assert len(settled) == len(set(settled))
    assert {key: cents(line["wager"]) for key, line in zip(settled, lines, strict=True)} == stakes_of(document)


@rounds(30)
def test_no_money_comes_from_nowhere_or_gets_lost(document: Json):
    check_money(document)


@laws(200)
@given(documents("uth-sd", whole=True))
def test_no_money_gets_lost_between_meter_tray_and_players(document: Json):
    check_money(document)


def check_money(document: Json) -> None:
    """Double entry over what is known outside: stakes from the document, lines and meter from the result."""
    answer, stakes = result(document), stakes_of(document)
    accounts: Counter[str] = Counter()

    def move(amount: int, giver: str, taker: str) -> None:
        accounts[giver] -= amount
        accounts[taker] += amount

    for (_, bettor, _, _), stake in stakes.items():
        move(stake, bettor, "layout")
    meter = answer["meter"]
    settings = document.get("terms", {}).get("meter")
    if meter is not None and answer["status"] != "void" and answer["exposure"] is not None:
        progressive = sum(stake for key, stake in stakes.items() if key[3] == "progressive")
        move(progressive * settings["percent"] // 100, "bank", "meter shown")
        move(progressive * settings["reserve_percent"] // 100, "bank", "meter reserve")
    for line in answer["lines"]:
        wager, paid, collected, returned = amounts(line, "wager", "paid", "collected", "returned")
        assert wager == 0 or line["spot"] != "envy"
        move(collected, "layout", "bank")
        move(returned, "layout", line["bettor"])
        move(paid, "meter shown" if line["from"] == "meter" else "bank", line["bettor"])
        assert line["from"] in (("tray", "meter") if answer["bank"]["wager"] is None else ("bank",))
        if line["odds"] == "100%":
            move(cents(settings["seed"]), "bank", "meter shown")
    if answer["status"] == "settled":
        assert accounts["layout"] == 0
        paid = sum(cents(line["paid"]) for line in answer["lines"])
        collected = sum(cents(line["collected"]) for line in answer["lines"])
        assert [answer["bank"][field] for field in ("paid", "collected", "net")] == [
            money(paid),
            money(collected),
            money(collected - paid),
        ]
    else:
        assert answer["lines"] == []
        assert {answer["bank"][field] for field in ("paid", "collected", "net")} == {"0.00"}
        assert accounts["layout"] == sum(stakes.values())
    if meter is not None:
        before, after = (
            {field: cents(meter[at][field]) for field in ("shown", "reserve")} for at in ("before", "after")
        )
        assert {field: money(before[field]) for field in before} == {field: settings[field] for field in before}
        # A 100 % award moves the reserve into the amount shown, so only their sum is compared.
        moved = accounts["meter shown"] + accounts["meter reserve"]
        assert sum(after.values()) - sum(before.values()) == moved
    assert sum(accounts.values()) == 0


@rounds(25)
def test_action_and_fee_are_those_of_the_wagers_before_the_deal(document: Json):
    answer = result(document)
    closed = any(action["do"] == "close_bets" for action in document["actions"])
    before = [action for action in document["actions"] if action["do"] in ("bet", "withdraw")]
    stakes = stakes_of({**document, "actions": before})
    action = money(sum(stake for (_, _, _, spot), stake in stakes.items() if spot != "progressive"))
    assert (answer["exposure"] is None) == (not closed)
    if closed:
        assert answer["exposure"]["action"] == action
        assert cents(answer["exposure"]["liability"]) >= cents(action)
    if answer["fee"] is not None:
        assert closed
        assert answer["fee"]["action"] == action
        supplied = document.get("terms", {}).get("schedule")
        if isinstance(supplied, dict):
            fees = [fee for bound, fee in supplied["tiers"] if bound is None or cents(action) <= cents(bound)]
            assert answer["fee"] | {"action": None} == {"action": None, "amount": fees[0], "schedule": "supplied"}


@rounds(25, whole=True)
def test_house_4__all_players_together_win_at_most_the_table_aggregate(document: Json):
    if document["ruleset"] != "uth-house":
        return
    lines = result(document)["lines"]
    winners = [amounts(line, "owed", "paid") for line in lines if line["outcome"] == "win"]
    owed, paid = (sum(amount) for amount in zip(*winners, strict=True)) if winners else (0, 0)
    assert paid == min(owed, 3_000_000)
    for each_owed, each_paid in winners:
        assert each_paid * owed // paid - each_owed in range(-(owed // paid) - 1, owed // paid + 1)


# ---- one engine: the same round again and again


@rounds(25)
def test_the_same_document_gives_the_same_result(document: Json):
    backwards = {key: document[key] for key in reversed(document)}
    backwards["actions"] = [{key: action[key] for key in reversed(action)} for action in document["actions"]]
    once = encode_result(adjudicate(json.dumps(document).encode()))
    for text in (json.dumps(document), json.dumps(document, indent=1), json.dumps(backwards, ensure_ascii=False)):
        assert encode_result(adjudicate(text.encode())) == once
    assert json.loads(once)["status"] != "refused"


@rounds(25)
def test_a_result_has_the_keys_of_the_contract(document: Json):
    answer = result(document)
    assert answer.keys() == RESULT_KEYS
    assert answer["error"] is None
    assert (answer["round"], answer["ruleset"]) == (document.get("round"), document["ruleset"])
    assert answer["status"] == {"settle": "settled", "void": "void"}.get(
        document["actions"][-1]["do"] if document["actions"] else "", "open"
    )
    assert all(line.keys() == LINE_KEYS for line in answer["lines"])


TOPIC_OF = {kind: topic for topic, kind in ROUND_TOPICS.items()}


@rounds(25)
def test_evolve_over_the_events_gives_the_round_that_decide_ended_in(document: Json):
    opened = read_document(document)
    final, events = play(opened.opening, opened.actions)
    opening = opened.opening
    assert fold(opening, events) == final
    one_by_one = opening
    for event in events:
        one_by_one = evolve(one_by_one, event)
    assert one_by_one == final


@rounds(25)
def test_a_round_comes_back_from_its_stored_events_alone(document: Json):
    """Encoded, decoded by the class of their topic, and opened by the rule set and terms that the first one names."""
    read = read_document(document)
    final, events = play(read.opening, read.actions)
    stored = [(TOPIC_OF[type(event)], msgspec.msgpack.encode(event)) for event in (read.opening.opened, *events)]
    opened, *others = [msgspec.msgpack.decode(data, type=ROUND_TOPICS[topic]) for topic, data in stored]
    assert isinstance(opened, RoundOpened)
    assert (opened, others) == (read.opening.opened, events)
    rules = rulesets.load(opened.ruleset)
    assert opened.ruleset_hash == rules.content_hash
    terms = resolve(rules, msgspec.convert(opened.terms, TermsDocument))
    replayed = fold(start(rules, terms, opened), others)
    assert replayed == final
    assert encode_result(result_of(replayed)) == encode_result(result_of(final))


# ---- what may come next


@rounds(25)
def test_a_prefix_is_open_and_expects_the_action_that_came_next(document: Json):
    seated = seating(document)
    for at, (before, action, _, _) in enumerate(steps_of(document)):
        entries = expects(before)
        assert any(matches(entry, action, seated) for entry in entries), (action, entries)
        assert {"do": "void"} in entries
        assert before.status == "open"
        if at % 7 == 3:
            assert result({**document, "actions": document["actions"][:at]}) == json.loads(
                encode_result(result_of(before))
            )


@rounds(25, whole=True)
def test_poker_everybody_with_an_ante_has_played_or_folded_before_it_is_settled(document: Json):
    if document["ruleset"] == "p215-casino-club":
        return
    seated = seating(document)
    antes: set[tuple[int, str]] = set()
    tips: set[tuple[int, str]] = set()
    last: dict[tuple[int, str], str] = {}
    for action in document["actions"]:
        if action["do"] in ("bet", "decide"):
            key = action["seat"], action.get("bettor", seated[action["seat"]])
            if action["do"] == "decide":
                assert last.get(key, "check") == "check"
                last[key] = action["choice"]
            elif action["spot"] == "ante":
                (tips if action.get("kind") == "toke" else antes).add(key)
    assert last.keys() <= antes | tips
    for seat, bettor in antes:
        played = last[seat, seated[seat]]
        assert played in ("raise", "play", "fold")
        if bettor != seated[seat]:
            assert last.get((seat, bettor), "fold") in (played, "fold")
            assert ((seat, bettor) in last) == (played != "fold")
    for seat, bettor in tips:
        assert last.get((seat, bettor), "raise") == "raise"
        assert (seat, bettor) not in last or last[seat, seated[seat]] == "raise"


def refusal_of(round_: Round, action: Json) -> Refusal | None:
    try:
        decide(round_, parse_action(action))
    except Refusal as refusal:
        return refusal
    return None


@rounds(10)
def test_nothing_is_expected_of_a_round_that_is_over(document: Json):
    final, _ = play(read_document(document).opening, document["actions"])
    if final.status != "open":
        assert expects(final) == []
        for action in document["actions"]:
            refused = refusal_of(final, action)
            assert refused is not None
            assert refused.code == "out_of_turn"


WORDS = {
    "do": ("bet", "withdraw", "close_bets", "deal", "reveal", "decide", "peek", "settle", "void"),
    "spot": ("ante", "blind", "trips", "play", "progressive", "pair_plus", "six_card", "game", "buster", "red_flex"),
    "choice": ("check", "raise", "fold", "play", "insure", "hit", "stand", "double", "split", "surrender"),
    "times": (0, 1, 2, 3, 4, 5),
    "hand": (0, 1, 2, 3, 4, 5),
    "bettor": (*NAMES, "b-1", "b-2", "seat-1", "seat-3"),
    "kind": ("backline", "toke"),
    "to": (1, 2, 3, 8, "dealer", "board", "burn"),
    "of": (1, 2, 3, 8, "dealer", "flop", "turn_river"),
    "pure": (True, False),
    "reason": ("misdeal",),
    "seat": tuple(range(10)),
    "amount": ("0.00", "0.01", "1.00", "5.00", "2500.00", "999999999999.99"),
}


def changed(dice: random.Random, action: Json) -> Json:
    """An action with one thing about it different: a field changed, added or left out, a card more or fewer."""
    action = dict(action)
    if "cards" in action and dice.random() < 0.5:
        cards = list(action["cards"])
        match dice.randrange(4):
            case 0:
                cards.append(dice.choice(DECK))
            case 1 if cards:
                del cards[dice.randrange(len(cards))]
            case 2 if cards:
                cards[dice.randrange(len(cards))] = dice.choice((None, *DECK))
            case _:
                dice.shuffle(cards)
        return action | {"cards": cards}
    field = dice.choice([*WORDS] if dice.random() < 0.3 else [name for name in action if name in WORDS])
    if dice.random() < 0.2 and field != "do":
        action.pop(field, None)
        return action
    return action | {field: dice.choice(WORDS[field])}


def foreign(dice: random.Random, document: Json, entries: list[Json]) -> Iterator[Json]:
    """Actions that mostly do not belong here: others of the same round, changed ones, and some put together anyhow."""
    own = document["actions"]
    yield from (dice.choice(own) for _ in range(6))
    yield from (changed(dice, dice.choice(own)) for _ in range(6))
    decisions = [entry for entry in entries if entry["do"] == "decide"]
    for choice in WORDS["choice"] if decisions else ():
        who = {key: value for key, value in dice.choice(decisions).items() if key != "choices"}
        extra: Json = {
            "raise": {"times": dice.randint(0, 5)},
            "insure": {"amount": "1.00"},
            "double": {"amount": "1.00"},
        }
        yield {**who, "choice": choice, **extra.get(str(choice), {})}
    for entry in entries:
        offered = {key: value for key, value in entry.items() if key not in ("count", "choices")}
        offered = {key: dice.choice(value) if isinstance(value, list) else value for key, value in offered.items()}
        if "choices" in entry:
            offered["choice"] = dice.choice(entry["choices"])["choice"]
        if "count" in entry:
            offered["cards"] = dice.sample(DECK, entry["count"])
        yield changed(dice, offered)
    for _ in range(3):
        yield {key: dice.choice(WORDS[key]) for key in ("do", *dice.sample([*WORDS], dice.randint(0, 4)))}


# What an entry leaves free may still be wrong: amounts, cards, who bets, and wagers that do not go together.
FREE = {
    "bet": CODES,
    "withdraw": {"bad_choice"},
    "close_bets": {"missing_wager", "limit"},
    "deal": {"duplicate_card", "wrong_cards"},
    "reveal": {"duplicate_card", "wrong_cards"},
    "peek": {"wrong_cards"},
    "decide": {"limit"},
    "settle": set[str](),
    "void": set[str](),
}


def snapshot(round_: Round) -> Round:
    shared = {id(part): part for part in (round_.rules, round_.terms)}
    return copy.deepcopy(round_, shared)


@every_rule_set
@laws(25)
@given(data=st.data())
def test_an_action_that_is_not_expected_is_refused_and_changes_nothing(ruleset: str, data: st.DataObject):
    document, roll = data.draw(documents(ruleset)), data.draw(dice())
    seated = seating(document)
    clauses = rulesets.load(ruleset).clauses
    for before, action, _, after in steps_of(document):
        entries, kept = expects(before), snapshot(before)
        for strange in foreign(roll, document, entries):
            refused = refusal_of(before, strange)
            if refused is None:
                assert any(matches(entry, strange, seated) for entry in entries), (strange, entries)
                continue
            assert refused.code in CODES
            assert refused.detail.endswith(".")
            assert refused.clause is None or refused.clause in clauses
            if refused.code != "bad_document" and any(matches(entry, strange, seated) for entry in entries):
                assert refused.code in FREE[strange["do"]], (strange, refused.detail)
        assert before == kept
        assert fold(before, decide(before, parse_action(action))) == after


@rounds(15)
def test_a_card_too_many_twice_or_another_than_was_dealt_is_refused(document: Json):
    decks = document.get("terms", {}).get("decks", 6 if document["ruleset"] == "p215-casino-club" else 1)
    on_table: dict[int | str, list[str | None]] = {}
    out: Counter[str] = Counter()
    board = {"flop": slice(0, 3), "turn_river": slice(3, 5)}

    def code(round_: Round, action: Json) -> str | None:
        refused = refusal_of(round_, action)
        return None if refused is None else refused.code

    for before, action, _, _ in steps_of(document):
        if action["do"] == "deal":
            cards = action["cards"]
            spare = next(card for card in DECK if not out[card] and card not in cards)
            for wrong in ([*cards, spare], cards[1:], []):
                assert code(before, action | {"cards": wrong}) == "wrong_cards"
            for used_up in (card for card, count in out.items() if count == decks):
                assert code(before, action | {"cards": [*cards[:-1], used_up]}) == "duplicate_card"
            if decks == 1 and len(cards) > 1:
                assert code(before, action | {"cards": [spare] * len(cards)}) == "duplicate_card"
            on_table.setdefault(action["to"], []).extend(cards)
            out.update(card for card in cards if card is not None)
        if action["do"] == "reveal":
            place, part = ("board", board[action["of"]]) if action["of"] in board else (action["of"], slice(None))
            known = on_table[place][part]
            turned = action.get("cards", known)
            spare = next(card for card in DECK if not out[card] and card not in turned)
            for at, card in enumerate(known):
                wrong = [*turned[:at], spare, *turned[at + 1 :]]
                if card is not None:
                    assert code(before, action | {"cards": wrong}) == "wrong_cards"
                assert code(before, action | {"cards": [*turned[:at], None, *turned[at + 1 :]]}) == "wrong_cards"
            for wrong in ([*turned, spare], turned[1:]):
                assert code(before, action | {"cards": wrong}) == "wrong_cards"
            if None in known:
                assert code(before, {"do": "reveal", "of": action["of"]}) == "wrong_cards"
            out.update(new for old, new in zip(known, turned, strict=True) if old is None)
            on_table[place][part] = turned
        if action["do"] == "peek" and "pure" in action and None not in on_table["dealer"]:
            assert code(before, {"do": "peek", "pure": not action["pure"]}) == "wrong_cards"


# ---- what must not be seen yet

CARD = re.compile(r"\b[2-9TJQKA][cdhs]\b")


def dealer_as_the_table_sees_it(document: Json) -> list[str | None] | None:
    dealt: list[str | None] = []
    turned = False
    for action in document["actions"]:
        if action["do"] == "deal" and action["to"] == "dealer":
            dealt += action["cards"]
        if action["do"] == "reveal" and action["of"] == "dealer":
            dealt[: len(action.get("cards", ()))] = action.get("cards", ())
            turned = True
    face_up = {"tcp-casino-club": {2}, "p215-casino-club": {0}}.get(document["ruleset"], set[int]())
    return [card if turned or at in face_up else None for at, card in enumerate(dealt)] or None


@rounds(25)
def test_a_card_that_lies_face_down_is_in_no_result(document: Json):
    for at in range(0, len(document["actions"]) + 1, 3):
        prefix = {**document, "actions": document["actions"][:at]}
        answer = result(prefix)
        seen = dealer_as_the_table_sees_it(prefix)
        if seen is None:
            assert answer["dealer"] is None
        else:
            assert answer["dealer"]["cards"] == seen
        if seen is None or None in seen:
            assert answer["dealer"] is None or answer["dealer"] | {"cards": None} == dict.fromkeys(answer["dealer"])
            assert answer["button"] is None or document["ruleset"] == "tcp-casino-club"
        said = {key: value for key, value in answer.items() if key not in ("dealer", "lines")}
        reasons = [line["reason"] for line in answer["lines"]]
        assert CARD.findall(json.dumps([said, reasons])) == []


def face_down_left_out(document: Json) -> Json:
    """The same actions with null for every card that is face down at their end."""
    actions = copy.deepcopy(document["actions"])
    turned = {action["of"] for action in actions if action["do"] == "reveal"}
    board = 0
    dealers = 0
    for action in actions:
        if action["do"] != "deal":
            continue
        to, cards = action["to"], action["cards"]
        keep: set[int] = set()
        if document["ruleset"] == "p215-casino-club":
            dealers += to == "dealer"
            keep = {0} if to != "dealer" or dealers != 2 else set()
        elif document["ruleset"] == "tcp-casino-club" and to == "dealer":
            keep = {2}
        if to == "board":
            keep = {at for at in range(len(cards)) if ("flop" if board + at < 3 else "turn_river") in turned}
            board += len(cards)
        if to not in turned:
            action["cards"] = [card if at in keep else None for at, card in enumerate(cards)]
    return {**document, "actions": actions}


def every_choice(entries: list[Json]) -> set[str]:
    """What is expected, apart from what unseen cards hold up: a reveal must name them, and come before `settle`."""
    flat = set()
    for entry in entries:
        if entry["do"] == "settle":
            continue
        entry = {key: value for key, value in entry.items() if key != "count"}
        for seat in entry["of"] if isinstance(entry.get("of"), list) else [entry.get("of")]:
            flat.add(json.dumps({**entry, "of": seat}))
    return flat


@rounds(25, whole=True)
def test_what_lies_face_down_makes_no_difference_to_what_is_said_and_expected(document: Json):
    """A card that nobody may know yet might as well be unseen; `peek` tells the table one thing about one of them."""
    actions = copy.deepcopy(document["actions"])
    peeked = [step for step in steps_of(document) if step.action["do"] == "peek"]
    for action in actions:
        if action["do"] == "peek":
            action["pure"] = p215.state_of(peeked[0].after).pure
    for at in range(0, len(actions), 4):
        known = {**document, "actions": actions[:at]}
        unknown = face_down_left_out(known)
        assert result(unknown) == result(known)
        states = [play(read_document(each).opening, each["actions"])[0] for each in (known, unknown)]
        assert every_choice(expects(states[0])) == every_choice(expects(states[1]))


# ---- what a patron and an auditor read


@rounds(25, whole=True)
def test_every_line_says_why_in_a_sentence_with_its_amounts(document: Json):
    clauses = rulesets.load(document["ruleset"]).clauses
    for line in result(document)["lines"]:
        reason = line["reason"]
        assert line["clause"] in clauses
        assert reason.endswith("."), reason
        assert reason[0].isupper(), reason
        assert "  " not in reason
        assert "_" not in reason
        named = "owed" if line["outcome"] in ("win", "surrender") else "wager"
        assert dollars(cents(line[named])) in reason, (named, line)
        if line["outcome"] != "no_action" and cents(line["shortfall"]):
            moved = "paid" if line["outcome"] == "win" else "collected"
            assert dollars(cents(line[moved])) in reason, (moved, line)

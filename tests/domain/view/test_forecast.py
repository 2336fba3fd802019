"""What is certain of a round before its cards are known."""

import msgspec
import pytest

from domain.rules import rulesets
from domain.rules.ruleset import RuleSet
from domain.rules.terms import Terms, TermsDocument, resolve
from domain.view.forecast import document, forecast


def terms_of(rules: RuleSet, dealing: str) -> Terms:
    given: dict[str, object] = {"dealing": dealing}
    if len(rules.schedules) > 1:
        given["schedule"] = 1
    if rules.tables_for("trips") and not rules.usual_trips:
        given["trips"] = next(iter(rules.tables_for("trips")))
    return resolve(rules, msgspec.convert(given, TermsDocument))


def of(ruleset: str, dealing: str | None = None) -> dict[str, object]:
    rules = rulesets.load(ruleset)
    return document(
        forecast(rules, terms_of(rules, dealing or rules.usual_dealing), 3 if rules.player_banked else None)
    )


@pytest.mark.parametrize("ruleset", [one for one in rulesets.ids() if not one.startswith("p215")])
def test_a_seat_of_a_poker_game_is_asked_the_same_whatever_the_cards(ruleset: str):
    found = msgspec.convert(of(ruleset), dict)
    assert found["seat"]["turned"] == []
    assert found["seat"]["asks"]["choices"]
    assert found["shown"] in (2, 3)


def test_the_streets_of_ultimate_texas_holdem():
    segment = msgspec.convert(of("uth-casino-club"), dict)["seat"]
    streets = []
    while segment["asks"] is not None:
        streets.append(
            ([one["choice"] for one in segment["asks"]["choices"]], [one["of"] for one in segment["turned"]])
        )
        segment = segment["asks"]["after"][0]["then"]  # the first choice stays in play longest
    assert streets == [(["check", "raise"], []), (["check", "raise"], ["flop"]), (["fold", "raise"], ["turn_river"])]
    assert [one["of"] for one in segment["turned"]] == ["dealer"]


def test_who_is_behind_a_seat_follows_it():
    asks = msgspec.convert(of("tcp-casino-club"), dict)["seat"]["asks"]
    play, fold = asks["after"]
    assert play["followers"] == {"backline": {"choices": [{"choice": "play"}, {"choice": "fold"}], "optional": False}}
    assert fold["followers"] == {}
    asks = msgspec.convert(of("uth-sd"), dict)["seat"]["asks"]
    assert asks["after"][1]["followers"]["toke"]["optional"] is True


def test_where_the_play_depends_on_the_cards_only_the_deal_is_certain():
    found = msgspec.convert(of("p215-casino-club"), dict)
    assert found["seat"] is None
    assert [(one["to"], one["down"]) for one in found["deal"]][-1] == ("dealer", 1)


def test_cards_dealt_by_hand_come_street_by_street():
    found = msgspec.convert(of("uth-sd", "hand"), dict)
    later = [(one["to"], one["count"], one["street"]) for one in found["deal"] if one["street"]]
    assert later == [("burn", 1, 1), ("board", 3, 1), ("burn", 1, 2), ("board", 2, 2)]


def test_seats_decide_in_turn_in_three_card_poker_alone():
    turns = {ruleset: of(ruleset)["turns"] for ruleset in rulesets.ids()}
    assert {ruleset: order for ruleset, order in turns.items() if order} == {"tcp-casino-club": [4, 5, 6, 7, 1, 2]}

"""The search finds hands by the names that the engine gives them: the row of a round against its table at the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, cast

import msgspec
import pytest

from domain.documents.document import Document, read_document
from domain.documents.result import result_of
from domain.round.events import RoundEvent
from domain.round.replay import play
from domain.round.sealing import WITH_CARDS, Openings, seal
from domain.round.state import Round, fold
from domain.rules import rulesets
from domain.view.table_view import table_view
from infra.ledger.ledger import Ledger
from infra.simulation import documents
from projections.accumulators.accumulator_cache import AccumulatorCache
from projections.accumulators.round_accumulator import RoundAccumulator
from projections.calendar.gaming_days import GamingDays
from projections.calendar.posting_days import PostingDays
from projections.engine.event_feed import Feed
from projections.engine.runner import Runner
from projections.models.hands import ROUNDS, Hands
from projections.views.search.round_filter import RoundFilter
from projections.views.search.round_search import statement_for
from tests.projections.simulated_floor import record

ROUNDS_OF_EACH = 300
DAYS = PostingDays(GamingDays())
SPLIT_ACES = {
    "round": "r-aces",
    "table": "t-1",
    "ruleset": "p215-casino-club",
    "terms": {"schedule": 1},
    "player_dealer": {"seat": 8, "bettor": "bank", "wager": "1000.00"},
    "players": {"1": "p-1"},
    "actions": [
        {"do": "bet", "seat": 1, "spot": "game", "amount": "25.00"},
        {"do": "close_bets"},
        {"do": "deal", "to": 1, "cards": ["As"]},
        {"do": "deal", "to": "dealer", "cards": ["9c"]},
        {"do": "deal", "to": 1, "cards": ["Ad"]},
        {"do": "deal", "to": "dealer", "cards": ["9d"]},
        {"do": "decide", "seat": 1, "choice": "split"},
        {"do": "deal", "to": 1, "hand": 1, "cards": ["Kh"]},
        {"do": "deal", "to": 1, "hand": 2, "cards": ["5c"]},
        {"do": "reveal", "of": "dealer"},
        {"do": "settle"},
    ],
}


class Played:
    """A round as it would be stored, and as it is on the table when nothing face down is known."""

    def __init__(self, document: Document, actions: Sequence[Any]) -> None:
        blank = document.opening
        happened = play(blank, list(actions))[1]
        openings = Openings(blank.rules.flop)
        stored = [seal(openings, event, lambda: b"")[0] if type(event) in WITH_CARDS else event for event in happened]
        self.events: list[RoundEvent] = [blank.opened, *stored]
        self.round = fold(blank, stored)


@pytest.mark.parametrize("ruleset", rulesets.ids())
def test_hands_have_the_names_of_the_engine(ruleset: str) -> None:
    """Whole rounds, and the same ones voided after the first, the second, ... of their actions."""
    named: Counter[str] = Counter()
    for number, line in enumerate(islice(documents(ruleset, 14, 2), ROUNDS_OF_EACH)):
        document = read_document(msgspec.json.decode(line))
        cut = 1 + number % (len(document.actions) - 1)
        void = {"do": "void", "reason": "misdeal"}
        for actions in (document.actions, [*document.actions[:cut], void]):
            played = Played(document, actions)
            dealer, made = _projected(played.events)
            assert (dealer, made) == _on_the_table(played.round), document.opening.opened.round
            if dealer is not None and played.round.status == "settled":
                assert dealer == result_of(played.round)["dealer"]["hand"]
            named.update(made)
    assert len(named) >= 5


def test_a_split_ace_with_a_bonus_card_is_a_soft_21(ledger: Ledger, url: str) -> None:
    record(ledger, [SPLIT_ACES])
    with Runner(url) as runner:
        runner.catch_up()
    for made, rounds in (("soft 21", [("r-aces",)]), ("pure 21.5", [])):
        statement, values = statement_for(RoundFilter(made=made), "h.round")
        assert ledger.events.recorder.database.rows(statement, {**values, "limit": 10}) == rounds
    round_ = ledger.load("r-aces").round
    assert [round_.game.name_at(round_, 1, hand) for hand in (1, 2)] == ["soft 21", "soft 16"]


def _projected(events: Sequence[RoundEvent]) -> tuple[str | None, list[str]]:
    """What the row of the round says, worked out as a follower does it."""
    take, projection = AccumulatorCache(cast("Feed", None), DAYS, cards=True).take, Hands(DAYS)
    round_ = RoundAccumulator(DAYS)
    for event in events:
        if type(event) in take:
            take[type(event)](round_, event)
        for handler in projection.handlers(type(event)):
            handler(event, round_)
    (values,) = next(rows for table, rows in projection.collected() if table is ROUNDS)
    row = dict(zip(ROUNDS.columns, values, strict=True))
    return cast("str | None", row["dealer_hand"]), [name for name in str(row["made"]).split(",") if name]


def _on_the_table(round_: Round) -> tuple[str | None, list[str]]:
    shown = table_view(round_)
    for place, hand in _hands(shown):
        made = round_.game.made_at(round_, place, hand["hand"])
        assert (None if made is None else made.name) == hand["made"]
    names = {hand["made"] for place, hand in _hands(shown) if place != "dealer"}
    dealer = shown["dealer"]
    return None if dealer is None else dealer["made"], sorted(names - {None})


def _hands(shown: dict[str, Any]) -> Iterator[tuple[int | str, dict[str, Any]]]:
    for seat in shown["seats"]:
        for hand in seat["hands"]:
            yield seat["seat"], hand
    if shown["dealer"] is not None:
        yield "dealer", shown["dealer"]

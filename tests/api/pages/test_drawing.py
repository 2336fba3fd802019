"""Parts of a replay page: what people wrote is never markup, and what is not there leaves its place empty."""

from __future__ import annotations

from typing import Any

from api.pages.rendering.drawing import Drawing
from api.pages.rendering.templates import (
    card_face,
    card_name,
    card_rank,
    card_suit,
    in_script,
    shown_money,
    signed_money,
    words,
)

DRAWN = Drawing(
    {
        "money": shown_money,
        "signed": signed_money,
        "clock": str,
        "words": words,
        "card_name": card_name,
        "card_rank": card_rank,
        "card_suit": card_suit,
    },
    card_face,
)
WICKED = "<b>&\"'"
ESCAPED = "&lt;b&gt;&amp;&#34;&#39;"
WHY = {"clause": WICKED, "says": WICKED, "decided": True, "sentence": WICKED, "made": []}
STEP: dict[str, Any] = {
    **{"step": 2, "at": "12:00", "by": WICKED, "late": True, "text": WICKED, "cards": ["As", None]},
    **{"amount": "5.00", "outcome": "win", "why": WHY, "left": WICKED},
}
LINE: dict[str, Any] = {
    **{"step": 2, "seat": 1, "bettor": WICKED, "hand": 2, "spot": "pair_plus", "wager": "5.00", "outcome": "win"},
    **{"odds": "1:1", "owed": "5.00", "paid": "5.00", "collected": "0.00", "returned": "5.00", "shortfall": "1.00"},
    **{"left": {"to_pay": "1.00", "to_collect": "2.00"}, "clause": WICKED, "disputes": [WICKED]},
    **{"reported": [{"paid": "6.00", "collected": "0.00"}]},
    **{"corrections": [{"reason": WICKED, "amount": "-1.00", "account": WICKED}]},
}
PILE: dict[str, Any] = {
    "name": f"pile/1/ante/{WICKED}/1",
    "spot": "ante",
    "bettor": WICKED,
    "kind": "backline",
    "hand": 2,
}
SEAT = {
    "seat": 1,
    "bettor": WICKED,
    "banks": False,
    "hands": [{"hand": 1, "cards": ["card/1/1/0", "card/1/1/1"]}],
    "piles": [PILE],
}


def test_what_people_wrote_is_never_markup():
    state = {PILE["name"]: [WICKED, WICKED, "chip-5"], "hand/1/1": WICKED}
    parts = [
        DRAWN.timeline([STEP], 2, f"table={WICKED}", "uth", "dealer"),
        DRAWN.lines([LINE], 2, f"table={WICKED}", "r-1", "uth", True, True),
        DRAWN.seat(SEAT, state, []),
        DRAWN.headline(STEP),
        DRAWN.because(STEP, "uth", "dealer"),
    ]
    for part in parts:
        assert WICKED not in part
        assert "<b>" not in part
        assert ESCAPED in part


def test_a_card_that_is_face_down_or_not_there_has_no_face():
    seat = DRAWN.seat(SEAT, {"card/1/1/0": "", "card/1/1/1": "As"}, ["card/1/1/1"])
    assert 'class="card back" data-k="card/1/1/0" data-kind="card" role="img" aria-label="face-down card">' in seat
    assert 'class="card marked" data-k="card/1/1/1"' in seat
    assert 'aria-label="ace of spades" data-suit="s"' in seat
    assert 'class="card gone" data-k="card/1/1/0" data-kind="card" role="img"><' in DRAWN.seat(SEAT, {}, [])


def test_a_line_shows_what_was_reported_otherwise_and_leads_to_a_dispute_where_one_may_be_opened():
    shown = [DRAWN.lines([LINE], 2, "", "r-1", "uth", True, may_dispute) for may_dispute in (True, False)]
    assert [text.count('href="/disputes/new?round=r-1') for text in shown] == [1, 0]
    assert "The dealer reported otherwise" in shown[0]
    as_due = {**LINE, "reported": [{"paid": "5.00", "collected": "0.00"}]}
    assert "reported" not in DRAWN.lines([as_due], 2, "", "r-1", "uth", True, True)


def test_json_in_a_script_does_not_end_it():
    assert in_script({"text": "</script>&"}) == '{"text":"\\u003c/script\\u003e\\u0026"}'

"""What the screen goes on with when it has no network is what the service would have told it."""

from __future__ import annotations

import json
import re
from itertools import islice
from typing import Any

import pytest
from playwright.sync_api import Page

from api.pages.rendering.assets import read_assets
from domain.documents.document import read_document
from domain.round.decide import expects
from domain.round.replay import fact_documents, play
from domain.round.state import Round
from domain.rules import rulesets
from domain.view.forecast import document as shown
from domain.view.forecast import forecast
from infra.simulation import documents
from tests.api.pages.conftest import Site
from tests.api.pages.dealer_screen import as_dealt

FOLLOW = """async ([address, state, rounds]) => {
  const { entriesAfter } = await import(address);
  return rounds.map((facts) => facts.map((_, at) => entriesAfter(state, facts.slice(0, at + 1))));
}"""


OF_A_SEAT = re.compile('"do": "reveal", "of": [0-9]')  # in the middle of the deal nobody turns a hand over


def each(entries: list[dict[str, Any]]) -> set[str]:
    """One for each possibility of each entry; without settling, which the screen leaves to the service."""
    found = set()
    for entry in entries:
        if entry["do"] == "settle":
            continue
        key = next((name for name in ("of", "to") if name in entry), None)
        values = entry[key] if key and isinstance(entry[key], list) else [entry.get(key)] if key else [None]
        found |= {json.dumps({**entry, **({key: value} if key else {})}, sort_keys=True) for value in values}
    return found


def told(round_: Round) -> dict[str, Any]:
    opened = round_.opened
    return {
        "ahead": shown(forecast(round_.rules, round_.terms, opened.bank_seat)),
        "rules": {"base": round_.rules.base_spot, "spots": [{"name": name} for name in round_.rules.spots]},
        "session": {"players": {str(seat): bettor for seat, bettor in opened.players.items()}},
        "round": {"expects": expects(round_)},
        "sealed": [],
    }


@pytest.mark.parametrize("ruleset", rulesets.ids())
def test_it_is_what_the_service_would_offer(site: Site, page: Page, ruleset: str):
    page.goto(f"{site.url}/sign-in")
    known = 0
    for line in islice(documents(ruleset, 11, 1), 12):
        document = as_dealt(json.loads(line))
        round_ = read_document(document).opening
        expected, facts = [], []
        for action in document["actions"]:
            if action["do"] in ("settle", "void"):
                break
            round_, events = play(round_, [action])
            facts += [
                {name: value for name, value in fact.items() if name != "cards"} for fact in fact_documents(events)
            ]
            expected.append(expects(round_))
        opening = told(read_document(document).opening)
        [found] = page.evaluate(FOLLOW, [read_assets()["dealer_forecast.js"].address, opening, [facts]])
        for at, entries in enumerate(found):
            if entries is not None:
                known += 1
                offered, missing = each(entries), each(expected[at]) - each(entries)
                assert offered <= each(expected[at]), document["actions"][: at + 1]
                assert all(OF_A_SEAT.search(entry) for entry in missing), document["actions"][: at + 1]
    assert known > 50

"""A fourth game is one package and one rule set: whatever the product does with a game, it does with this one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
import typer
from playwright.sync_api import Page, expect
from typer.testing import CliRunner

from api.cli.audit import audit
from domain.documents.document import adjudicate, read_document
from domain.games.registry import GAMES
from domain.round.decide import expects
from domain.round.replay import play
from domain.rules import loader, rulesets
from domain.rules.description.markdown import markdown
from infra.ledger.floor import Floor
from infra.ledger.ledger import Actor, Ledger
from infra.simulation import documents
from projections.engine.runner import Runner
from projections.evidence.current_bundle import make
from projections.evidence.verification import verify
from tests.api.pages.conftest import Site, serving
from tests.api.pages.dealer_screen import Dealer, bet
from tests.databases import migrated_database
from tests.games.war import War
from tests.sealed_ledger import log_of, seal

RULESET = "war-test"
ROOT = Path(__file__).parents[3]
AT_MS = 1_789_000_000_000
ROUND: dict[str, Any] = {
    "ruleset": RULESET,
    "players": {"1": "p-1", "2": "p-2", "4": "p-4"},
    "actions": [
        bet(1, "ante", "25.00"),
        bet(2, "ante", "10.00"),
        bet(4, "ante", "5.00"),
        {"do": "close_bets"},
        {"do": "deal", "to": 1, "cards": ["Kd"]},
        {"do": "deal", "to": 2, "cards": ["9c"]},
        {"do": "deal", "to": 4, "cards": ["2s"]},
        {"do": "deal", "to": "dealer", "cards": [None]},
        {"do": "reveal", "of": "dealer", "cards": ["9h"]},
        {"do": "settle"},
    ],
}


@pytest.fixture(scope="module", autouse=True)
def registered() -> Iterator[None]:
    """The game and its rule set are known while the tests of this module run."""
    game, folder = War(), ROOT / "tests" / "games" / "war" / "rulesets"
    GAMES[game.family] = game
    loader.look_in(folder)
    yield
    loader.look_in()
    del GAMES[game.family]


@pytest.fixture(scope="module")
def site(server_url: str) -> Iterator[Site]:
    with migrated_database(server_url) as url, serving(url) as site:
        recorded(site.ledger, 6)
        yield site


def recorded(ledger: Ledger, rounds: int) -> list[str]:
    found = []
    for number, line in enumerate(islice(documents(RULESET, 1, 1), rounds)):
        result = ledger.record(msgspec.json.decode(line), Actor("dealer-1", AT_MS + number * 60_000))
        assert result["status"] in ("settled", "void"), result
        found.append(result["id"])
    return found


def test_the_product_does_not_know_its_name():
    files = [path for folder in ("domain", "infra", "projections", "api") for path in (ROOT / folder).rglob("*")]
    texts = [path for path in files if path.suffix in (".py", ".js", ".css", ".html", ".toml", ".sql")]
    assert [path for path in texts if re.search(r"\bwar\b", path.read_text(encoding="utf-8"), re.IGNORECASE)] == []


def test_it_is_simulated_and_every_round_of_it_adjudicates():
    outcomes = set()
    for line in islice(documents(RULESET, 7, 3), 60):
        result = adjudicate(line)
        assert result["status"] in ("settled", "void"), result["error"]
        outcomes |= {line["outcome"] for line in result["lines"]}
    assert outcomes == {"win", "lose", "push"}


def test_the_higher_card_wins_and_a_tie_pushes():
    result = adjudicate(msgspec.json.encode(ROUND))
    lines = [(line["seat"], line["outcome"], line["paid"], line["collected"]) for line in result["lines"]]
    assert lines == [(1, "win", "25.00", "0.00"), (2, "push", "0.00", "0.00"), (4, "lose", "0.00", "5.00")]
    assert result["dealer"] == {"cards": ["9h"], "hand": "9", "qualifies": None}
    assert result["exposure"] == {"action": "40.00", "liability": "40.00"}


@pytest.mark.parametrize(
    ("actions", "code"),
    [
        ([{"do": "peek"}], "out_of_turn"),
        ([{"do": "decide", "seat": 1, "choice": "fold"}], "out_of_turn"),
        ([{"do": "deal", "to": 1, "cards": ["2c"], "hand": 2}], "bad_document"),
        ([{"do": "deal", "to": 1, "cards": [None]}], "wrong_cards"),
        ([{"do": "settle"}], "out_of_turn"),
    ],
)
def test_what_the_game_does_not_have_is_refused(actions: list[dict[str, Any]], code: str):
    result = adjudicate(msgspec.json.encode({**ROUND, "actions": [*ROUND["actions"][:4], *actions]}))
    assert (result["status"], result["error"]["code"]) == ("refused", code)


def test_what_may_come_next_is_offered():
    opening = read_document(ROUND).opening
    offered = []
    for count in (0, 1, 4, 7, 8, 9, 10):
        round_, _ = play(opening, ROUND["actions"][:count])
        offered.append(next((entry for entry in expects(round_) if entry["do"] not in ("withdraw", "void")), None))
    assert offered[0] == {"do": "bet", "seat": [1, 2, 3, 4, 5], "spot": ["ante"]}
    assert offered[2:] == [
        {"do": "deal", "to": 1, "count": 1},
        {"do": "deal", "to": "dealer", "count": 1},
        {"do": "reveal", "of": "dealer", "count": 1},
        {"do": "settle"},
        None,
    ]


def test_its_rule_set_is_described():
    text = markdown(rulesets.load(RULESET))
    assert "| game | War |" in text
    assert "war/play/2" in text


def test_its_rounds_are_recorded_audited_and_proven(url: str, ledger: Ledger, tmp_path: Path):
    rounds = recorded(ledger, 12)
    assert ledger.load(rounds[0]).round.status == "settled"
    seal(url, tmp_path)
    with Runner(url) as runner:
        runner.catch_up()
    app = typer.Typer()
    app.command()(audit)
    audited = CliRunner().invoke(app, ["--database-url", url, "--processes", "1"])
    assert audited.exit_code == 0, audited.output
    assert "No findings." in audited.stdout

    with log_of(url) as log:
        verdict = verify(make(log, rounds[0], tmp_path))
    assert verdict.faults == []
    assert verdict.result is not None
    assert verdict.result["ruleset"] == RULESET


def test_its_pages_are_rendered(site: Site):
    round_id = f"{RULESET}-s1-t1-000001"
    with httpx.Client(base_url=site.url) as client:
        steps = client.get(f"/v1/rounds/{round_id}/steps").raise_for_status().json()
        assert (steps["family"], [street["name"] for street in steps["streets"]]) == (
            "war",
            ["bets", "deal", "showdown", "settlement"],
        )
        page = client.get(f"/rounds/{round_id}", headers={"Accept": "text/html"}).raise_for_status().text
        assert "the card" in page
        assert "War" in client.get("/rules", headers={"Accept": "text/html"}).raise_for_status().text
        assert RULESET in client.get("/v1/rulesets").raise_for_status().text


def test_it_is_dealt_on_the_dealers_screen_and_replayed(site: Site, page: Page):
    dealer = Dealer(page)
    dealer.go(site.url, "war-1")
    dealer.open_table(ROUND)
    dealer.open_round(ROUND)
    session = Floor(site.ledger).latest_session("war-1")
    assert session is not None
    assert session.playing is not None
    round_id = session.playing.round
    for action in ROUND["actions"]:
        dealer.play(action)
    lines = site.ledger.load(round_id).round.lines
    assert [(line.seat, line.outcome) for line in lines] == [(1, "win"), (2, "push"), (4, "lose")]

    page.emulate_media(reduced_motion="reduce")
    page.goto(f"{site.url}/rounds/{round_id}")
    page.wait_for_selector("#replay[data-ready]")
    for street in ("deal", "showdown", "settlement"):
        page.locator(".streets").get_by_role("link", name=street, exact=True).click()
        expect(page.locator(".streets [aria-current]")).to_have_text(street)

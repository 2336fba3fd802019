"""A round opens under the version of its rule set that was in force at its own time at the table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

import msgspec
import pytest

from domain.audit.findings import Finding
from domain.documents.document import adjudicate
from domain.documents.result import result_of
from domain.errors import BadTerms, Conflict
from domain.floor import table_sessions
from domain.moments import OutOfOrder
from domain.rules import rulesets
from domain.rules.terms import TermsDocument
from infra.ledger.floor import Floor
from infra.ledger.ledger import Actor, Ledger
from infra.ledger.replay import replay_of
from infra.simulation import documents
from projections.audit.run import Audit
from tests.rules.hold_em import PAIR_OF_QUEENS, HoldEm
from tests.tables_in_play import bank_round, document, new_table, session_events, stored_bytes

FIRST_DAY = datetime(2026, 11, 18, tzinfo=UTC)  # of version 2
HOLD_EM = [ruleset for ruleset in rulesets.ids() if ruleset.startswith("uth")]


@pytest.fixture
def url(new_ledger: Callable[[], str]) -> str:
    return new_ledger()


@pytest.fixture
def ledger(url: str) -> Iterator[Ledger]:
    with closing(Ledger(url)) as ledger:
        yield ledger


def at(minutes: float, dated: bool = True) -> Actor:
    """Somebody whose time is so many minutes after the first day of version 2 began."""
    return Actor("d-1", round((FIRST_DAY + timedelta(minutes=minutes)).timestamp() * 1000), late=dated, dated=dated)


def version_of(ledger: Ledger, round_id: str) -> int:
    return ledger.load(round_id).round.rules.version


def folded_unseen(ruleset: str, table: str) -> dict[str, Any]:
    """Seat 1 folds with a trips wager on its hand, which nobody sees."""
    rules = rulesets.load(ruleset)
    terms: dict[str, Any] = {} if rules.usual_trips else {"trips": "UTH-01"}
    play = HoldEm.at(ruleset, banker=7 if rules.player_banked else None, **terms).bet(1, ante=10, blind=10, trips=5)
    play = play.deal_out({1: "????"}, PAIR_OF_QUEENS).check(1).reveal("flop").check(1).reveal("turn_river")
    return document(play.fold(1).settle(), table)


# ---- the day of a round says which version


def test_the_last_minute_of_version_1_and_the_first_of_version_2(ledger: Ledger) -> None:
    for minutes, version in ((-1, 1), (0, 2), (60, 2)):
        raw = bank_round(new_table())
        assert ledger.record(raw, at(minutes))["status"] == "settled"
        assert version_of(ledger, raw["round"]) == version
    assert rulesets.load("uth-casino-club").version == 2


@pytest.mark.parametrize("ruleset", HOLD_EM)
def test_a_late_entry_is_decided_by_the_rules_of_its_time(ledger: Ledger, ruleset: str) -> None:
    early, now = folded_unseen(ruleset, new_table()), folded_unseen(ruleset, new_table())
    result = ledger.record(early, at(-60))
    assert [line["outcome"] for line in result["lines"]] == ["lose"] * 3
    refused = ledger.record(now, at(60))
    assert (refused["status"], refused["error"]["code"]) == ("refused", "out_of_turn")
    assert refused["error"]["clause"] == rulesets.load(ruleset).clause("folded_hands")
    assert ledger.record(early, at(60)) == result, "what is stored stays as it was, whenever it is sent again"


def test_adjudicate_has_no_day_and_so_uses_the_newest() -> None:
    result = adjudicate(msgspec.json.encode(folded_unseen("uth-bgc", "t-1")))
    assert result["error"]["clause"] == rulesets.load("uth-bgc", 2).clause("folded_hands")


# ---- a table whose session is of an earlier version


def opened(ledger: Ledger, table: str, minutes: float, ruleset: str = "uth-casino-club", **terms: Any) -> None:
    Floor(ledger).open_session(table, ruleset, TermsDocument(**terms), {1: "p-1", 7: "a"}, at(minutes))


def session_versions(ledger: Ledger, table: str, sessions: int) -> list[int]:
    first = [session_events(ledger, table, number)[0] for number in range(1, sessions + 1)]
    return [ledger.rulebook.rules(one.ruleset, one.ruleset_hash).version for one in first]


def test_the_next_recorded_round_closes_it_and_opens_one_with_the_same_terms(ledger: Ledger) -> None:
    table = new_table()
    first, second = bank_round(table), bank_round(table)
    assert ledger.record(first, at(-60))["status"] == "settled"
    assert ledger.record(second, at(60))["status"] == "settled"
    assert session_versions(ledger, table, 2) == [1, 2]
    before, after = (session_events(ledger, table, number) for number in (1, 2))
    assert before[-1] == table_sessions.SessionClosed(1)
    assert after[0].terms == before[0].terms
    assert (after[0].box, after[0].deck) == (before[0].box, "red"), "box and decks go over"
    assert after[0].run == table_sessions.BankRun("a", 7, 1)
    assert ledger.load(second["round"]).round.opened.turn == 2, "who banked last goes over too"


def test_a_round_that_is_opened_over_http_does_so_too(ledger: Ledger) -> None:
    table = new_table()
    opened(ledger, table, -60)
    Floor(ledger).tap_in(table, "dealer-eva", at(-30))
    bank = {"player_dealer": {"seat": 7, "bettor": "a", "wager": "1000.00"}}
    stored = ledger.open_round(table, {**bank, "round": f"{table}-late"}, at(-20))
    assert stored.round.rules.version == 1
    ledger.act(stored.id, [{"do": "void", "reason": "misdeal"}], at(10))
    assert ledger.load(stored.id).round.rules.version == 1, "a round ends under the rules that it began with"
    stored = ledger.open_round(table, {**bank, "round": f"{table}-now"}, at(20))
    assert stored.round.rules.version == 2
    assert stored.round.opened.dealer == "dealer-eva"
    assert stored.round.opened.players[1] == "p-1"
    assert session_versions(ledger, table, 2) == [1, 2]


def test_terms_that_the_new_version_does_not_allow_are_refused_and_nothing_is_stored(ledger: Ledger) -> None:
    table = new_table()
    limits = {"ante": ["5.00", "200.00"], "trips": ["5.00", "100.00"]}
    terms = msgspec.convert({"trips": "UTH-01", "limits": limits}, TermsDocument)
    Floor(ledger).open_session(table, "uth-sd", terms, {}, at(-60))
    assert ledger.open_round(table, {"round": f"{table}-1"}, at(-50)).round.rules.version == 1
    ledger.act(f"{table}-1", [{"do": "void", "reason": "misdeal"}], at(-40))
    before = stored_bytes(ledger)
    with pytest.raises(BadTerms) as refused:
        ledger.open_round(table, {"round": f"{table}-2"}, at(60))
    assert refused.value.clause == rulesets.load("uth-sd", 2).clause("customer_limit")
    assert stored_bytes(ledger) == before
    assert not Floor(ledger).session(table).closed


def test_an_open_round_of_version_1_keeps_the_table(ledger: Ledger) -> None:
    table = new_table()
    begun = bank_round(table, end="open")
    ledger.record(begun, at(-60))
    result = ledger.record(bank_round(table), at(60))
    assert (result["status"], result["error"]["code"]) == ("refused", "conflict")
    assert begun["round"] in result["error"]["detail"]


def test_a_late_entry_does_not_go_back_behind_a_session_of_version_2(ledger: Ledger) -> None:
    table = new_table()
    assert ledger.record(bank_round(table), at(60))["status"] == "settled"
    before = stored_bytes(ledger)
    result = ledger.record(bank_round(table), at(-60))
    assert (result["status"], result["error"]["code"]) == ("refused", "out_of_turn")
    assert table in result["error"]["detail"]
    with pytest.raises(OutOfOrder):
        ledger.open_round(table, {"player_dealer": {"seat": 7, "wager": "100.00"}}, at(-60))
    assert stored_bytes(ledger) == before


def test_clocks_that_differ_do_not_open_a_round_under_the_rules_of_the_day_before(ledger: Ledger) -> None:
    table = new_table()
    assert ledger.record(bank_round(table), at(0.2))["status"] == "settled"
    result = ledger.record(bank_round(table), at(-0.2))
    assert (result["status"], result["error"]["code"]) == ("refused", "out_of_turn")
    assert "Version 2 of uth-casino-club is in force since 2026-11-18" in result["error"]["detail"]


def test_a_session_that_is_opened_for_a_day_is_of_its_version(ledger: Ledger) -> None:
    for minutes, version in ((-60, 1), (60, 2)):
        table = new_table()
        opened(ledger, table, minutes)
        assert session_versions(ledger, table, 1) == [version]
        with pytest.raises(Conflict):
            opened(ledger, table, minutes + 1)


# ---- rounds of version 1 in a ledger of today


def test_rounds_of_all_seven_under_version_1_replay_and_audit_without_a_finding(url: str, ledger: Ledger) -> None:
    """Simulated ones, and those that version 2 decides otherwise."""
    recorded: list[tuple[str, dict[str, Any]]] = []
    for number, ruleset in enumerate(rulesets.ids()):
        early = -10_000 + number
        for line in islice(documents(ruleset, 7, 1), 12):
            raw = {**msgspec.json.decode(line), "table": f"v1-{ruleset}"}
            early += 7
            result = ledger.record(raw, at(early))
            if result["status"] != "refused":
                recorded.append((result["id"], result))
    for ruleset in HOLD_EM:
        raw = folded_unseen(ruleset, new_table())
        recorded.append((raw["round"], ledger.record(raw, at(-60))))
        assert recorded[-1][1]["status"] == "settled"
    assert {version_of(ledger, name) for name, _ in recorded} == {1}
    assert {result["ruleset"] for _, result in recorded} == set(rulesets.ids())
    for name, result in recorded:
        stored = ledger.load(name)
        assert {**result_of(stored.round), "id": name, "events": stored.version} == result
        replayed = replay_of(ledger, name)
        assert replayed is not None
        assert replayed.steps[-1].round.rules.version == 1
        assert {**replayed.result, "id": name, "events": stored.version} == result
    found: list[Finding] = []
    summary = Audit(url, processes=1, without=("projections", "log"), report=found.append).run()
    assert [finding for finding in found if not finding.is_note] == []
    assert (summary.clean, summary.rounds) == (True, len(recorded))

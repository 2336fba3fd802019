"""Documents into the ledger: the same results as without one, stored whole, once, and found again."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import pytest

from domain.documents.document import encode_result
from domain.documents.result import result_of
from domain.errors import BadChoice, BadTerms, Conflict, OutOfTurn
from domain.floor import drop_boxes, meters, table_sessions
from domain.round.corrections import Entry
from domain.round.events import CorrectionPosted, FeeWaived, MeterRead, NoteMade, RoundCorrected, RoundOpened
from domain.round.replay import fact_documents
from domain.rules import rulesets
from domain.rules.terms import TermsDocument
from infra.aggregates.tables import NOTE_EVERY
from infra.embedded import embedded_postgres
from infra.ledger.floor import Floor
from infra.ledger.ledger import Actor, Ledger, UnknownRound
from infra.ledger.replay import replay_of
from infra.schema.migrator import migrate
from infra.simulation import documents
from infra.store.streams import stream_id
from tests.rules.hold_em import HoldEm
from tests.rules.test_examples import FILES, FOLDER
from tests.tables_in_play import (
    ACTOR,
    REST,
    Document,
    adjudicated,
    bank_round,
    document,
    events_of,
    new_table,
    progressive_round,
    session_events,
    stored_bytes,
    without_ledger,
)

BROKEN: list[Any] = [
    None,
    [],
    {"ruleset": "uth-club"},
    {"ruleset": "nonsense", "actions": [], "table": "t"},
    {"ruleset": "uth-house", "actions": [], "table": "t", "terms": {"decks": 3}},
    {"ruleset": "uth-house", "actions": [{"do": "close_bets"}], "table": "t"},
    {"ruleset": "uth-house", "actions": [{"do": "bet", "seat": 1, "spot": "ante", "amount": 10}], "table": "t"},
]


@pytest.fixture
def ledger(ledger_url: str) -> Iterator[Ledger]:
    ledger = Ledger(ledger_url)
    yield ledger
    ledger.close()


@pytest.fixture
def reopened(ledger_url: str) -> Iterator[Callable[[], Ledger]]:
    """Ledgers that know nothing but what is stored, as another process would."""
    opened: list[Ledger] = []

    def reopen() -> Ledger:
        opened.append(Ledger(ledger_url))
        return opened[-1]

    yield reopen
    for ledger in opened:
        ledger.close()


def record(ledger: Ledger, raw: Any) -> dict[str, Any]:
    return ledger.record(raw, ACTOR)


def accepted(ledger: Ledger, raw: Document) -> dict[str, Any]:
    result = record(ledger, raw)
    assert result["error"] is None, result["error"]
    return result


def code(ledger: Ledger, raw: Any) -> str:
    result = record(ledger, raw)
    assert (result["status"], result["id"], result["events"]) == ("refused", None, 0)
    return str(result["error"]["code"])


# ---- the same results as adjudicate


@pytest.mark.parametrize("ruleset", rulesets.ids())
def test_simulated_rounds_are_decided_as_without_a_ledger_and_replay_to_the_same_bytes(ruleset, ledger, reopened):
    recorded = []
    for line in islice(documents(ruleset, 21, 3), 60):
        raw = msgspec.json.decode(line)
        result = record(ledger, raw)
        assert without_ledger(result) == adjudicated(raw)
        assert result["id"] == raw["round"]
        assert result["events"] == len(ledger.entries(raw["round"])) > 1
        recorded.append((raw, result))
    later = reopened()
    for raw, result in recorded:
        replayed = replay_of(later, raw["round"])
        assert replayed is not None
        assert encode_result(replayed.result) == encode_result(without_ledger(result))
        assert encode_result(result_of(later.load(raw["round"]).round)) == encode_result(without_ledger(result))
        assert encode_result(record(later, raw)) == encode_result(result)  # answered again, not stored twice


@pytest.mark.parametrize("name", FILES)
def test_the_worked_examples_are_decided_as_without_a_ledger(name, ledger, reopened):
    """Each at a table of its own: there is nothing before it that could prevent it."""
    for line in (FOLDER / f"{name}.jsonl").read_bytes().splitlines():
        try:
            raw = json.loads(line)
        except ValueError:
            continue
        if not isinstance(raw, dict):
            continue
        raw = {**raw, "table": new_table()}
        if isinstance(raw.get("round"), str):
            raw["round"] = f"{raw['table']}-{raw['round']}"[:40]
        result = record(ledger, raw)
        expected = adjudicated(raw)
        if expected["error"] is None and expected["round"] is None:
            expected["round"] = result["id"]
        assert without_ledger(result) == expected
        if result["error"] is None:
            replayed = replay_of(reopened(), result["id"])
            assert replayed is not None
            assert encode_result(replayed.result) == encode_result(expected)


@pytest.mark.parametrize("raw", BROKEN)
def test_what_is_refused_is_refused_alike_and_leaves_nothing(raw, ledger):
    before = len(stored_bytes(ledger))
    result = record(ledger, raw)
    assert without_ledger(result) == adjudicated(raw)
    assert (result["status"], result["id"], result["events"]) == ("refused", None, 0)
    assert len(stored_bytes(ledger)) == before


def test_a_refused_action_leaves_nothing_of_the_round_or_its_table(ledger):
    table = new_table()
    raw = bank_round(table)
    raw["actions"].append({"do": "settle"})
    before = len(stored_bytes(ledger))
    assert code(ledger, raw) == "out_of_turn"
    assert len(stored_bytes(ledger)) == before
    with pytest.raises(UnknownRound):
        ledger.load(raw["round"])


def test_a_table_is_needed(ledger):
    raw = bank_round(new_table())
    del raw["table"]
    assert code(ledger, raw) == "bad_document"


def test_without_a_round_id_one_is_made(ledger):
    table = new_table()
    ids = set()
    for bettor in ("a", "b"):
        raw = bank_round(table, bettor)
        del raw["round"]
        result = accepted(ledger, raw)
        assert result["id"] == result["round"]
        assert ledger.load(result["id"]).round.status == "settled"
        ids.add(result["id"])
    assert len(ids) == 2


# ---- after restarts of everything


def test_after_a_restart_of_the_database_every_round_replays_byte_for_byte(tmp_path: Path):
    recorded: dict[str, bytes] = {}
    for start in (1, 2):
        with embedded_postgres(tmp_path / "data") as url:
            migrate(url)
            ledger = Ledger(url)
            try:
                for round_id, answer in recorded.items():
                    replayed = replay_of(ledger, round_id)
                    assert replayed is not None
                    assert encode_result(replayed.result) == answer
                for ruleset in rulesets.ids():
                    for line in islice(documents(ruleset, 30 + start, 2), 6):
                        raw = msgspec.json.decode(line)
                        result = without_ledger(accepted(ledger, raw))
                        recorded[raw["round"]] = encode_result(result)
            finally:
                ledger.close()
    assert len(recorded) == 84


# ---- once


def test_the_same_document_five_times_is_stored_once(ledger, reopened):
    raw = bank_round(new_table())
    first = accepted(ledger, raw)
    before = len(stored_bytes(ledger))
    shuffled = dict(reversed([*raw.items()]))
    assert [record(ledger, raw), record(reopened(), raw), record(ledger, shuffled), record(ledger, raw)] == [first] * 4
    assert len(stored_bytes(ledger)) == before


def test_the_same_document_is_recognised_after_others_have_followed(ledger):
    """Also one that would be refused by now, because its player-dealer has had two rounds since."""
    table = new_table()
    raws = [bank_round(table, "a"), bank_round(table, "a"), bank_round(table, "b", trips="UTH-04", chip="5.00")]
    firsts = [accepted(ledger, raw) for raw in raws]
    before = len(stored_bytes(ledger))
    assert [record(ledger, raw) for raw in raws] == firsts
    assert len(stored_bytes(ledger)) == before


def test_the_same_id_with_another_content_is_a_conflict(ledger, reopened):
    raw = bank_round(new_table())
    accepted(ledger, raw)
    before = len(stored_bytes(ledger))
    others = [
        {**raw, "actions": raw["actions"][:-1]},
        {**raw, "actions": [*raw["actions"][:-1], {"do": "void", "reason": "misdeal"}]},
        {**raw, "table": new_table()},
        {**raw, "player_dealer": {**raw["player_dealer"], "wager": "1.00"}},
    ]
    for other in others:
        assert code(ledger, other) == "conflict"
        assert code(reopened(), other) == "conflict"
    assert len(stored_bytes(ledger)) == before


# ---- open rounds


def test_a_document_that_ends_early_is_an_open_round_and_goes_on_by_actions(ledger, reopened):
    table = new_table()
    raw = bank_round(table, end="open")
    result = accepted(ledger, raw)
    assert result["status"] == "open"
    assert without_ledger(result) == adjudicated(raw)
    whole = {**raw, "actions": [*raw["actions"], *REST]}
    elsewhere = reopened()
    for action in REST[:3]:
        stored = elsewhere.act(raw["round"], [action], ACTOR)
    stored = ledger.act(raw["round"], REST[3:], ACTOR, expected_version=stored.version)
    assert result_of(stored.round) == adjudicated(whole)
    replayed = replay_of(reopened(), raw["round"])
    assert replayed is not None
    assert replayed.result == adjudicated(whole)
    ended = [event for event in session_events(ledger, table) if isinstance(event, table_sessions.RoundEnded)]
    assert ended == [table_sessions.RoundEnded(raw["round"], "settled")]
    assert accepted(ledger, bank_round(table))["status"] == "settled"


def test_an_action_by_action_round_is_stored_as_a_whole_document_is(ledger):
    """The same events, but for salts; whoever posts one action at a time gets the same lines."""
    table, other = new_table(), new_table()
    raw = bank_round(table, end="open")
    accepted(ledger, {**raw, "actions": []})
    for action in [*raw["actions"], *REST]:
        ledger.act(raw["round"], [action], ACTOR)
    whole = bank_round(other)
    accepted(ledger, whole)
    kinds = [[type(event) for event in events_of(ledger, "round", one["round"])] for one in (raw, whole)]
    assert kinds[0] == kinds[1]
    assert ledger.load(raw["round"]).round.lines == ledger.load(whole["round"]).round.lines


def test_a_new_round_while_one_is_open_is_a_conflict(ledger, reopened):
    table = new_table()
    raw = bank_round(table, "a", end="open")
    accepted(ledger, raw)
    for one in (ledger, reopened()):
        assert code(one, bank_round(table, "b")) == "conflict"
        assert code(one, bank_round(table, "b", chip="5.00")) == "conflict"  # nor by closing its session
    ledger.act(raw["round"], [{"do": "void", "reason": "misdeal"}], ACTOR)
    for one in (reopened(), ledger):
        accepted(one, bank_round(table, "b"))


def test_actions_are_all_stored_or_none(ledger):
    raw = bank_round(new_table(), end="open")
    version = accepted(ledger, raw)["events"]
    with pytest.raises(OutOfTurn) as refusal:
        ledger.act(raw["round"], [*REST[:2], {"do": "settle"}], ACTOR)
    assert refusal.value.action == 2
    assert ledger.load(raw["round"]).version == version


def test_an_action_onto_another_version_is_a_conflict(ledger, reopened):
    raw = bank_round(new_table(), end="open")
    version = accepted(ledger, raw)["events"]
    reopened().act(raw["round"], REST[:1], ACTOR, expected_version=version)
    with pytest.raises(Conflict, match="version"):
        ledger.act(raw["round"], REST[:1], ACTOR, expected_version=version)


def test_a_round_that_is_over_takes_no_action(ledger):
    raw = bank_round(new_table())
    accepted(ledger, raw)
    with pytest.raises(OutOfTurn, match="over"):
        ledger.act(raw["round"], [{"do": "void", "reason": "misdeal"}], ACTOR)
    with pytest.raises(UnknownRound):
        ledger.act("no-such-round", [], ACTOR)


def test_a_round_is_opened_by_the_terms_and_players_of_the_session(ledger):
    table = new_table()
    floor = Floor(ledger)
    with pytest.raises(OutOfTurn, match="no session"):
        ledger.open_round(table, {}, ACTOR)
    terms = msgspec.convert({"chip": "5.00"}, TermsDocument)
    floor.open_session(table, "uth-house", terms, {2: "p-2"}, ACTOR)
    stored = ledger.open_round(table, {"round": f"{table}-r"}, ACTOR)
    assert (stored.id, stored.round.opened.players, stored.round.terms.chip) == (f"{table}-r", {2: "p-2"}, 500)
    assert ledger.load(stored.id).round.status == "open"


# ---- sessions


def test_the_first_round_opens_the_session_and_keeps_the_rule_sets_text(ledger):
    table = new_table()
    raw = bank_round(table, players={1: "p-1"})
    accepted(ledger, raw)
    kinds = [type(event) for event in session_events(ledger, table)]
    assert kinds == [
        table_sessions.SessionOpened,
        table_sessions.SeatTaken,
        table_sessions.SeatTaken,
        table_sessions.RoundBegun,
        table_sessions.RoundEnded,
    ]
    rules = rulesets.load("uth-casino-club")
    (adopted,) = events_of(ledger, "rules", rules.content_hash)
    assert rulesets.parse(adopted.text, "uth-casino-club.toml") == rules


def test_other_terms_close_the_session_and_open_the_next(ledger, reopened):
    table = new_table()
    accepted(ledger, bank_round(table, "a"))
    accepted(ledger, bank_round(table, "b"))
    accepted(ledger, bank_round(table, "a", chip="5.00"))
    accepted(reopened(), bank_round(table, "b", chip="5.00"))
    accepted(ledger, bank_round(table, "a", chip="1.00"))  # the default, said
    first, second, third = (session_events(ledger, table, number) for number in (1, 2, 3))
    assert first[-1] == table_sessions.SessionClosed(2)
    assert second[-1] == table_sessions.SessionClosed(2)
    assert isinstance(third[-1], table_sessions.RoundEnded)
    assert [events[0].terms["chip"] for events in (first, second, third)] == ["1.00", "5.00", "1.00"]
    assert events_of(ledger, "table", table) == [table_sessions.SessionNumbered(number) for number in (1, 2, 3)]


def test_terms_that_say_the_defaults_are_the_same_terms(ledger):
    table = new_table()
    accepted(ledger, bank_round(table, "a"))
    accepted(ledger, bank_round(table, "b", trips="UTH-04", schedule=1, dealing="shuffler", chip="1.00"))
    assert events_of(ledger, "table", table) == [table_sessions.SessionNumbered(1)]


def test_the_deck_and_the_turn_are_in_the_round_itself(ledger, reopened):
    table = new_table()
    raws = [bank_round(table, "a"), bank_round(table, "a"), bank_round(table, "b", chip="5.00")]
    seen = []
    for one, raw in zip((ledger, reopened(), reopened()), raws, strict=True):
        accepted(one, raw)
        opened = events_of(ledger, "round", raw["round"])[0]
        assert isinstance(opened, RoundOpened)
        seen.append((opened.deck, opened.turn))
    assert seen == [("blue", 1), ("red", 2), ("blue", 1)]


def test_a_long_session_is_picked_up_again_from_its_last_note(ledger, reopened):
    table = new_table()
    for number in range(NOTE_EVERY + 10):
        accepted(ledger, bank_round(table, "ab"[number // 2 % 2]))
    events = session_events(ledger, table)
    assert sum(isinstance(event, table_sessions.SessionNoted) for event in events) >= 2
    kept, loaded = ledger.tables.get(table), reopened().tables.get(table)
    assert loaded == kept
    assert kept.session is not None
    assert kept.session.rounds == NOTE_EVERY + 10


# ---- rotation from what is stored


def test_a_third_round_in_a_row_is_refused_from_the_stored_history(ledger, reopened):
    for ruleset in ("uth-club", "uth-casino-club"):
        table = new_table()
        accepted(ledger, bank_round(table, "a", ruleset=ruleset))
        accepted(reopened(), bank_round(table, "a", ruleset=ruleset))
        for one in (ledger, reopened()):
            assert code(one, bank_round(table, "a", ruleset=ruleset)) == "rotation"
        accepted(reopened(), bank_round(table, "b", ruleset=ruleset))
        accepted(ledger, bank_round(table, "a", ruleset=ruleset))


def test_a_voided_round_uses_up_nothing(ledger, reopened):
    table = new_table()
    accepted(ledger, bank_round(table, "a"))
    accepted(ledger, bank_round(table, "a", end="void"))
    accepted(reopened(), bank_round(table, "a"))
    assert code(reopened(), bank_round(table, "a")) == "rotation"


def test_a_new_session_does_not_start_the_count_anew(ledger, reopened):
    table = new_table()
    accepted(ledger, bank_round(table, "a", ruleset="uth-club"))
    accepted(ledger, bank_round(table, "a", ruleset="uth-club", chip="5.00"))
    assert code(reopened(), bank_round(table, "a", ruleset="uth-club", chip="2.00")) == "rotation"
    assert code(ledger, bank_round(table, "a")) == "rotation"
    assert len(events_of(ledger, "table", table)) == 2


def test_the_count_follows_the_person_to_another_seat(ledger):
    table = new_table()
    accepted(ledger, bank_round(table, "a", 7))
    accepted(ledger, bank_round(table, "a", 6))
    assert code(ledger, bank_round(table, "a", 5)) == "rotation"


def test_refusals_are_stored_and_let_the_same_person_go_on(ledger, reopened):
    table = new_table()
    players = {1: "p-1", 2: "p-2", 4: "p-4"}
    for _ in range(2):
        accepted(ledger, bank_round(table, "a", players=players))
    for declined in ([], [1], [1, 4, 2], [2, 1, 4]):
        assert code(ledger, bank_round(table, "a", players=players, declined=declined)) == "rotation"
        assert code(reopened(), bank_round(table, "a", players=players, declined=declined)) == "rotation"
    accepted(reopened(), bank_round(table, "a", players=players, declined=[1, 2, 4]))
    asked = [
        (type(event), event.seat, event.bettor)
        for event in session_events(ledger, table)
        if isinstance(event, table_sessions.BankOffered | table_sessions.BankDeclined)
    ]
    assert asked == [
        (kind, seat, f"p-{seat}")
        for seat in (1, 2, 4)
        for kind in (table_sessions.BankOffered, table_sessions.BankDeclined)
    ]
    accepted(ledger, bank_round(table, "a", players=players))
    assert code(ledger, bank_round(table, "a", players=players)) == "rotation"


def test_a_seat_that_bets_is_occupied_though_nobody_is_named_there(ledger):
    table = new_table()
    for _ in range(2):
        accepted(ledger, bank_round(table, "a"))
    assert code(ledger, bank_round(table, "a", declined=[1])) == "rotation"
    accepted(ledger, bank_round(table, "a", declined=[1, 2]))


def test_strictly_refusals_do_not_help(ledger):
    table = new_table()
    for _ in range(2):
        accepted(ledger, bank_round(table, "a", ruleset="uth-club"))
    assert code(ledger, bank_round(table, "a", ruleset="uth-club", declined=[1, 2])) == "rotation"


# ---- meters


def meter_events(ledger: Ledger, meter: str) -> list[Any]:
    return events_of(ledger, "meter", meter)


def shown(result: dict[str, Any]) -> tuple[str, str]:
    return result["meter"]["before"]["shown"], result["meter"]["after"]["shown"]


def test_the_stored_meter_counts_and_the_documents_figures_are_ignored(ledger, reopened):
    table = new_table()
    first = accepted(ledger, progressive_round(table, {}))
    assert shown(first) == ("2000.00", "2000.50")
    second = accepted(reopened(), progressive_round(table, {"shown": "9999.00", "seed": "5.00"}))
    assert shown(second) == ("2000.50", "2001.00")
    seeded, *moves = meter_events(ledger, f"meter-{table}")
    assert seeded == meters.MeterSeeded(f"meter-{table}", 1000_00, 2000_00, 0, 25, 5)
    assert [(move.shown_by, move.reserve_by) for move in moves] == [(50, 10), (50, 10)]
    assert events_of(ledger, "table", table) == [
        table_sessions.SessionNumbered(1)
    ]  # what it shows is not the table's terms


def test_tables_share_a_meter_by_its_id(ledger, reopened):
    first, second = new_table(), new_table()
    name = f"m-{first}"
    assert shown(accepted(ledger, progressive_round(first, {"id": name}))) == ("2000.00", "2000.50")
    elsewhere = reopened()
    assert shown(accepted(elsewhere, progressive_round(second, {"id": name}))) == ("2000.50", "2001.00")
    assert shown(accepted(ledger, progressive_round(first, {"id": name}))) == ("2001.00", "2001.50")
    assert shown(accepted(elsewhere, progressive_round(second, {"id": name}))) == ("2001.50", "2002.00")
    assert len(meter_events(ledger, name)) == 5


def with_meter(raw: dict[str, Any], meter: dict[str, Any] | None) -> dict[str, Any]:
    """The document with this meter in its terms, or with none."""
    terms = {name: value for name, value in raw["terms"].items() if name != "meter"}
    return {**raw, "terms": terms if meter is None else {**terms, "meter": meter}}


def test_a_stored_meter_needs_no_figures_in_a_document(ledger, reopened):
    own, first, second = new_table(), new_table(), new_table()
    name = f"m-{first}"
    accepted(ledger, progressive_round(own, {}))
    again = with_meter(progressive_round(own, {}), None)
    assert shown(accepted(ledger, again)) == ("2000.50", "2001.00")
    assert shown(accepted(reopened(), again)) == ("2000.50", "2001.00")  # sent again, and not stored twice
    accepted(ledger, progressive_round(first, {"id": name}))
    assert shown(accepted(ledger, with_meter(progressive_round(second, {}), {"id": name}))) == ("2000.50", "2001.00")
    left_out = with_meter(progressive_round(second, {}), None)  # it is the one that the table plays with
    assert shown(accepted(reopened(), left_out)) == ("2001.00", "2001.50")
    assert events_of(ledger, "table", second) == [table_sessions.SessionNumbered(1)]
    some = with_meter(progressive_round(own, {}), {"shown": "5.00", "percent": 100})
    assert shown(accepted(ledger, some)) == ("2001.00", "2001.50")


@pytest.mark.parametrize("meter", [None, {"id": "m-nobody-has"}, {"shown": "5.00"}])
def test_a_meter_that_is_not_stored_needs_its_figures(ledger, meter):
    refused = ledger.record(with_meter(progressive_round(new_table(), {}), meter), ACTOR)
    assert (refused["status"], refused["error"]["code"]) == ("refused", "bad_terms")


def test_a_stored_meter_out_of_shape_is_a_bad_document(ledger):
    table = new_table()
    accepted(ledger, progressive_round(table, {}))
    for meter in ({"shown": 5}, {"colour": "red"}, {"id": "M 1"}):
        refused = ledger.record(with_meter(progressive_round(table, {}), meter), ACTOR)
        assert (refused["error"]["code"], refused["error"]["action"]) == ("bad_document", None)


def test_a_session_is_opened_with_a_stored_meter(ledger):
    table, other = new_table(), new_table()
    name = f"m-{table}"
    accepted(ledger, progressive_round(table, {"id": name}))
    terms = {"trips": "UTH-01", "progressive": "PMG-01", "meter": {"id": name}}
    session = Floor(ledger).open_session(other, "uth-sd", msgspec.convert(terms, TermsDocument), {}, ACTOR)
    assert session.terms.meter is not None
    assert (session.terms.meter.id, session.terms.meter.shown) == (name, 2000_50)
    with pytest.raises(BadTerms, match="meter"):
        Floor(ledger).open_session(
            new_table(), "uth-sd", msgspec.convert({**terms, "meter": {}}, TermsDocument), {}, ACTOR
        )


def without_progressive_wagers(raw: dict[str, Any]) -> dict[str, Any]:
    actions = [action for action in raw["actions"] if action.get("spot") != "progressive"]
    return {**raw, "actions": actions}


def test_a_round_without_a_progressive_wager_shows_what_others_made_of_the_meter(ledger, reopened):
    first, second = new_table(), new_table()
    name = f"m-{first}"
    accepted(ledger, progressive_round(first, {"id": name}))
    accepted(reopened(), progressive_round(second, {"id": name}))
    looking_on = accepted(ledger, without_progressive_wagers(progressive_round(first, {"id": name})))
    assert shown(looking_on) == ("2001.00", "2001.00")
    raw = without_progressive_wagers(progressive_round(first, {"id": name}))
    begun = ledger.record({**raw, "actions": raw["actions"][:-1]}, ACTOR)
    assert begun["status"] == "open"
    accepted(reopened(), progressive_round(second, {"id": name}))
    settled = ledger.act(raw["round"], raw["actions"][-1:], ACTOR)
    assert shown(result_of(settled.round))[1] == "2001.50"


def test_a_corrected_award_moves_the_meter_and_back(ledger, reopened):
    table = new_table()
    raw = progressive_round(table, {}, royal=True)
    assert shown(accepted(ledger, raw)) == ("2000.00", "1000.10")  # all of it, and seeded again with the reserve
    actions = fact_documents(entry.event for entry in ledger.entries(raw["round"]))
    (at,) = [at for at, action in enumerate(actions) if action.get("of") == "flop"]
    misread = {at: {"do": "reveal", "of": "flop", "cards": ["Qs", "Js", "9s"]}}
    corrected = reopened().correct_facts(raw["round"], misread, "Misread", "s-2", "house", ACTOR)
    assert corrected.round.meter_corrected == (2000_50 - 1000_10, 10)
    *_, adjusted = meter_events(ledger, f"meter-{table}")
    reason = f"Round {raw['round']} was corrected: Misread"
    assert adjusted == meters.MeterAdjusted(2000_50, 10, reason, (ACTOR.by, "s-2"))
    assert shown(accepted(ledger, progressive_round(table, {}))) == ("2000.50", "2001.00")
    ledger.correct_facts(raw["round"], misread, "Looked again", "s-2", "house", ACTOR)
    assert len(meter_events(ledger, f"meter-{table}")) == 5  # seeded, two rounds, one award, one adjustment
    ledger.correct_facts(raw["round"], {}, "Read right at first", "s-2", "house", ACTOR)
    *_, back = meter_events(ledger, f"meter-{table}")
    assert (back.shown, back.reserve) == (2001_00 - (2000_50 - 1000_10), 20 - 10)


def test_another_meter_is_another_term(ledger):
    table = new_table()
    accepted(ledger, progressive_round(table, {"id": f"m1-{table}"}))
    accepted(ledger, progressive_round(table, {"id": f"m2-{table}"}))
    assert len(events_of(ledger, "table", table)) == 2
    assert [len(meter_events(ledger, f"m{number}-{table}")) for number in (1, 2)] == [2, 2]


def test_a_voided_round_gives_back_what_it_put_in(ledger, reopened):
    table = new_table()
    accepted(ledger, progressive_round(table, {}))
    result = accepted(ledger, progressive_round(table, {}, end="void"))
    assert shown(result) == ("2000.50", "2000.50")
    assert isinstance(meter_events(ledger, f"meter-{table}")[-1], meters.MeterReturned)
    assert shown(accepted(reopened(), progressive_round(table, {}))) == ("2000.50", "2001.00")


def test_an_award_resets_the_meter_for_every_table(ledger, reopened):
    first, second = new_table(), new_table()
    name = f"m-{first}"
    result = accepted(ledger, progressive_round(first, {"id": name}, royal=True))
    assert shown(result) == ("2000.00", "1000.10")
    awarded = meter_events(ledger, name)[-1]
    assert isinstance(awarded, meters.MeterAwarded)
    assert (awarded.seat, awarded.percent, awarded.amount, awarded.shown, awarded.reserve) == (
        1,
        100,
        2000_50,
        100010,
        0,
    )
    assert shown(accepted(reopened(), progressive_round(second, {"id": name}))) == ("1000.10", "1000.60")


def test_a_round_reads_a_meter_that_another_table_has_moved(ledger, reopened):
    first, second = new_table(), new_table()
    name = f"m-{first}"
    opened = progressive_round(first, {"id": name}, royal=True, end="open")
    accepted(ledger, opened)
    for _ in range(3):
        accepted(reopened(), progressive_round(second, {"id": name}))
    rest = [{"do": "reveal", "of": of} for of in ("flop", "turn_river", "dealer")] + [{"do": "settle"}]
    stored = ledger.act(opened["round"], rest, ACTOR)
    read = [event for event in events_of(ledger, "round", opened["round"]) if isinstance(event, MeterRead)]
    assert read == [MeterRead(2002_00, 40)]
    (paid,) = [line.paid for line in stored.round.lines if (line.seat, line.spot) == (1, "progressive")]
    assert paid == 2002_00
    assert meter_events(ledger, name)[-1].shown == 1000_40
    replayed = replay_of(reopened(), opened["round"])
    assert replayed is not None
    assert replayed.result == result_of(stored.round)
    events = ledger.correct_facts(opened["round"], {}, "Looked at again", "s-2", "house", ACTOR)
    assert events.round.corrections == ()  # the same facts, meter included, give the same lines


def test_a_meter_that_was_moved_between_two_attempts_leaves_the_seals_in_order(ledger, reopened):
    """The cards of actions that had to be tried twice open with the salts of the second try."""
    first, second = new_table(), new_table()
    name = f"m-{first}"
    whole = progressive_round(first, {"id": name})
    opened = {**whole, "actions": whole["actions"][:6]}
    accepted(ledger, opened)
    accepted(reopened(), progressive_round(second, {"id": name}))  # `ledger` remembers the meter of before
    ledger.act(opened["round"], whole["actions"][6:], ACTOR)
    sealed = ledger.events.recorder.sealed_cards(stream_id("round", opened["round"]))
    turned = [event for event in events_of(ledger, "round", opened["round"]) if hasattr(event, "salts")]
    salts = {salt for event in turned for salt in event.salts}
    assert salts == {card.salt for card in sealed if card.originator_version > 1}


def test_two_people_adjust_a_meter(ledger, reopened):
    table = new_table()
    accepted(ledger, progressive_round(table, {}))
    elsewhere = reopened()
    meter = Floor(elsewhere).adjust_meter(f"meter-{table}", 500_00, 7_00, "Display replaced", "s-2", ACTOR)
    assert (meter.shown, meter.reserve) == (500_00, 7_00)
    assert shown(accepted(ledger, progressive_round(table, {}))) == ("500.00", "500.50")
    with pytest.raises(BadChoice, match="Two different people"):
        Floor(ledger).adjust_meter(f"meter-{table}", 1, 1, "Why", ACTOR.by, ACTOR)


# ---- boxes and fees


def box_of(ledger: Ledger, table: str, number: int = 1) -> drop_boxes.DropBox:
    found = ledger.find_box(f"{table}-box-{number}")
    assert found is not None
    return found[0]


def test_every_fee_is_dropped_in_the_box_on_the_table(ledger, reopened):
    table = new_table()
    raws = [bank_round(table, "a"), bank_round(table, "a", end="void"), bank_round(table, "b")]
    fees = [accepted(one, raw)["fee"]["amount"] for one, raw in zip((ledger, reopened(), ledger), raws, strict=True)]
    assert fees == ["1.00", "1.00", "1.00"]
    assert box_of(ledger, table).expected == 3_00
    dropped = [
        event for event in events_of(ledger, "box", f"{table}-box-1") if isinstance(event, drop_boxes.FeeDropped)
    ]
    assert dropped == [drop_boxes.FeeDropped(raw["round"], 100, 1, 1) for raw in raws]


def test_a_fee_is_dropped_by_the_action_that_takes_it(ledger):
    table = new_table()
    raw = bank_round(table, end="open")
    accepted(ledger, {**raw, "actions": raw["actions"][:4]})
    assert box_of(ledger, table).expected == 0
    ledger.act(raw["round"], raw["actions"][4:5], ACTOR)
    assert box_of(ledger, table).expected == 1_00


def test_a_full_box_is_swapped_by_two_people_and_counted_blind(ledger, reopened):
    table = new_table()
    floor = Floor(ledger)
    accepted(ledger, bank_round(table, "a"))
    with pytest.raises(BadChoice, match="Two different people"):
        floor.swap_box(table, f"{table}-box-2", "seal-1", ACTOR.by, ACTOR)
    floor.swap_box(table, f"{table}-box-2", "seal-1", "s-2", ACTOR)
    with pytest.raises(Conflict, match="already"):
        floor.swap_box(table, f"{table}-box-1", "seal-2", "s-2", ACTOR)
    accepted(reopened(), bank_round(table, "b"))
    accepted(ledger, bank_round(table, "a"))
    assert (box_of(ledger, table, 1).expected, box_of(ledger, table, 2).expected) == (1_00, 2_00)
    box = f"{table}-box-1"
    floor.count_box(box, {100: 1}, Actor("c-1", 1))
    Floor(reopened()).count_box(box, {100: 1}, Actor("c-2", 1))
    with pytest.raises(BadChoice, match="cannot sign off"):
        floor.reconcile_box(box, Actor("c-2", 1))
    assert floor.reconcile_box(box, Actor("s-3", 1)).status == "reconciled"
    assert box_of(ledger, table, 1).status == "reconciled"


def test_the_box_is_not_swapped_under_an_open_round(ledger):
    table = new_table()
    accepted(ledger, bank_round(table, end="open"))
    with pytest.raises(OutOfTurn, match="between rounds"):
        Floor(ledger).swap_box(table, f"{table}-box-2", "seal-1", "s-2", ACTOR)


def test_a_box_stays_on_the_table_from_session_to_session(ledger):
    table = new_table()
    accepted(ledger, bank_round(table, "a"))
    accepted(ledger, bank_round(table, "b", chip="5.00"))
    assert box_of(ledger, table).expected == 2_00


@pytest.mark.parametrize(("how", "expected"), [("not dropped", 1_00), ("refunded", 2_00)])
def test_a_waived_fee_leaves_the_box_or_the_cage(ledger, how, expected):
    table = new_table()
    accepted(ledger, bank_round(table, "a"))
    raw = bank_round(table, "a", end="void")
    accepted(ledger, raw)
    stored = ledger.waive_fee(raw["round"], how, "Misdeal", ACTOR)
    assert events_of(ledger, "round", raw["round"])[-1] == FeeWaived(100, how, "Misdeal")
    assert stored.round == ledger.load(raw["round"]).round
    assert box_of(ledger, table).expected == expected
    with pytest.raises(Conflict, match="already"):
        ledger.waive_fee(raw["round"], how, "Misdeal", ACTOR)
    accepted(ledger, bank_round(table, "b"))


def test_chips_that_lie_in_a_box_that_is_gone_cannot_be_not_dropped(ledger):
    table = new_table()
    raw = bank_round(table, "a", end="void")
    accepted(ledger, raw)
    Floor(ledger).swap_box(table, f"{table}-box-2", "seal-1", "s-2", ACTOR)
    with pytest.raises(OutOfTurn, match="no longer on the table"):
        ledger.waive_fee(raw["round"], "not dropped", "Misdeal", ACTOR)
    ledger.waive_fee(raw["round"], "refunded", "Misdeal", ACTOR)
    assert (box_of(ledger, table, 1).expected, box_of(ledger, table, 2).expected) == (1_00, 0)


# ---- notes, corrections, late entries


def test_a_note_is_an_event_of_the_round(ledger, reopened):
    raw = bank_round(new_table(), end="open")
    version = accepted(ledger, raw)["events"]
    stored = ledger.note(raw["round"], "exposed card", "The king of clubs.", 2, ACTOR)
    assert stored.version == version + 1
    assert events_of(ledger, "round", raw["round"])[-1] == NoteMade("exposed card", "The king of clubs.", 2)
    reopened().act(raw["round"], REST, ACTOR)
    ledger.note(raw["round"], "other", "After the round.", None, ACTOR)
    assert ledger.load(raw["round"]).round.status == "settled"


def test_two_people_correct_a_settled_round(ledger, reopened):
    raw = bank_round(new_table())
    before = accepted(ledger, raw)
    entry = Entry(1, "seat-1", "ante", 5_00, "a")
    with pytest.raises(BadChoice, match="Two different people"):
        ledger.correct(raw["round"], "Paid short", ACTOR.by, [entry], ACTOR)
    stored = ledger.correct(raw["round"], "Paid short", "s-2", [entry], ACTOR)
    corrected, posted = events_of(ledger, "round", raw["round"])[-2:]
    assert corrected == RoundCorrected("Paid short", ("d-1", "s-2"), None)
    assert isinstance(posted, CorrectionPosted)
    assert (posted.amount, posted.account) == (5_00, "a")
    assert stored.round == reopened().load(raw["round"]).round
    assert result_of(stored.round) == without_ledger(before)  # the lines stay


def test_a_misread_card_is_put_right_by_the_difference(ledger, reopened):
    raw = bank_round(new_table())
    accepted(ledger, raw)
    actions = fact_documents(entry.event for entry in ledger.entries(raw["round"]))
    (reveal,) = [at for at, action in enumerate(actions) if action.get("of") == "dealer"]
    kings = {"do": "reveal", "of": "dealer", "cards": ["Ks", "Kc"]}
    stored = reopened().correct_facts(raw["round"], {reveal: kings}, "Misread", "s-2", "a", ACTOR)
    assert {(entry.seat, entry.spot): entry.amount for entry in stored.round.corrections} == {
        (1, "ante"): -20_00,
        (1, "play"): -80_00,
        (1, "blind"): -10_00,
    }
    again = ledger.correct_facts(raw["round"], {reveal: kings}, "Misread", "s-2", "a", ACTOR)
    assert len(again.round.corrections) == 3
    queens = {"do": "reveal", "of": "dealer", "cards": ["Qs", "Qc"]}
    back = ledger.correct_facts(raw["round"], {reveal: queens}, "Read right at first", "s-2", "a", ACTOR)
    assert sum(entry.amount for entry in back.round.corrections) == 0
    assert len(back.round.corrections) == 6


def test_who_and_when_are_stored_with_every_event_and_late_entries_keep_their_time(ledger):
    table = new_table()
    late = Actor("terminal-7", 1_700_000_000_123, late=True)
    raw = bank_round(table, end="open")
    ledger.record(raw, late)
    ledger.act(raw["round"], REST, ACTOR)
    entries = ledger.entries(raw["round"])
    version = len(entries) - len([entry for entry in entries if entry.by == ACTOR.by])
    assert {(entry.by, entry.at_ms, entry.late) for entry in entries[:version]} == {("terminal-7", late.at_ms, True)}
    assert {(entry.by, entry.at_ms, entry.late) for entry in entries[version:]} == {(ACTOR.by, ACTOR.at_ms, False)}
    assert entries[0].at.isoformat() == "2023-11-14T22:13:20.123000+00:00"
    rows = [row for row in ledger.events.recorder.read(0, 100_000) if b"terminal-7" in row.state]
    assert rows
    assert all(row.recorded_at.year >= 2024 for row in rows)  # the database's own clock, next to the table's


def test_a_round_of_another_days_rules_is_read_by_those(ledger, reopened):
    """A rule set whose text has changed since: the round keeps the hash of the one that it was played by."""
    raw = document(HoldEm.at("uth-house").bet(1, ante=10, blind=10), new_table())
    accepted(ledger, raw)
    opened = events_of(ledger, "round", raw["round"])[0]
    assert opened.ruleset_hash == rulesets.load("uth-house").content_hash
    with pytest.raises(LookupError, match="never stored"):
        reopened().rulebook.rules("uth-house", "0" * 64)


def test_a_document_that_todays_rules_refuse_is_answered_again_where_earlier_rules_took_it(ledger):
    """A hand folded with trips, unseen: lost under version 1 of the rules, to be turned over first under version 2."""
    play = HoldEm.at("uth-house").bet(1, ante=10, blind=10, trips=5).deal_out({1: "????"}, "QsQc").check(1)
    play = play.reveal("flop").check(1).reveal("turn_river").fold(1).settle()
    raw = {**play.envelope, "round": f"{new_table()}-1", "table": new_table(), "actions": list(play.actions)}
    earlier, now = (Actor("d-1", at_ms) for at_ms in (1_790_000_000_000, 1_794_960_000_000))
    first = ledger.record(raw, earlier)
    assert first["status"] == "settled"
    assert ledger.record(raw, now) == first
    other = ledger.record({**raw, "round": f"{new_table()}-1"}, now)
    assert other["error"]["code"] == "out_of_turn"

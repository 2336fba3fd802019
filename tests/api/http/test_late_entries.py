"""What is entered afterwards keeps the time at the table and is marked: over HTTP, by `record --dated`, in views."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

import pytest
from typer.testing import CliRunner

from api.cli.main import app
from infra.simulation import documents
from tests.api.http import examples

BEFORE = datetime(2026, 3, 8, 5, 30, tzinfo=UTC)  # 21:30 of the gaming day before, in the swing shift
ANTE = {"do": "bet", "seat": 1, "spot": "ante", "amount": "25.00"}


def at(minutes: float, **more: str) -> dict[str, str]:
    return {"Happened-At": (BEFORE + timedelta(minutes=minutes)).isoformat(), **more}


def opened(client, table: str, minutes: float = 0) -> None:
    body = {"ruleset": "uth-casino-club", "terms": examples.TERMS}
    answer = client.post(f"/v1/tables/{table}/sessions", json=body, headers=at(minutes))
    assert answer.status_code == 201, answer.text


def begun(client, table: str, round_id: str, minutes: float) -> Any:
    body = {**examples.ROUND_BODY, "round": round_id, "actions": [ANTE]}
    return client.post(f"/v1/tables/{table}/rounds", json=body, headers=at(minutes))


def act(client, round_id: str, actions: list[Any], headers: dict[str, str]) -> Any:
    return client.post(f"/v1/rounds/{round_id}/actions", json={"actions": actions}, headers=headers)


def is_refused(answer, status: int, code: str, *words: str) -> None:
    assert (answer.status_code, answer.json()["code"]) == (status, code), answer.text
    for word in words:
        assert word in answer.json()["detail"]


def test_every_event_keeps_its_time_at_the_table_and_the_mark(client):
    opened(client, "t-late")
    assert begun(client, "t-late", "r-late", 1).status_code == 201
    assert act(client, "r-late", [ANTE], at(2)).status_code == 200
    events = client.get("/v1/rounds/r-late/events").json()["events"]
    assert [event["at"] for event in events] == [at(1)["Happened-At"], at(1)["Happened-At"], at(2)["Happened-At"]]
    assert {event["late"] for event in events} == {True}
    recorded = [datetime.fromisoformat(event["recorded_at"]) for event in events]
    assert recorded == sorted(recorded)
    assert recorded[0] > BEFORE + timedelta(days=1)
    assert client.get("/v1/rounds/r-late/replay?step=2").json()["events"] == events[:2]


def test_a_late_round_belongs_to_the_day_and_shift_in_which_it_was_played(client):
    opened(client, "t-day")
    begun(client, "t-day", "r-day", 1)
    (found,) = client.get("/v1/rounds?table=t-day&late=true").json()["rounds"]
    assert (found["gaming_day"], found["shift"], found["late"]) == ("2026-03-07", "swing", True)
    assert client.get("/v1/rounds?table=t-day&late=false").json()["rounds"] == []
    assert len(client.get("/v1/rounds?table=t-day&day=2026-03-07&shift=swing").json()["rounds"]) == 1


def test_one_late_entry_marks_a_round_that_was_opened_in_time(client):
    body = {"ruleset": "uth-casino-club", "terms": examples.TERMS}
    client.post("/v1/tables/t-mixed/sessions", json=body)
    client.post("/v1/tables/t-mixed/rounds", json={**examples.ROUND_BODY, "round": "r-mixed", "actions": []})
    assert client.get("/v1/rounds?table=t-mixed&late=true").json()["rounds"] == []
    now = {"Happened-At": datetime.now(UTC).isoformat(), "Late-Entry": "true"}
    assert act(client, "r-mixed", [ANTE], now).status_code == 200
    (found,) = client.get("/v1/rounds?table=t-mixed&late=true").json()["rounds"]
    assert found["round"] == "r-mixed"
    assert [event["late"] for event in client.get("/v1/rounds/r-mixed/events").json()["events"]] == [False, True]


def test_what_happened_just_now_is_not_late(client):
    opened(client, "t-now")
    body = {**examples.ROUND_BODY, "round": "r-now", "actions": []}
    fast = (datetime.now(UTC) + timedelta(seconds=50)).isoformat()  # as clocks go
    client.post("/v1/tables/t-now/rounds", json=body, headers={"Happened-At": fast, "Late-Entry": "false"})
    (event,) = client.get("/v1/rounds/r-now/events").json()["events"]
    assert event["late"] is False
    assert event["at"] < fast


def test_times_that_cannot_be_are_refused_and_nothing_is_stored(client):
    opened(client, "t-odd")
    assert begun(client, "t-odd", "r-odd", 10).status_code == 201
    is_refused(act(client, "r-odd", [ANTE], {"Happened-At": "yesterday"}), 400, "bad_document", "Happened-At")
    is_refused(act(client, "r-odd", [ANTE], {"Late-Entry": "true"}), 409, "bad_choice", "Happened-At")
    is_refused(act(client, "r-odd", [ANTE], at(11, **{"Late-Entry": "yes"})), 400, "bad_document", "Late-Entry")
    tomorrow = {"Happened-At": (datetime.now(UTC) + timedelta(days=1)).isoformat()}
    is_refused(act(client, "r-odd", [ANTE], tomorrow), 409, "out_of_turn", "now")
    is_refused(act(client, "r-odd", [ANTE], at(5)), 409, "out_of_turn", "round r-odd", "2026-03-08T05:40:00Z")
    assert client.get("/v1/rounds/r-odd").json()["version"] == 2


def test_clocks_that_differ_a_little_are_put_in_order(client):
    opened(client, "t-clocks")
    begun(client, "t-clocks", "r-clocks", 10)
    assert act(client, "r-clocks", [ANTE], at(9.5)).status_code == 200
    times = [event["at"] for event in client.get("/v1/rounds/r-clocks/events").json()["events"]]
    assert times == [at(10)["Happened-At"]] * 3


def test_rounds_follow_one_another_but_chips_seats_and_notes_may_come_late(client):
    opened(client, "t-order")
    begun(client, "t-order", "r-order-1", 10)
    act(client, "r-order-1", [{"do": "void", "reason": "misdeal"}], at(20))
    is_refused(begun(client, "t-order", "r-order-2", 15), 409, "out_of_turn", "table t-order")
    assert begun(client, "t-order", "r-order-2", 25).status_code == 201
    chips = {"kind": "buy_in", "bettor": "p-9", "amount": "100.00"}
    assert client.post("/v1/tables/t-order/chips", json=chips, headers=at(12)).status_code == 200
    early = client.post("/v1/tables/t-order/chips", json=chips, headers=at(-10))
    is_refused(early, 409, "out_of_turn", "was opened")
    note = {"kind": "late bet", "text": "After no more bets."}
    assert client.post("/v1/rounds/r-order-1/notes", json=note, headers=at(11)).status_code == 200
    is_refused(client.post("/v1/rounds/r-order-1/notes", json=note, headers=at(5)), 409, "out_of_turn", "was opened")
    waiver = {"how": "refunded", "reason": "A misdeal."}
    is_refused(client.post("/v1/rounds/r-order-1/waiver", json=waiver, headers=at(12)), 409, "out_of_turn")
    close = "/v1/tables/t-order/sessions/current/close"
    assert act(client, "r-order-2", [{"do": "void", "reason": "misdeal"}], at(30)).status_code == 200
    is_refused(client.post(close, headers=at(26)), 409, "out_of_turn", "table t-order")
    assert client.post(close, headers=at(31)).status_code == 200


def test_a_box_is_counted_after_it_was_removed(client):
    opened(client, "t-box")
    swap = {"new_box": "t-box-next", "seal": "S-1", "second_person": "floor-2"}
    assert client.post("/v1/tables/t-box/box", json=swap, headers=at(10)).status_code == 200
    count = {"pieces": {"1.00": 3}}
    is_refused(
        client.post("/v1/boxes/t-box-box-1/counts", json=count, headers=at(5)), 409, "out_of_turn", "t-box-box-1"
    )
    assert client.post("/v1/boxes/t-box-box-1/counts", json=count, headers=at(15)).status_code == 200


def test_a_file_of_a_dispute_is_in_order(client):
    opened(client, "t-claim")
    begun(client, "t-claim", "r-claim", 10)
    act(client, "r-claim", [{"do": "void", "reason": "misdeal"}], at(11))
    claim = {
        "round": "r-claim",
        "seat": 1,
        "spot": "ante",
        "kind": "payout",
        "claimed": "25.00",
        "claim": "Not given back.",
    }
    is_refused(client.post("/v1/disputes", json=claim, headers=at(5)), 409, "out_of_turn", "was opened")
    filed = client.post("/v1/disputes", json=claim, headers=at(20))
    assert filed.status_code == 201, filed.text
    path, note = f"/v1/disputes/{filed.json()['dispute']}/notes", {"text": "They came back."}
    is_refused(client.post(path, json=note, headers=at(15)), 409, "out_of_turn", "filed last")
    assert client.post(path, json=note, headers=at(25)).status_code in (200, 201)


def test_a_dated_request_is_repeated_under_its_key(client):
    opened(client, "t-again")
    begun(client, "t-again", "r-again", 1)
    headers = at(2, **{"Idempotency-Key": "late-1"})
    first, later = act(client, "r-again", [ANTE], headers), act(client, "r-again", [ANTE], at(30))
    second = act(client, "r-again", [ANTE], headers)
    assert (first.status_code, later.status_code) == (200, 200)
    assert second.headers["idempotent-replayed"] == "true"
    assert second.json() == first.json()
    is_refused(act(client, "r-again", [ANTE], {**headers, **at(3)}), 422, "key_reused")


def test_the_feed_shows_both_times_and_the_mark(client):
    from infra.ledger.feed import FeedReader

    opened(client, "t-feed")
    begun(client, "t-feed", "r-feed", 1)
    items, _ = FeedReader(client.app.state.service.ledger).read(0, 10_000, "t-feed")
    rounds = [item for item in items if item.get("round") == "r-feed"]
    assert {(item["at"], item["late"]) for item in rounds} == {(at(1)["Happened-At"], True)}
    assert all(item["recorded_at"] > item["at"] for item in rounds)


# ---- by the command line


def run(*arguments: str, stdin: str):
    return CliRunner().invoke(app, [*arguments], input=stdin)


@pytest.fixture
def dated(seed: int) -> list[dict[str, Any]]:
    """Two rounds of one table, three minutes apart."""
    return [
        {"at": at(3 * number)["Happened-At"], "document": json.loads(line)}
        for number, line in enumerate(islice(documents("uth-house", seed, 1), 2))
    ]


def lines(values: list[Any]) -> str:
    return "\n".join(json.dumps(value) for value in values)


def test_record_keeps_the_times_that_lines_say(ledger_url: str, dated: list[dict[str, Any]]):
    command = ("record", "--dated", "--by", "desk-1", "--database-url", ledger_url)
    done = run(*command, stdin=lines(dated))
    assert done.exit_code == 0, done.output
    assert run(*command, stdin=lines(dated)).stdout == done.stdout  # answered again, though it is out of order by now
    round_id = dated[1]["document"]["round"]
    replayed = run("replay", round_id, "--json", "--database-url", ledger_url, stdin="")
    events = json.loads(replayed.stdout)["events"]
    assert {(event["at"], event["late"], event["by"]) for event in events} == {(dated[1]["at"], True, "desk-1")}
    shown = run("replay", round_id, "--database-url", ledger_url, stdin="").stdout
    assert "2026-03-07 21:33:00-08:00 America/Los_Angeles" in shown
    assert "21:33:00 late" in shown


def test_record_refuses_what_cannot_be_and_stores_the_rest(ledger_url: str, dated: list[dict[str, Any]]):
    first, second = dated
    early = {**second, "at": at(-60)["Happened-At"]}
    odd = [first, first["document"], {**second, "at": "noon"}, {**second, "at": "2999-01-01T00:00:00Z"}, early, second]
    done = run("record", "--dated", "--database-url", ledger_url, stdin=lines(odd))
    assert done.exit_code == 1
    found = [json.loads(line) for line in done.stdout.splitlines()]
    codes = [result["error"] and result["error"]["code"] for result in found]
    assert codes == [None, "bad_document", "bad_document", "out_of_turn", "out_of_turn", None]
    assert found[3]["round"] == second["document"]["round"]


def test_late_goes_with_dated(ledger_url: str):
    done = run("record", "--late", "--database-url", ledger_url, stdin="")
    assert done.exit_code == 2
    assert "--late goes with --dated" in done.stderr

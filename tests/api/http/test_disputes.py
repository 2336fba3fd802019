"""Disputes over HTTP: who may do what, frozen evidence, rulings in one piece, what-ifs, what was paid, who dealt."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest

from api.service.identity.tokens import make_token
from api.service.settings import Settings
from infra.ledger.property import Property
from tests.api.http import examples
from tests.api.http.test_contract import is_problem
from tests.api.service import KEY, open_service, register_in, signature
from tests.projections.export.pdf_text import pages

NUMBERS = count(1)
SESSION = {"ruleset": "uth-casino-club", "terms": examples.TERMS, "players": {"1": "p-1", "3": "tp-1"}}
CLAIM = {"seat": 1, "spot": "ante", "kind": "payout", "claimed": "25.00", "claim": "Paid short."}
ENTRIES = [
    {"seat": 1, "bettor": "p-1", "spot": "ante", "amount": "3.00", "account": "house"},
    {"seat": 1, "bettor": "p-1", "spot": "ante", "amount": "2.00", "account": "player-dealer"},
]
RULING = {"outcome": "upheld", "reason": "Short by 5.00.", "entries": ENTRIES, "second_person": "floor-3"}
LATER = "2150-01-01T00:00:00Z"


def token(role: str, by: str, table: str | None = None) -> str:
    return make_token(KEY, Settings(token_key=KEY), by, role, table, 1.0)[0]


def bearer(by: str, role: str = "floor", second: str | None = None, **more: str) -> dict[str, str]:
    headers = {"Authorization": f"Bearer {token(role, by)}", **more}
    if second is not None:
        headers["Second-Authorization"] = signature(second)
    return headers


@pytest.fixture(scope="module")
def locked(ledger_url: str) -> Iterator[Any]:
    with open_service(ledger_url, token_key=KEY, rate_limit=0) as client:
        register_in(ledger_url, *((f"floor-{number}", "floor") for number in range(1, 10)))
        register_in(ledger_url, ("acc-1", "accounting"), ("dealer-7", "floor"))
        yield client


def post(client: Any, path: str, body: Any, by: str = "floor-1", status: int = 200, **headers: Any) -> Any:
    answer = client.post(path, json=body, headers=bearer(by, **headers))
    assert answer.status_code == status, answer.text
    return answer.json()


def played(client: Any, actions: int | None = None) -> str:
    """A round at a table of its own, dealt by dealer-7, recorded by floor-9; settled unless it stops early."""
    number = next(NUMBERS)
    table = f"dt-{number}"
    post(client, f"/v1/tables/{table}/sessions", SESSION, "floor-9", 201)
    post(client, f"/v1/tables/{table}/dealer", {"dealer": "dealer-7"}, "floor-9")
    body = {"round": f"dr-{number}", "player_dealer": examples.PLAYER_DEALER, "actions": examples.ACTIONS[:actions]}
    return str(post(client, f"/v1/tables/{table}/rounds", body, "floor-9", 201)["id"])


def filed(client: Any, round_id: str | None = None, **claim: Any) -> str:
    body = {**CLAIM, "round": round_id or played(client), **claim}
    return str(post(client, "/v1/disputes", body, status=201)["dispute"])


def test_a_dispute_from_the_claim_to_its_end(locked):
    round_id = played(locked)
    version = locked.get(f"/v1/rounds/{round_id}", headers=bearer("floor-9")).json()["version"]
    body = {**CLAIM, "round": round_id, "dispute": f"d-{round_id}", "deadline": LATER}
    made = locked.post("/v1/disputes", json=body, headers=bearer("floor-1"))
    assert made.status_code == 201
    assert (made.headers["Location"], made.headers["ETag"]) == (f"/v1/disputes/d-{round_id}", '"1"')
    opened = made.json()
    assert opened["evidence"]["version"] == version
    assert (opened["dealer"], opened["player_dealer"], opened["deadline"]) == ("dealer-7", "tp-1", LATER)
    path = made.headers["Location"]
    post(locked, f"{path}/statements", {"who": "dealer-7", "part": "dealer", "text": "One stack."})
    post(locked, f"{path}/references", examples.REFERENCE_BODY)
    post(locked, f"{path}/notes", {"text": "They are waiting."})
    post(locked, f"{path}/deadline", {"deadline": LATER, "reason": "The tape is late."})
    post(locked, f"{path}/what-ifs", {**examples.WHAT_IF_BODY, "text": "Had it been a seven?"})
    ruled = post(locked, f"{path}/ruling", RULING, "floor-2", second="floor-3")
    assert (ruled["status"], ruled["awarded"], ruled["ruling"]["arbiter"]) == ("ruled", "5.00", "floor-2")
    appealed = post(locked, f"{path}/appeal", {"appellant": "p-1", "grounds": "More."}, "floor-6")
    assert appealed["status"] == "appealed"
    denied = {"outcome": "denied", "reason": "It was enough."}
    decided = post(locked, f"{path}/appeal/ruling", denied, "acc-1", role="accounting")
    assert decided["decision"]["arbiter"] == "acc-1"
    closed = post(locked, f"{path}/close", {"how": "final", "reason": "Decided."}, "floor-1")
    assert (closed["status"], closed["version"], len(closed["events"])) == ("closed", 10, 10)
    file = locked.get(path, headers=bearer("auditor-1", "auditor")).json()
    assert file["intact"] is True
    assert [question["text"] for question in file["what_ifs"]] == ["Had it been a seven?"]
    (ante,) = [line for line in file["lines"] if line["spot"] == "ante"]
    assert (ante["corrected"], ante["reported_paid"]) == ("5.00", None)
    events = locked.get(f"/v1/rounds/{round_id}/events", headers=bearer("floor-1")).json()["events"]
    posted = [event["fields"] for event in events if event["event"] == "round.correction_posted.v1"]
    assert [(entry["amount"], entry["account"], entry["dispute"]) for entry in posted] == [
        (300, "house", f"d-{round_id}"),
        (200, "player-dealer", f"d-{round_id}"),
    ]


def test_a_new_account_is_opened_on_purpose(locked):
    marketing = [{**ENTRIES[0], "account": "marketing"}]
    first, second = (f"/v1/disputes/{filed(locked)}" for _ in range(2))
    refused = post(locked, f"{first}/ruling", {**RULING, "entries": marketing}, "floor-2", 409, second="floor-3")
    assert refused["detail"].startswith("marketing is none of the accounts player-dealer, house, tray, cage:")
    listed = "/v1/accounts"
    before = locked.get(listed, headers=bearer("floor-2")).json()["accounts"]
    opened = {**RULING, "entries": marketing, "new_account": True}
    post(locked, f"{first}/ruling", opened, "floor-2", second="floor-3")
    assert locked.get(listed, headers=bearer("floor-2")).json()["accounts"] == [*before, "marketing"]
    post(locked, f"{second}/ruling", {**RULING, "entries": marketing}, "floor-2", second="floor-3")


@pytest.mark.parametrize(
    ("by", "second", "words"),
    [
        ("floor-1", "floor-3", "floor-1 opened the dispute"),
        ("floor-9", "floor-3", "floor-9 recorded the round"),
        ("dealer-7", "floor-3", "dealer-7 dealt the round"),
        ("floor-8", "floor-3", "floor-8 gave a statement"),
        ("floor-2", "floor-9", "floor-9 recorded the round"),
    ],
)
def test_whoever_is_involved_may_not_rule(locked, by: str, second: str, words: str):
    path = f"/v1/disputes/{filed(locked)}"
    post(locked, f"{path}/statements", {"who": "floor-8", "part": "floor", "text": "I was there."})
    body = {**RULING, "second_person": second}
    problem = post(locked, f"{path}/ruling", body, by, 409, second=second)
    assert problem["code"] == "bad_choice"
    assert words in problem["detail"]
    assert locked.get(path, headers=bearer("floor-1")).json()["status"] == "open"


def test_where_money_moves_a_second_person_signs(locked):
    path = f"/v1/disputes/{filed(locked)}"
    alone = {name: RULING[name] for name in ("outcome", "reason", "entries")}
    problem = post(locked, f"{path}/ruling", alone, "floor-2", 409)
    assert "second person" in problem["detail"]
    assert post(locked, f"{path}/ruling", RULING, "floor-2", 403)["code"] == "forbidden"
    assert post(locked, f"{path}/ruling", RULING, "floor-2", 403, second="floor-5")["code"] == "forbidden"
    post(locked, f"{path}/ruling", RULING, "floor-2", second="floor-3")


def test_only_the_floor_rules_and_an_auditor_only_reads(locked):
    dispute = filed(locked)
    denied = {"outcome": "denied", "reason": "No."}
    for role in ("accounting", "auditor", "admin", "cage", "counter"):
        assert post(locked, f"/v1/disputes/{dispute}/ruling", denied, "x-1", 403, role=role)["code"] == "forbidden"
    assert locked.get(f"/v1/disputes/{dispute}", headers=bearer("a-1", "auditor")).status_code == 200
    assert locked.get(f"/v1/disputes/{dispute}", headers=bearer("c-1", "cage")).status_code == 403
    reads = locked.get("/v1/reads?limit=1000", headers=bearer("a-1", "auditor")).json()["reads"]
    assert ("dispute", dispute) in {(read["what"], read["subject"]) for read in reads if read["by"] == "a-1"}


def test_retries_and_versions(locked):
    round_id = played(locked)
    body = {**CLAIM, "round": round_id}
    headers = bearer("floor-1", **{"Idempotency-Key": f"k-{round_id}"})
    first, again = (locked.post("/v1/disputes", json=body, headers=headers) for _ in range(2))
    assert first.json() == again.json()
    assert again.headers["Idempotent-Replayed"] == "true"
    assert (again.headers["ETag"], again.headers["Location"]) == (first.headers["ETag"], first.headers["Location"])
    path = first.headers["Location"]
    assert locked.post("/v1/disputes", json={**body, "claimed": "1.00"}, headers=headers).status_code == 422
    key = bearer("floor-2", second="floor-3", **{"Idempotency-Key": f"k2-{round_id}", "If-Match": '"1"'})
    ruled = [locked.post(f"{path}/ruling", json=RULING, headers=key) for _ in range(3)]
    assert [answer.status_code for answer in ruled] == [200, 200, 200]
    assert ruled[0].json() == ruled[2].json()
    stale = locked.post(f"{path}/notes", json={"text": "x"}, headers=bearer("floor-1", **{"If-Match": '"1"'}))
    assert is_problem(stale, 412, "stale")["version"] == 2
    late = locked.post(f"{path}/ruling", json=RULING, headers=bearer("floor-4", second="floor-3"))
    assert is_problem(late, 409, "conflict")["detail"].endswith("has been ruled on by floor-2.")
    events = locked.get(f"/v1/rounds/{round_id}/events", headers=bearer("floor-1")).json()["events"]
    assert sum(event["event"] == "round.correction_posted.v1" for event in events) == 2


@pytest.mark.parametrize(
    ("changed", "status", "code"),
    [
        ({"round": "no-such-round"}, 404, "not_found"),
        ({"seat": 2}, 409, "bad_document"),
        ({"spot": "pair_plus"}, 409, "bad_document"),
        ({"claimed": "0.00"}, 400, "bad_document"),
        ({"kind": "weather"}, 400, "bad_document"),
        ({"claim": " "}, 400, "bad_document"),
        ({"deadline": "2001-01-01T00:00:00Z"}, 409, "bad_choice"),
        ({"deadline": "tomorrow"}, 400, "bad_document"),
        ({"more": 1}, 400, "bad_document"),
    ],
)
def test_what_is_no_claim(client, locked, changed: dict[str, Any], status: int, code: str):
    round_id = played(locked)
    answer = locked.post("/v1/disputes", json={**CLAIM, "round": round_id, **changed}, headers=bearer("floor-1"))
    is_problem(answer, status, code)
    assert locked.get(f"/v1/disputes?round={round_id}", headers=bearer("floor-1")).json()["disputes"] == []


def test_a_round_in_play_is_not_disputed_and_says_nothing_of_its_cards(locked):
    round_id = played(locked, actions=7)
    problem = post(locked, "/v1/disputes", {**CLAIM, "round": round_id}, status=409)
    assert problem["code"] == "out_of_turn"
    body = {"cards": [{"of": "dealer", "number": 1, "card": "7c"}]}
    refused = post(locked, f"/v1/rounds/{round_id}/what-if", body, status=409)
    assert refused["code"] == "out_of_turn"


def test_entries_that_do_not_fit_leave_nothing_behind(locked):
    dispute = filed(locked)
    wrong = {**ENTRIES[0], "spot": "trips"}
    body = {**RULING, "entries": [ENTRIES[0], wrong]}
    refused = post(locked, f"/v1/disputes/{dispute}/ruling", body, "floor-2", 409, second="floor-3")
    assert refused["code"] == "bad_document"
    file = locked.get(f"/v1/disputes/{dispute}", headers=bearer("floor-1")).json()
    assert (file["version"], file["status"], {line["corrected"] for line in file["lines"]}) == (1, "open", {"0.00"})


def test_disputes_are_listed_and_narrowed(locked):
    one, other = filed(locked, kind="card"), filed(locked)
    file = locked.get(f"/v1/disputes/{one}", headers=bearer("floor-1")).json()

    def listed(query: str) -> list[str]:
        answer = locked.get(f"/v1/disputes?{query}", headers=bearer("floor-1"))
        assert answer.status_code == 200, answer.text
        return [row["dispute"] for row in answer.json()["disputes"]]

    everything = listed("")
    assert everything.index(other) < everything.index(one)  # the newest first
    assert listed(f"round={file['round']}") == [one]
    assert listed(f"table={file['table']}&kind=card&dealer=dealer-7&status=open&bettor=p-1") == [one]
    assert listed(f"table={file['table']}&kind=payout") == []
    assert listed(f"table={file['table']}&status=overdue") == []
    first = locked.get("/v1/disputes?limit=1", headers=bearer("floor-1")).json()
    second = locked.get(f"/v1/disputes?limit=1&cursor={first['cursor']}", headers=bearer("floor-1")).json()
    assert [row["dispute"] for row in (*first["disputes"], *second["disputes"])] == everything[:2]
    assert first["counts"] == second["counts"]
    assert first["counts"]["all"] >= len(everything)
    assert locked.get(f"/v1/disputes?round={file['round']}", headers=bearer("floor-1")).json()["cursor"] is None
    is_problem(locked.get("/v1/disputes?cursor=abc", headers=bearer("floor-1")), 409, "bad_choice")
    is_problem(locked.get("/v1/disputes?status=lost", headers=bearer("floor-1")), 400, "bad_document")
    found = locked.get(f"/v1/rounds?table={file['table']}&disputed=true", headers=bearer("floor-1")).json()["rounds"]
    assert [(row["round"], row["disputed"], row["dealer"]) for row in found] == [(file["round"], 1, "dealer-7")]
    dealt = locked.get(f"/v1/rounds?table={file['table']}&dealer=nobody", headers=bearer("floor-1")).json()["rounds"]
    assert dealt == []
    report = locked.get("/v1/reports/disputes-by-dealer?dealer=dealer-7", headers=bearer("floor-1")).json()
    assert one in [row["dispute"] for row in locked.get("/v1/reports/disputes", headers=bearer("floor-1")).json()]
    assert report[0]["dealer"] == "dealer-7"


def test_a_dispute_that_is_not_there(locked):
    for method, path in (("GET", ""), ("GET", "/dossier"), ("POST", "/notes")):
        body = {"text": "x"} if method == "POST" else None
        answer = locked.request(method, f"/v1/disputes/d-none{path}", json=body, headers=bearer("floor-1"))
        is_problem(answer, 404, "not_found")


def test_what_if_a_card_was_another(locked):
    """With a seven the dealer hand has a pair of them and qualifies: the ante, which pushed, is paid 25.00."""
    round_id = played(locked)
    found = post(locked, f"/v1/rounds/{round_id}/what-if", examples.WHAT_IF_BODY, "auditor-1", role="auditor")
    assert found["error"] is None
    changed = [line for line in found["lines"] if line["difference"] != "0.00"]
    assert [(line["spot"], line["before"]["outcome"], line["after"]["outcome"]) for line in changed] == [
        ("ante", "push", "win")
    ]
    assert changed[0]["difference"] == "25.00"
    assert (found["bettors"], found["bank"]) == ({"p-1": "25.00"}, "-25.00")
    impossible = {"cards": [{"of": "dealer", "number": 2, "card": "As"}]}
    error = post(locked, f"/v1/rounds/{round_id}/what-if", impossible)["error"]
    assert (error["code"], error["clause"] is not None) == ("duplicate_card", True)
    three_times = {"facts": {"6": {"do": "decide", "seat": 1, "choice": "raise", "times": 3}}}
    assert post(locked, f"/v1/rounds/{round_id}/what-if", three_times)["bettors"] == {"p-1": "-25.00"}
    for body, status in (
        ({}, 409),
        ({"cards": [{"of": "dealer", "number": 3, "card": "Kd"}]}, 409),
        ({"cards": [{"of": "burn", "number": 1, "card": "Kd"}]}, 400),
        ({"facts": {"99": {"do": "settle"}}}, 409),
        ({"facts": {"0": {"do": "read_meter"}}}, 400),
        ({"facts": {"0": [None, None]}}, 400),
        ({"cards": [{"of": "dealer", "number": 2, "card": "7d"}], "facts": {"0": [None, None]}}, 400),
        ({"facts": {"0": {"do": "bet", "seat": 1, "spot": "ante", "amount": "012.5"}}}, 400),
        ({"facts": {"0": {"do": "bet", "seat": 1, "spot": "ante", "amount": "25.00", "kind": "toke"}}}, 409),
    ):
        assert post(locked, f"/v1/rounds/{round_id}/what-if", body, status=status)["code"] == "bad_document"
    # Also behind a fact that is refused before this one is reached.
    refused = {"3": {"do": "settle"}, "4": {"do": "bet", "seat": 1, "spot": "ante", "amount": "12,50"}}
    said = post(locked, f"/v1/rounds/{round_id}/what-if", {"facts": refused}, status=400)["detail"]
    assert said == "`facts.4.amount` is an amount with two decimals and more than 0.00, like 12.50."
    version = locked.get(f"/v1/rounds/{round_id}", headers=bearer("floor-1")).json()["version"]
    assert version == len(locked.get(f"/v1/rounds/{round_id}/events", headers=bearer("floor-1")).json()["events"])
    assert locked.post("/v1/rounds/no-such/what-if", json=three_times, headers=bearer("floor-1")).status_code == 404


def test_what_the_dealer_paid_is_shown_with_the_lines(locked):
    round_id = played(locked)
    dispute = filed(locked, round_id)
    table = locked.get(f"/v1/disputes/{dispute}", headers=bearer("floor-1")).json()["table"]
    paid = {"payments": [{"seat": 1, "spot": "play", "paid": "90.00", "collected": "0.00"}]}
    terminal = {"Authorization": f"Bearer {token('terminal', 'dealer-7', table)}"}
    elsewhere = {"Authorization": f"Bearer {token('terminal', 'dealer-7', 't-other')}"}
    assert locked.post(f"/v1/rounds/{round_id}/payments", json=paid, headers=elsewhere).status_code == 403
    assert locked.post(f"/v1/rounds/{round_id}/payments", json=paid, headers=terminal).status_code == 200
    again = locked.post(f"/v1/rounds/{round_id}/payments", json=paid, headers=terminal)
    assert "already" in is_problem(again, 409, "conflict")["detail"]
    too_much = {"payments": [{"seat": 1, "spot": "ante", "paid": "0.00", "collected": "26.00"}]}
    assert post(locked, f"/v1/rounds/{round_id}/payments", too_much, status=409)["code"] == "bad_choice"
    file = locked.get(f"/v1/disputes/{dispute}", headers=bearer("floor-1")).json()
    (line,) = [line for line in file["lines"] if line["spot"] == "play"]
    assert (line["paid"], line["reported_paid"], line["difference"]) == ("100.00", "90.00", "-10.00")
    assert file["intact"] is True
    (row,) = locked.get(f"/v1/reports/irregular-payments?round={round_id}", headers=bearer("floor-1")).json()
    assert (row["difference"], row["dealer"], row["reported_by"]) == ("-10.00", "dealer-7", "dealer-7")


def test_dealers_tap_in_and_out(locked):
    table = f"dt-{next(NUMBERS)}"
    post(locked, f"/v1/tables/{table}/sessions", SESSION, status=201)
    assert post(locked, f"/v1/tables/{table}/dealer", {"dealer": "dealer-1"})["dealer"] == "dealer-1"
    assert post(locked, f"/v1/tables/{table}/dealer", {"dealer": "dealer-1"}, status=409)["code"] == "conflict"
    assert post(locked, f"/v1/tables/{table}/dealer", {"dealer": None})["dealer"] is None
    assert post(locked, f"/v1/tables/{table}/dealer", {"dealer": "nobody"}, status=409)["code"] == "bad_choice"
    post(locked, f"/v1/tables/{table}/rounds", {"player_dealer": examples.PLAYER_DEALER}, status=201)
    assert post(locked, f"/v1/tables/{table}/dealer", {"dealer": "dealer-2"}, status=409)["code"] == "out_of_turn"
    for body in ({}, {"dealer": 7}, {"dealer": "Dealer 7"}):
        assert post(locked, f"/v1/tables/{table}/dealer", body, status=400)["code"] == "bad_document"


def test_the_dossier_has_the_whole_file(locked):
    round_id = played(locked)
    dispute = filed(locked, round_id)
    path = f"/v1/disputes/{dispute}"
    post(locked, f"{path}/what-ifs", {**examples.WHAT_IF_BODY, "text": "Had it been a seven?"})
    post(locked, f"{path}/statements", {"who": "p-1", "part": "patron", "text": "I counted it."})
    times = {"from": "2026-03-09T04:15:00Z", "to": "2026-03-09T04:16:00Z"}
    post(locked, f"{path}/references", {"camera": "cam-12", **times, "text": "The payout."})
    post(locked, f"{path}/ruling", RULING, "floor-2", second="floor-3")
    post(locked, f"{path}/appeal", {"appellant": "tp-1", "grounds": "I paid it all.", "deadline": LATER})
    locked.app.state.service.property.set(Property("Harbor Card Club", "1 Example Wharf"), "admin-1")
    answer = locked.get(f"{path}/dossier", headers=bearer("auditor-1", "auditor"))
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/pdf"
    paper = pages(answer.content)
    text = " ".join(word for page in paper for said in page for word in said.split())
    evidence = locked.get(path, headers=bearer("floor-1")).json()["evidence"]
    for words in (
        f"Harbor Card Club 1 Example Wharf Dispute {dispute}",
        "Paid short.",
        evidence["events_hash"],
        evidence["result_hash"],
        "agrees with both",
        "Had it been a seven?",
        "push → win",
        "Short by 5.00.",
        "house p-1 3.00",  # who pays, whom, how much
        "player-dealer (tp-1) p-1 2.00",
        "floor-9 (recorded the round)",
        "p-1 patron",
        "I counted it.",
        "cam-12 2026-03-08 21:15:00-07:00",  # by the property's clock
        "p-1 chooses raise 4x",
        "this one 1 p-1 ante 25.00",
        "dealer hand, tp-1 banks",
        "I paid it all.",
        "by 2149-12-31 16:00:00-08:00",
        "America/Los_Angeles",
        "signature, date and time",
    ):
        assert words in text, words
    line = next(line for line in locked.get(path, headers=bearer("floor-1")).json()["lines"] if line["spot"] == "blind")
    assert line["clause"] in text
    assert line["reason"][:30] in text
    assert "Z " not in text.replace("0Z", "Z")
    # The cards as they were: of each the rank, and then its suit.
    said = [said for page in paper for said in page]
    at = said.index("board")
    assert [said[at + step] for step in (1, 3, 5, 7, 9)] == ["A", "9", "4", "K", "3"]


@pytest.mark.parametrize(
    ("path", "body", "words"),
    [
        ("statements", {"who": "Mr X", "part": "patron", "text": "x"}, "`who` is an id: lower-case letters"),
        ("statements", {"who": "p-1", "part": "patron", "text": " "}, "`text` is one line that says something."),
        ("statements", {"who": "p-1", "part": "patron", "text": ""}, "`text` is empty."),
        ("references", {"camera": "c", "from": "noon", "to": LATER}, "`from` is a time with its offset, like"),
        ("ruling", {"outcome": "upheld", "reason": "x", "entries": [{**ENTRIES[0], "amount": "5"}]}, "two decimals"),
        ("statements", {"who": "p-1", "part": "judge", "text": "x"}, "`part` is one of patron, player-dealer,"),
    ],
)
def test_what_is_wrong_with_a_body_is_said_in_words(locked, path, body, words):
    answer = locked.post(f"/v1/disputes/d-any/{path}", json=body, headers=bearer("floor-1"))
    detail = is_problem(answer, 400, "bad_document")["detail"]
    assert words in detail
    assert "regex" not in detail

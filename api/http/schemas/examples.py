"""Examples for the OpenAPI document. What the engine can work out it works out here, so that they cannot be wrong."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec

from domain.documents.document import adjudicate, read_document
from domain.documents.result import result_of
from domain.round.decide import expects
from domain.round.replay import play
from domain.rules import rulesets
from domain.rules.description import contents, summary
from domain.view.reasons import why
from domain.view.table_view import table_view
from infra.ledger.replay import Replay, Step
from infra.store.encoding.mapper import Entry
from projections.views.replay_steps import steps_of

ACTIONS: list[dict[str, Any]] = [
    {"do": "bet", "seat": 1, "spot": "ante", "amount": "25.00"},
    {"do": "bet", "seat": 1, "spot": "blind", "amount": "25.00"},
    {"do": "close_bets"},
    {"do": "deal", "to": 1, "cards": ["As", "Ad"]},
    {"do": "deal", "to": "dealer", "cards": ["7c", "2d"]},
    {"do": "deal", "to": "board", "cards": ["Ah", "9c", "4s", "Kd", "3h"]},
    {"do": "decide", "seat": 1, "choice": "raise", "times": 4},
    {"do": "reveal", "of": "flop"},
    {"do": "reveal", "of": "turn_river"},
    {"do": "reveal", "of": "dealer"},
    {"do": "settle"},
]
WITHDRAW = {"do": "withdraw", "seat": 1, "spot": "trips", "amount": "5.00"}
TERMS = {"trips": "UTH-04", "schedule": 1, "dealing": "shuffler"}
PLAYER_DEALER = {"seat": 3, "bettor": "tp-1", "wager": "1000.00"}
DOCUMENT: dict[str, Any] = {
    "round": "r-0001",
    "table": "t1",
    "ruleset": "uth-casino-club",
    "terms": TERMS,
    "player_dealer": PLAYER_DEALER,
    "players": {"1": "p-1"},
    "actions": ACTIONS,
}
RESULT = adjudicate(msgspec.json.encode(DOCUMENT))

_OPENED = read_document({**DOCUMENT, "actions": []})
OPENED = _OPENED.opening
_DEALT, _ = play(_OPENED.opening, ACTIONS[:6])
ROUND = {**result_of(_DEALT), "id": "r-0001", "table": "t1", "version": 8, "expects": expects(_DEALT)}
ROUND_BODY = {"round": "r-0001", "player_dealer": PLAYER_DEALER, "players": {"1": "p-1"}, "actions": ACTIONS[:3]}
ACTIONS_BODY = {"actions": [ACTIONS[6]]}
SESSION_BODY = {"ruleset": "uth-casino-club", "terms": TERMS, "players": {"1": "p-1", "3": "tp-1"}}
SESSION = {
    "table": "t1",
    "session": 1,
    "ruleset": "uth-casino-club",
    "hash": _OPENED.opening.rules.content_hash,
    "terms": _OPENED.opening.terms.document,
    "players": {"1": "p-1", "3": "tp-1"},
    "box": "t1-box-1",
    "deck": None,
    "dealer": "dealer-7",
    "banked": None,
    "playing": None,
    "rounds": 0,
    "open": True,
}
_EVENT = {
    "step": 2,
    "event": "round.wager_placed.v1",
    "fields": {"seat": 1, "spot": "ante", "bettor": "p-1", "kind": None, "amount": 2500},
    "by": "dealer-7",
    "at": "2026-03-08T20:15:04.120000+00:00",
    "late": False,
    "recorded_at": "2026-03-08T20:15:04.131000+00:00",
    "text": "p-1 bets ante",
}
EVENTS = {"round": "r-0001", "version": 1, "events": [_EVENT]}
_BET, (_PLACED,) = play(_OPENED.opening, ACTIONS[:1])
REPLAY = {
    "round": "r-0001",
    "events": [_EVENT],
    "result": result_of(_BET),
    "streets": [{"name": "bets", "step": 1}],
    "table": table_view(_BET),
    "why": msgspec.to_builtins(why(_BET, _PLACED)),
}
SEALED = {"round": "r-0001", "packets": [{"step": 9, "to": 2, "cards": ["9c", "4s"]}]}
CORRECTION_BODY = {
    "reason": "The dealer paid the ante twice.",
    "second_person": "floor-2",
    "entries": [{"seat": 1, "bettor": "p-1", "spot": "ante", "amount": "-25.00", "account": "player-dealer:tp-1"}],
}
FACTS_BODY = {
    "reason": "The raise was three times the ante.",
    "second_person": "floor-2",
    "account": "player-dealer:tp-1",
    "facts": {"6": {"do": "decide", "seat": 1, "choice": "raise", "times": 3}},
}
FOUND = {
    "rounds": [
        {
            "round": "r-0001",
            "table": "t1",
            "ruleset": "uth-casino-club",
            "opened_at": "2026-03-08T20:15:04.120000+00:00",
            "ended_at": "2026-03-08T20:16:40.007000+00:00",
            "gaming_day": "2026-03-08",
            "shift": "swing",
            "status": "settled",
            "player_dealer": "tp-1",
            "seats": [1],
            "bettors": ["p-1", "tp-1"],
            "dealer_hand": "high card",
            "made": ["three of a kind"],
            "outcomes": ["push", "win"],
            "action": "50.00",
            "wagered": "150.00",
            "paid": "100.00",
            "collected": "0.00",
            "shortfall": "0.00",
            "fee": "1.00",
            "waived": None,
            "voided": None,
            "corrected": 0,
            "notes": 0,
            "late": False,
            "disputed": 0,
            "dealer": "dealer-7",
        }
    ],
    "cursor": "MTc3MjEzNjkwNDEyMC9yLTAwMDE",
}
REPORT = [
    {
        "bettor": "p-1",
        "kind": "patron",
        "rounds": 1,
        "wagered": "150.00",
        "won": "100.00",
        "lost": "0.00",
        "fees": "0.00",
        "net": "100.00",
        "buy_ins": "200.00",
        "cash_outs": "0.00",
    }
]
BOX = {"box": "t1-box-1", "table": "t1", "status": "removed", "counts": 1, "expected": None, "counted": None}
_FEES = {"rounds": 214, "action": "21400.00", "fees": "321.00", "waived": "1.00", "net": "320.00"}
FEES = {
    "first": "2026-03-08",
    "last": "2026-03-08",
    "totals": _FEES,
    "by_day": [{"gaming_day": "2026-03-08", **_FEES}],
    "by_shift": [{"shift": "swing", **_FEES}],
    "by_table": [{"table": "t1", **_FEES}],
    "by_tier": [{"schedule": 1, "tier": 1, **_FEES}],
    "by_day_and_shift": [{"gaming_day": "2026-03-08", "shift": "swing", **_FEES}],
}
SUMMARY = {
    "gaming_day": "2026-03-08",
    "shift": "swing",
    "table": None,
    "as_of": None,
    "shifts": ["day", "swing"],
    "totals": {
        "rounds": 214,
        "settled": 213,
        "void": 1,
        "open": 0,
        "action": "21400.00",
        "fees": "321.00",
        "waived": "1.00",
        "net_fees": "320.00",
        "boxes": 1,
        "boxes_waiting": 1,
        "expected": "321.00",
        "counted": "316.00",
        "variance": "-5.00",
        "short_rounds": 0,
        "shortfall": "0.00",
        "house_win": "0.00",
        "tray_difference": "0.00",
    },
    "rounds": [{"table": "t1", "rounds": 214, "settled": 213, "void": 1, "open": 0, "action": "21400.00"}],
    "fees": [{"table": "t1", "schedule": 1, "tier": 1, "rounds": 214, "fees": "321.00", "net": "320.00"}],
    "boxes": [{"box": "t1-box-1", "expected": "321.00", "counted": "316.00", "variance": "-5.00"}],
    "house": [],
    "inventory": [],
    "voids": [],
    "shortfalls": [],
    "left_out": dict.fromkeys(("rounds", "fees", "boxes", "house", "inventory", "voids", "shortfalls"), 0),
    "signatures": ["Prepared by", "Count room", "Shift manager", "Accounting"],
}
LISTED_BOX = {
    "box": "t1-box-1",
    "table": "t1",
    "installed_at": "2026-03-08T14:00:00+00:00",
    "removed_at": "2026-03-08T22:05:00+00:00",
    "gaming_day": "2026-03-08",
    "shift": "swing",
    "removed_by": ["floor-1", "count-2"],
    "seal": "S-20417",
    "counters": ["count-1", "count-2"],
    "status": "variance",
    "fees": 214,
    "expected": "321.00",
    "counted": "316.00",
    "variance": "-5.00",
    "signed_by": None,
    "explanation": None,
}
BOXES = {"boxes": [LISTED_BOX], "cursor": None}
BOX_HISTORY = {
    "box": "t1-box-1",
    "table": "t1",
    "status": "variance",
    "counts": 2,
    "fees": 214,
    "expected": "321.00",
    "counted": "316.00",
    "variance": "-5.00",
    "tolerance": "0.00",
    "moments": [
        {"what": "installed", "at": "2026-03-08T14:00:00+00:00", "by": "floor-1"},
        {
            "what": "removed",
            "at": "2026-03-08T22:05:00+00:00",
            "by": "floor-1",
            "second_person": "count-2",
            "seal": "S-20417",
        },
        {
            "what": "counted",
            "at": "2026-03-08T22:40:00+00:00",
            "by": "count-1",
            "pieces": {"5.00": 60, "1.00": 16},
            "total": "316.00",
        },
    ],
}
METER = {
    "meter": "meter-t1",
    "seed": "10000.00",
    "shown": "25000.00",
    "reserve": "0.00",
    "percent": 25,
    "reserve_percent": 5,
}
ADJUSTMENT_BODY = {
    "shown": "25010.00",
    "reserve": "0.00",
    "reason": "The display had been reset.",
    "second_person": "floor-2",
}
TOKEN = {
    "token": "eyJhbGciOi…",
    "id": "6f1c2f0e8a55",
    "by": "dealer-7",
    "role": "terminal",
    "table": "t1",
    "expires_at": "2026-04-08T00:00:00+00:00",
}
FLOOR_NOW = {
    "gaming_day": "2026-03-08",
    "shift": "day",
    "at": "2026-03-08T20:17:04+00:00",
    "tables": [
        {
            "table": "t1",
            "session": 1,
            "ruleset": "uth-casino-club",
            "open": True,
            "box": "t1-box-1",
            "dealer": "dealer-7",
            "players": 2,
            "rounds": 14,
            "rounds_in_shift": 14,
            "opened_at": "2026-03-08T18:00:00+00:00",
            "fees": "14.00",
            "flags": {"short": 0, "voided": 1, "corrected": 0, "noted": 0},
            "round": {
                "id": "r-0001",
                "version": 17,
                "status": "open",
                "street": "before the flop",
                "opened_at": "2026-03-08T20:15:00+00:00",
                "bank": {"bettor": "tp-1", "seat": 3, "turn": 1, "wager": "1000.00"},
                "button": 4,
                "seats": 2,
                "on_layout": "100.00",
                "action": "100.00",
                "liability": "12625.00",
                "fee": "1.00",
                "paid": "0.00",
                "collected": "0.00",
            },
        }
    ],
}
PERSON = {"staff_id": "floor-7", "name": "Ana Ruiz", "parts": ["floor", "auditor"], "disabled": False}
READS = {
    "reads": [
        {
            "number": 1,
            "at": "2026-03-08T20:17:00+00:00",
            "by": "auditor-1",
            "role": "auditor",
            "what": "round",
            "subject": "r-0001",
            "request_id": "0b7f5f3c9a1e4a0d",
        }
    ]
}
RULESETS = {"rulesets": [summary(rulesets.load("uth-casino-club"))]}
RULESET = msgspec.json.decode(msgspec.json.encode(contents(rulesets.load("uth-house"))))  # lists, as JSON has them
PROBLEM = {
    "type": "urn:roundledger:problem:out_of_turn",
    "title": "This is not to happen now.",
    "status": 409,
    "detail": "No more bets has been called.",
    "code": "out_of_turn",
    "clause": "cc-uth/no-more-bets",
    "action": 0,
    "request_id": "0b7f5f3c9a1e4a0d",
}
FEED = (
    "id: 1042\nevent: round.wager_placed.v1\n"
    'data: {"position":1042,"table":"t1","round":"r-0001","version":2,"text":"p-1 bets ante"}\n\n'
)
AUDIT_BODY = {"from": "2026-03-08T06:00:00-08:00", "table": "t1"}
AUDIT = {
    "audit": "a-0123456789abcdef",
    "state": "done",
    "started_at": "2026-03-09T09:00:00+00:00",
    "started_by": "auditor-1",
    "ended_at": "2026-03-09T09:00:04+00:00",
    "asked": {"from": None, "to": None, "table": None, "ruleset": None, "bettor": None, "round": None, "without": []},
    "progress": {
        "done": 140248,
        "total": 140248,
        "rounds": 1400,
        "rounds_a_second": 350.0,
        "seconds": 4.0,
        "seconds_left": None,
    },
    "findings": 1,
    "notes": 1,
    "summary": {
        "events": 70124,
        "rounds": 1400,
        "findings": 1,
        "by_kind": {"line": 1},
        "checks": [{"name": "rounds", "done": True, "told": "1,400 rounds decided again"}],
        "seconds": 3.9,
        "last_position": 70124,
        "notes": 1,
        "notes_by_kind": {"wording": 1},
    },
    "error": None,
}
FINDINGS = {
    "audit": "a-0123456789abcdef",
    "state": "done",
    "findings": [
        {
            "number": 1,
            "kind": "line",
            "what": "p-1's ante at seat 1: by the rules of the day it is paid 25.00; stored is paid 125.00.",
            "round": "r-0001",
            "table": "t1",
            "ruleset": "uth-casino-club",
            "seat": 1,
            "bettor": "p-1",
            "hand": 1,
            "spot": "ante",
            "expected": "paid 25.00",
            "found": "paid 125.00",
            "clause": "cc-uth/ante",
            "stream": None,
            "version": 31,
            "position": 1042,
            "severity": "finding",
        }
    ],
    "next": None,
}
AUDIT_NOTES = {
    "audit": "a-0123456789abcdef",
    "state": "done",
    "notes": [
        {
            "number": 1,
            "kind": "wording",
            "what": "A settlement sentence is worded differently by this version of the program; amounts, outcome, "
            'odds, clause and order are the same. p-1\'s ante at seat 1, stored: "Your ante wins." Worded now: "Your '
            'hand is higher, so the ante wins."',
            "round": "r-0001",
            "table": "t1",
            "ruleset": "uth-casino-club",
            "seat": 1,
            "bettor": "p-1",
            "hand": 1,
            "spot": "ante",
            "expected": "Your hand is higher, so the ante wins.",
            "found": "Your ante wins.",
            "clause": "cc-uth/ante",
            "stream": None,
            "version": 31,
            "position": 1042,
            "severity": "note",
        }
    ],
    "next": None,
}

CHECKPOINT = (
    "casino.example/floor\n20852\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n"
    "— casino.example/floor "
    "Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n"
)
LOG_KEYS = {
    "log": "casino.example/floor",
    "key": "casino.example/floor+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
    "pem": "-----BEGIN PUBLIC KEY-----\n"
    "MCowBQYDK2VwAyEAGlzZBxQ8OExB6DDFvOEqqIF+xWSaqr8sMTiLNbLXRNY=\n-----END PUBLIC KEY-----\n",
    "earlier": [],
}
CONSISTENCY = {"from": 1024, "to": 20852, "hashes": ["gSKyXoYZUgZ6jduWYrkDOARinOMGJveXjgMkBTcdPlQ="]}
ROUND_PROOFS = {
    "round": "r-0001",
    "checkpoint": CHECKPOINT,
    "proofs": [
        {
            "version": 1,
            "position": 20801,
            "index": 20790,
            "leaf": "B95lDa8R83lS8n0eG+o0buTxRKQTYFi//1U8anccXmA=",
            "hashes": ["EKNzoDWG8LGC0Yp9o+sv3qllpMP9uHQ9B20KNL+Q1zs="],
        }
    ],
}

_BANKROLL_SUMS = {
    "rounds": 40, "wagered": "1250.00", "won": "610.00", "lost": "655.00", "fees": "0.00", "net": "-45.00",
    "buy_ins": "500.00", "cash_outs": "455.00",
}  # fmt: skip
_BETTOR = {"bettor": "p-1", "kind": "patron", **_BANKROLL_SUMS, "last_day": "2026-03-08"}
_MOVED = {
    "at": "2026-03-08T20:16:40.007000+00:00", "source": "r-0001", "round": "r-0001", "table": "t1", "what": "settled",
    "change": "100.00",
}  # fmt: skip
_MOVE = {**_MOVED, "net": "-45.00"}
BANKROLL = {
    **_BETTOR, "days": [{"gaming_day": "2026-03-08", **_BANKROLL_SUMS}], "since": "2026-03-02", "before": "-145.00",
    "ends": [{"gaming_day": "2026-03-08", "net": "-45.00"}], "moves": [_MOVE], "more": False,
    "chips": [{**_MOVED, "round": None, "source": "t1/1/3", "what": "buy-in", "change": "500.00"}],
}  # fmt: skip
_BANKED = {
    "bettor": "tp-1", "rounds": 20, "settled": 19, "action": "4100.00", "liability": "12625.00", "paid": "900.00",
    "collected": "1350.00", "net": "450.00", "short_rounds": 1, "shortfall": "25.00",
    "last_at": "2026-03-08T20:15:30.000000+00:00",
}  # fmt: skip
_BANKED_ROUND = {
    "round": "r-0001", "table": "t1", "at": "2026-03-08T20:15:30.000000+00:00", "status": "settled", "seat": 3,
    "turn": 1, "breach": None, "wager": "1000.00", "action": "50.00", "liability": "12625.00", "paid": "100.00",
    "collected": "0.00", "net": "-100.00", "shortfall": "0.00",
}  # fmt: skip
_TURN = {
    "table": "t1", "at": "2026-03-08T20:15:30.000000+00:00", "seat": 3, "rounds": [_BANKED_ROUND], "paid": "100.00",
    "collected": "0.00", "net": "-100.00", "shortfall": "0.00",
}  # fmt: skip
BETTORS = {"bettors": [_BETTOR], "cursor": None}
PLAYER_DEALERS = {"player_dealers": [_BANKED], "cursor": None}
BANKING = {**_BANKED, "turns": [_TURN], "cursor": None}
PERSON_BODY = {
    "staff_id": "floor-7",
    "name": "Ana Ruiz",
    "parts": ["floor", "auditor"],
    "password": "a phrase that nobody guesses",
}
READY = {
    "status": "ready", "database": True, "migrations": [], "writes": True, "clock_ahead_seconds": 0.002, "warnings": [],
    "lag_events": 0, "lag_seconds": 0, "unsealed_events": 0, "seal_lag_seconds": 0,
}  # fmt: skip
ROUND_LOG = {
    "round": "r-0001",
    "checkpoint": "club.example/log\n2\nqINS1GRFhWHwdkUeqLEoP4yEMkTBBzxBkGwGQlVlVcs=\n\n— club.example/log Lptf…\n",
    "sealed_at": "2026-03-08T20:16:41.007000+00:00",
    "keys": ["club.example/log+2e9b4f5c+AdaGt…"],
    "hashes": ["EKNzoDWG8LGC0Yp9o+sv3qllpMP9uHQ9B20KNL+Q1zs="],
    "entries": [{"version": 1, "index": 1, "entry": "AQAAAAAAAAAC…", "path": [0]}],
}


def _steps() -> dict[str, Any]:
    at = datetime(2026, 3, 8, 20, 15, 4, 120_000, UTC)
    at_ms = round(at.timestamp() * 1000)
    told = ((OPENED, OPENED.opened), (_BET, _PLACED))
    steps = [
        Step(number, Entry(event, "dealer-7", at_ms), round_, at)
        for number, (round_, event) in enumerate(told, start=1)
    ]
    return steps_of(Replay("r-0001", steps))


STEPS = _steps()

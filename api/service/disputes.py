"""Disputes: opened by the floor, looked into, ruled by somebody who was not involved, appealed, closed; what-ifs."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET, UnsetType
from starlette.responses import Response

from api.service import dispute_examples as examples
from api.service import dispute_shapes as shapes
from api.service.blindness import table_of_dispute, table_of_round
from api.service.operations import ID, NO_VERSION, Answer, Call, Operation, Param, answer
from api.service.problems import Problem, of_refusal
from api.service.reports import (
    CURSOR,
    ID_SCHEMA,
    LIMIT,
    cursor_at,
    read_cursor,
    read_matching,
    read_one_of,
)
from api.service.retries import carry_out
from api.service.rounds import read_number, record_look, signed_cents
from api.service.shapes import CorrectionEntry
from api.service.telling import Told
from domain import disputes
from domain.corrections import Entry
from domain.disputes import DAY_MS, DAYS_TO_APPEAL, DAYS_TO_RULE, Claim, Dispute, DisputeEvent
from domain.errors import Refusal
from domain.moments import milliseconds, read_moment
from domain.money import cents
from domain.supposing import CardSupposed
from infra.dispute_files import core, what_if_document, whole
from infra.disputes import Disputes, Filed, UnknownDispute
from infra.ledger import Receipted, UnknownRound
from projections.disputes_search import counts, search
from projections.dossier import dossier
from projections.irregular import KINDS, STATUSES
from projections.reports import Filters

FLOOR = frozenset({"floor"})
READING = frozenset({"floor", "accounting", "auditor"})
APPEALS = frozenset({"floor", "accounting"})
PDF = "application/pdf"
ROW = tuple(shapes.DisputeRow.__struct_fields__)
T = TypeVar("T")


# ---- reading


async def list_disputes(call: Call) -> Response:
    filters = Filters(
        table=read_matching(call, "table", ID.pattern),
        bettor=read_matching(call, "bettor", ID.pattern),
        dealer=read_matching(call, "dealer", ID.pattern),
        round=read_matching(call, "round", ID.pattern),
        kind=read_one_of(call, "kind", KINDS),
        status=read_one_of(call, "status", STATUSES),
    )

    after = read_cursor(call)
    limit = read_number(call, "limit", LIMIT) or LIMIT["default"]
    assert isinstance(limit, int)

    def find() -> dict[str, Any]:
        call.service.projecting.bring_up_to_date("disputes")
        database = call.service.ledger.events.recorder.database
        found = search(database, filters, after, limit + 1, call.service.site.clock.days())
        record_look(call, "disputes", call.request.url.query[:500])
        page = [{name: row[name] for name in ROW} for row in found[:limit]]
        return {"disputes": page, "counts": counts(database), "cursor": _cursor(page) if found[limit:] else None}

    return answer(await call.in_thread(find))


def _cursor(page: Sequence[dict[str, Any]]) -> str:
    return cursor_at(datetime.fromisoformat(page[-1]["opened_at"]), page[-1]["dispute"])


async def get_dispute(call: Call) -> Response:
    def look() -> tuple[dict[str, Any], int]:
        filed = _filed(call)
        record_look(call, "dispute", filed.dispute.id)
        return whole(call.service.ledger, filed, _now_ms()), filed.version

    file, version = await call.in_thread(look)
    return answer(file, headers={"ETag": f'"{version}"'})


async def get_dossier(call: Call) -> Response:
    def look() -> bytes:
        filed = _filed(call)
        record_look(call, "dossier", filed.dispute.id)
        return dossier(call.service.ledger, filed, _now_ms())

    body = await call.in_thread(look)
    name = f"dispute-{call.id('dispute')}.pdf"
    return Response(body, 200, {"Content-Disposition": f'attachment; filename="{name}"'}, PDF)


async def what_if(call: Call) -> Response:
    round_id, body = call.id("round"), call.read(shapes.ReadWhatIfBody)

    def ask() -> dict[str, Any]:
        supposed = _round(lambda: call.service.ledger.what_if(round_id, _cards(body), _facts(body)))
        record_look(call, "what if", round_id)
        return what_if_document(round_id, supposed)

    return answer(await call.in_thread(ask))


def _filed(call: Call) -> Filed:
    try:
        return Disputes(call.service.ledger).get(call.id("dispute"))
    except UnknownDispute as error:
        raise Problem("not_found", str(error)) from None


def _round(work: Callable[[], T]) -> T:
    try:
        return work()
    except UnknownRound as error:
        raise Problem("not_found", str(error)) from None


def _cards(body: shapes.ReadWhatIfBody) -> list[CardSupposed]:
    given = [] if body.cards is UNSET else body.cards
    return [CardSupposed(card.of, card.number, card.card, card.hand) for card in given]


def _facts(body: shapes.ReadWhatIfBody) -> dict[int, dict[str, Any]]:
    return {} if body.facts is UNSET else {int(at): fact for at, fact in body.facts.items()}


# ---- writing


async def open_dispute(call: Call) -> Response:
    body = call.read(shapes.DisputeBody)

    def command(receipt: Receipted) -> Filed:
        actor = call.actor
        deadline_ms = _moment_ms(body.deadline, "deadline", actor.at_ms + DAYS_TO_RULE * DAY_MS)
        bettor = None if body.bettor is UNSET else body.bettor
        amount = cents(body.claimed)
        claim = Claim(body.seat, body.spot, body.kind, amount, body.claim, deadline_ms, bettor, body.hand)
        name = None if body.dispute is UNSET else body.dispute
        return _round(lambda: Disputes(call.service.ledger, receipt).open(body.round, claim, actor, name))

    return await call.in_thread(carry_out, call, command, _made)


async def give_statement(call: Call) -> Response:
    body = call.read(shapes.StatementBody)
    return await _add(call, lambda dispute, at_ms: disputes.give_statement(dispute, body.who, body.part, body.text))


async def refer(call: Call) -> Response:
    body = call.read(shapes.ReferenceBody)
    since, until = _moment_ms(body.since, "from", 0), _moment_ms(body.until, "to", 0)
    text = "" if body.text is UNSET else body.text
    return await _add(call, lambda dispute, at_ms: disputes.refer(dispute, body.camera, since, until, text))


async def note(call: Call) -> Response:
    body = call.read(shapes.DisputeNoteBody)
    return await _add(call, lambda dispute, at_ms: disputes.note(dispute, body.text))


async def move_deadline(call: Call) -> Response:
    body = call.read(shapes.DeadlineBody)
    deadline = _moment_ms(body.deadline, "deadline", 0)
    return await _add(call, lambda dispute, at_ms: disputes.move_deadline(dispute, deadline, body.reason, at_ms))


async def file_what_if(call: Call) -> Response:
    body = call.read(shapes.ReadFiledWhatIfBody)
    text = "" if body.text is UNSET else body.text

    def command(receipt: Receipted) -> Filed:
        file = Disputes(call.service.ledger, receipt)
        return file.ask_what_if(call.id("dispute"), _cards(body), _facts(body), text, call.actor, call.if_match)

    return await _write(call, command)


async def rule(call: Call) -> Response:
    body = call.read(shapes.RulingBody)
    entries = _entries(body.entries)

    def command(receipt: Receipted) -> Filed:
        actor, second = call.actor, _second(call, body.second_person)
        until_ms = _moment_ms(body.appeal_until, "appeal_until", actor.at_ms + DAYS_TO_APPEAL * DAY_MS)
        file, name = Disputes(call.service.ledger, receipt), call.id("dispute")
        return file.rule(name, body.outcome, body.reason, second, entries, until_ms, actor, call.if_match)

    return await _write(call, command)


async def appeal(call: Call) -> Response:
    body = call.read(shapes.AppealBody)

    def decide(dispute: Dispute, at_ms: int) -> DisputeEvent:
        deadline_ms = _moment_ms(body.deadline, "deadline", at_ms + DAYS_TO_RULE * DAY_MS)
        return disputes.appeal(dispute, body.appellant, body.grounds, deadline_ms, at_ms)

    return await _add(call, decide)


async def rule_appeal(call: Call) -> Response:
    body = call.read(shapes.AppealRulingBody)
    entries = _entries(body.entries)

    def command(receipt: Receipted) -> Filed:
        second = _second(call, body.second_person)
        file, name = Disputes(call.service.ledger, receipt), call.id("dispute")
        return file.rule_appeal(name, body.outcome, body.reason, second, entries, call.actor, call.if_match)

    return await _write(call, command)


async def close(call: Call) -> Response:
    body = call.read(shapes.ClosingBody)
    return await _add(call, lambda dispute, at_ms: disputes.close(dispute, body.how, body.reason, at_ms))


async def _add(call: Call, decide: Callable[[Dispute, int], DisputeEvent]) -> Response:
    def command(receipt: Receipted) -> Filed:
        actor, file = call.actor, Disputes(call.service.ledger, receipt)
        return file.add(call.id("dispute"), lambda dispute: decide(dispute, actor.at_ms), actor, call.if_match)

    return await _write(call, command)


async def _write(call: Call, command: Callable[[Receipted], Filed]) -> Response:
    def guarded(receipt: Receipted) -> Filed:
        try:
            return command(receipt)
        except UnknownDispute as error:
            raise Problem("not_found", str(error)) from None
        except Refusal as refusal:
            raise _refused(call, refusal) from None

    return await call.in_thread(carry_out, call, guarded, _told)


def _refused(call: Call, refusal: Refusal) -> Problem:
    """Where the file has moved on since the version that was asked for, that is the reason."""
    expected, version = call.if_match, _filed(call).version
    if expected is not None and version != expected:
        asked = "the one asked for" if expected == NO_VERSION else expected
        detail = f"Dispute {call.id('dispute')} is at version {version}, not {asked}."
        return Problem("stale", detail, headers={"ETag": f'"{version}"'}, version=version)
    if refusal.code == "conflict":
        call.service.metrics.conflict()
        return of_refusal(refusal, version=version)
    return of_refusal(refusal)


def _told(filed: Filed) -> Told:
    return Told(200, msgspec.json.encode(core(filed, _now_ms())), version=filed.version)


def _made(filed: Filed) -> Told:
    body = msgspec.json.encode(core(filed, _now_ms()))
    return Told(201, body, version=filed.version, address=f"/v1/disputes/{filed.dispute.id}")


def _entries(given: Sequence[CorrectionEntry] | UnsetType) -> list[Entry]:
    return [
        Entry(entry.seat, entry.bettor, entry.spot, signed_cents(entry.amount), entry.account, entry.hand)
        for entry in ([] if given is UNSET else given)
    ]


def _second(call: Call, named: str | UnsetType) -> str | None:
    return None if named is UNSET else call.second_person(named)


def _moment_ms(text: str | UnsetType, name: str, otherwise: int) -> int:
    return otherwise if text is UNSET else milliseconds(read_moment(text, name))


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


# ---- declared

_HEADERS = ("ETag", "Idempotent-Replayed")
_AFTER = Answer(shapes.DisputeShown, examples.DISPUTE, "The dispute after it.", _HEADERS)
_PROBLEMS = ("out_of_turn", "bad_choice", "conflict")


def _writing(
    path: str, name: str, summary: str, handler: Any, body: Any, example: Any, description: str = "", **other: Any
) -> Operation:
    """What adds to a file: by the floor, under a key, on a version if one is named."""
    return Operation(
        "POST",
        f"/v1/disputes/{{dispute}}{path}",
        name,
        "disputes",
        summary,
        handler,
        {200: _AFTER},
        other.pop("roles", FLOOR),
        description,
        body=body,
        body_example=example,
        problems=_PROBLEMS,
        about=table_of_dispute,
        writes=True,
        conditional=True,
        **other,
    )


OPERATIONS = (
    Operation(
        "POST",
        "/v1/disputes",
        "openDispute",
        "disputes",
        "Open a dispute on a wager",
        open_dispute,
        {201: Answer(shapes.DisputeShown, examples.DISPUTE, "The dispute.", (*_HEADERS, "Location"))},
        FLOOR,
        "On a settled or voided round. What is stored of it is frozen by hashes, and the round is marked as disputed.",
        body=shapes.DisputeBody,
        body_example=examples.DISPUTE_BODY,
        problems=(*_PROBLEMS, "not_found"),
        writes=True,
    ),
    Operation(
        "GET",
        "/v1/disputes",
        "listDisputes",
        "disputes",
        "Disputes, the newest first",
        list_disputes,
        {200: Answer(shapes.FoundDisputes, examples.FOUND, "A page of disputes, and the cursor of the next one.")},
        READING,
        params=(
            Param("status", {"type": "string", "enum": list(STATUSES)}, "Only those that stand so, or are overdue."),
            Param("table", ID_SCHEMA, "Only of this table."),
            Param("dealer", ID_SCHEMA, "Only of this dealer; `nobody` where none was tapped in."),
            Param("bettor", ID_SCHEMA, "Only claims of this bettor."),
            Param("kind", {"type": "string", "enum": list(KINDS)}, "Only about this kind of error."),
            Param("round", ID_SCHEMA, "Only of this round."),
            Param("limit", LIMIT, "How many a page has."),
            Param("cursor", {"type": "string", "pattern": CURSOR}, "Where the page before ended."),
        ),
        problems=("bad_choice",),
    ),
    Operation(
        "GET",
        "/v1/disputes/{dispute}",
        "getDispute",
        "disputes",
        "The file of a dispute, with the round beside it",
        get_dispute,
        {200: Answer(shapes.DisputeFile, examples.FILE, "The file.", ("ETag",))},
        READING,
        about=table_of_dispute,
    ),
    Operation(
        "GET",
        "/v1/disputes/{dispute}/dossier",
        "getDossier",
        "disputes",
        "The whole as a PDF",
        get_dossier,
        {200: Answer(str, "%PDF-1.4 …", "The dossier.", media_type=PDF)},
        READING,
        about=table_of_dispute,
    ),
    _writing(
        "/statements",
        "giveStatement",
        "Take a statement",
        give_statement,
        shapes.StatementBody,
        {"who": "dealer-7", "part": "dealer", "text": "I paid one stack."},
        "Whoever gives one does not rule.",
    ),
    _writing(
        "/references",
        "referToSurveillance",
        "Say where surveillance should look",
        refer,
        shapes.ReferenceBody,
        examples.REFERENCE_BODY,
    ),
    _writing(
        "/notes", "noteDispute", "Note something", note, shapes.DisputeNoteBody, {"text": "He waits at the cage."}
    ),
    _writing(
        "/deadline",
        "moveDeadline",
        "Move the deadline",
        move_deadline,
        shapes.DeadlineBody,
        {"deadline": "2036-03-12T12:00:00-08:00", "reason": "The recording is late."},
    ),
    _writing(
        "/what-ifs",
        "fileWhatIf",
        "Ask what would have been, and keep the question",
        file_what_if,
        shapes.FiledWhatIfBody,
        {**examples.WHAT_IF_BODY, "text": "If the dealer's second card was the seven."},
    ),
    _writing(
        "/ruling",
        "ruleDispute",
        "Rule on a dispute",
        rule,
        shapes.RulingBody,
        examples.RULING_BODY,
        "By somebody who was not involved; where money moves, with a second person who was not either.",
        two_people=APPEALS,
    ),
    _writing(
        "/appeal",
        "appealRuling",
        "Take an appeal against the ruling",
        appeal,
        shapes.AppealBody,
        {"appellant": "p-1", "grounds": "The recording was not looked at."},
    ),
    _writing(
        "/appeal/ruling",
        "ruleAppeal",
        "Rule on the appeal",
        rule_appeal,
        shapes.AppealRulingBody,
        {name: value for name, value in examples.RULING_BODY.items() if name != "appeal_until"},
        "By somebody who has not ruled before. Its entries come on top of those of the ruling.",
        roles=APPEALS,
        two_people=APPEALS,
    ),
    _writing(
        "/close",
        "closeDispute",
        "Close a dispute",
        close,
        shapes.ClosingBody,
        {"how": "accepted", "reason": "The patron agrees."},
    ),
    Operation(
        "POST",
        "/v1/rounds/{round}/what-if",
        "whatIf",
        "rounds",
        "What would have been with other facts",
        what_if,
        {200: Answer(shapes.WhatIf, examples.WHAT_IF, "The lines that would be other than they are.")},
        READING,
        "Of a settled round. Nothing is stored, and hands that were never turned over have no cards here.",
        body=shapes.WhatIfBody,
        body_example=examples.WHAT_IF_BODY,
        problems=("bad_document", "out_of_turn"),
        about=table_of_round,
    ),
)

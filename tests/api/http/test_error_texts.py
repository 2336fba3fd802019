"""What does not fit its description is named by its field, in words, whatever pydantic calls it inside."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from api.http.schemas.access import PersonChangeIn
from api.http.schemas.audits import AuditIn
from api.http.schemas.books.slips import SlipIssueIn
from api.http.schemas.disputes import WhatIfIn
from api.http.schemas.regulation import ChoiceIn
from api.http.schemas.rounds import PaymentIn, RoundIn
from api.http.schemas.search.round_search import RoundSearch
from api.http.schemas.tables import SessionIn
from api.service.fields import refusals

PAYMENT = {"seat": 1, "spot": "ante", "paid": "1.00", "collected": "0.00"}
AN_ID = "is an id: lower-case letters, digits and hyphens, at most 40."
A_TIME = "is a time with its offset, like 2026-03-08T06:00:00-08:00."


@pytest.mark.parametrize(
    ("model", "body", "texts"),
    [
        (PaymentIn, {**PAYMENT, "bettor": "BAD"}, [f"`bettor` {AN_ID}"]),
        (PaymentIn, {**PAYMENT, "bettor": 3}, ["`bettor` has to be text."]),
        (PaymentIn, {**PAYMENT, "bettor": None}, ["`bettor` is null; leave it out instead."]),
        (PaymentIn, {**PAYMENT, "seat": 17}, ["`seat` is at most 16."]),
        (PaymentIn, {**PAYMENT, "seat": 1.5, "nix": 1}, ["`seat` is a whole number.", "`nix` is not a field here."]),
        (RoundIn, {"players": {"x": "p-1"}}, ["A key of `players` is the number of a seat, 1 to 16."]),
        (RoundIn, {"players": {"1": "P"}}, [f"`players.1` {AN_ID}"]),
        (SessionIn, {"ruleset": "x", "terms": 3}, ["`terms` has to be an object."]),
        (SessionIn, {"ruleset": "x", "terms": {"meter": {"id": 3}}}, ["`terms.meter.id` has to be text."]),
        (PersonChangeIn, {"disabled": "yes"}, ["`disabled` is true or false."]),
        (PersonChangeIn, {"password": "1"}, ["`password` has at least 10 characters."]),
        (AuditIn, {"from": "x"}, [f"`from` {A_TIME}"]),
        (SlipIssueIn, {"second_person": "x", "pieces": {"5.00": -1}}, ["`pieces.5.00` is at least 0."]),
        (ChoiceIn, {"schedules": ["a"]}, ["`schedules.0` is a whole number."]),
        (WhatIfIn, {"facts": {"x": {"do": "settle"}}}, ["A key of `facts` is the number of an action, from 0."]),
        (WhatIfIn, {"facts": {"1": {"do": "bet", "seat": 1, "spot": "ante"}}}, ["`facts.1.amount` is missing."]),
        (RoundSearch, {"limit": "0", "seat": "x"}, ["`seat` is a whole number.", "`limit` is at least 1."]),
        (RoundSearch, {"late": "1", "table": "B"}, [f"`table` {AN_ID}", "`late` is true or false."]),
        (RoundSearch, {"limit": "9" * 5000}, ["`limit` is a whole number."]),
    ],
)  # fmt: skip
def test_a_field_is_named_in_words(model: type[BaseModel], body: dict[str, Any], texts: list[str]):
    with pytest.raises(ValidationError) as refused:
        model.model_validate(body)
    errors = [{**error, "loc": ("body", *error["loc"])} for error in refused.value.errors()]
    assert list(refusals(errors).values()) == texts

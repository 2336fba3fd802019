"""The closing of gaming days and months."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from api.service.fields import Id, Model, Omittable, ShownMoney, SignedMoney, Text


class PeriodCloseIn(Model):
    """`explanation` says why a tray was not counted, if that is no longer possible."""

    second_person: Id = Field(examples=["floor-2"])
    explanation: Omittable[Text] = None


class PeriodReopenIn(Model):
    reason: Text
    second_person: Id = Field(examples=["floor-2"])


class PeriodChanged(Model):
    period: str
    status: Literal["open", "closed"]
    second_person: str
    digest: str | None
    accounts: int


class MissingOut(Model):
    """`address` is the page on which it is done. What `explains` can be explained instead."""

    what: str
    kind: Literal["round", "box", "tray", "day"]
    name: str
    address: str
    explains: bool


class BalanceOut(Model):
    account: str
    debit: ShownMoney
    credit: ShownMoney
    balance: SignedMoney


class PeriodMoment(Model):
    what: Literal["shut", "closed", "reopened"]
    at: str
    by: str
    second_person: str
    reason: str | None


class PeriodOut(Model):
    """`balances` are those that were signed, or, of an open period, the current ones. `shut`: nothing more is posted,
    and the balances are still to be signed."""

    period: str
    status: Literal["open", "shut", "closed"]
    over: bool
    missing: list[MissingOut]
    digest: str | None
    checkpoint: str | None
    explanation: str | None
    balances: list[BalanceOut]
    history: list[PeriodMoment]

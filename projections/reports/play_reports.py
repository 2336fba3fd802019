"""Reports on what was played: hands, the rotation of the bank, and progressive meters."""

from __future__ import annotations

from projections.models.hands import Hands
from projections.models.meters import Meters
from projections.models.rotation import Rotation
from projections.reports.report import (
    BY_BETTOR,
    BY_DAY,
    BY_DEALER,
    BY_TABLE,
    TABLE,
    Report,
    amount,
    at,
    list_,
    money,
    plain,
)

HANDS = Report(
    name="hands",
    projection=Hands,
    select={
        **plain("round"),
        **TABLE,
        **plain("ruleset"),
        **at("opened_at"),
        **plain("gaming_day", "shift", "status", "player_dealer"),
        **list_("seats", "bettors"),
        **plain("dealer_hand"),
        **list_("made"),
        **amount("action", "wagered", "paid", "collected", "shortfall", "fee"),
        **plain("waived", "voided", "corrected", "disputed", dealer="coalesce(dealer, 'nobody')"),
    },
    source="{schema}.hands",
    filters={
        **BY_TABLE,
        **BY_DAY,
        **BY_DEALER,
        "bettor": "round IN (SELECT round FROM {schema}.hands_bettors WHERE bettor = %(bettor)s)",
    },
    order="opened_at, round",
    windowed="opened_at",
)
ROTATION = Report(
    name="rotation",
    projection=Rotation,
    select={
        **plain("round"),
        **TABLE,
        **at("at"),
        **plain("seat", "bettor", "turn"),
        **list_("declined", "passed_over"),
        **plain("breach", "status"),
    },
    source="{schema}.rotation",
    filters={**BY_TABLE, **BY_DAY, **BY_BETTOR},
    order="at, round",
    windowed="at",
)
METERS = Report(
    name="meters",
    projection=Meters,
    select={
        **plain("meter"),
        **at("at"),
        **plain("what", "round", "bettor"),
        **money("amount", "shown", "reserve"),
    },
    source="{schema}.meter_moves",
    filters=BY_BETTOR,
    order="position",
    windowed="at",
)

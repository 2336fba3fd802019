"""Reports on what was played: hands, the rotation of the bank, and progressive meters."""

from __future__ import annotations

from projections.models.floor.meters import Meters
from projections.models.floor.rotation import Rotation
from projections.models.hands import Hands
from projections.reports.report import (
    BY_BETTOR,
    BY_DAY,
    BY_DEALER,
    BY_TABLE,
    Report,
)

HANDS = Report(
    name="hands",
    projection=Hands,
    select="""
        round
        table = table_id
        ruleset
        opened_at: at
        gaming_day
        shift
        status
        player_dealer
        seats: list
        bettors: list
        dealer_hand
        made: list
        action: amount
        wagered: amount
        paid: amount
        collected: amount
        shortfall: amount
        fee: amount
        waived
        voided
        adjusts
        corrected
        disputed
        dealer = coalesce(dealer, 'nobody')
    """,
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
    select="""
        round
        table = table_id
        at: at
        seat
        bettor
        turn
        declined: list
        passed_over: list
        breach
        status
    """,
    source="{schema}.rotation",
    filters={**BY_TABLE, **BY_DAY, **BY_BETTOR},
    order="at, round",
    windowed="at",
)
METERS = Report(
    name="meters",
    projection=Meters,
    select="""
        meter
        at: at
        what
        round
        bettor
        amount: money
        shown: money
        reserve: money
    """,
    source="{schema}.meter_moves",
    filters=BY_BETTOR,
    order="position",
    windowed="at",
)

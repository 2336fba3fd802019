"""Reports on money: bankrolls, exposure, fees, boxes and their slips, the journal and the trays."""

from __future__ import annotations

from projections.models.bankroll import Bankroll
from projections.models.books.closings import Closings
from projections.models.collections import Collections
from projections.models.exposure import Exposure
from projections.models.floor.drops import Drops
from projections.models.floor.inventory import Inventory
from projections.models.journal import Journal
from projections.reports.report import (
    ALWAYS,
    BY_BETTOR,
    BY_DAY,
    BY_TABLE,
    DAYS,
    OF_BETTOR,
    Report,
)

BANKROLL = Report(
    name="bankroll",
    projection=Bankroll,
    select="""
        bettor
        kind = coalesce(registered.kind, CASE WHEN sum(tips) > 0 THEN 'toke' ELSE 'patron' END)
        rounds = sum(rounds)::bigint
        wagered: amount = sum(wagered)::bigint
        won: amount = sum(won)::bigint
        lost: amount = sum(lost)::bigint
        fees: amount = sum(fees)::bigint
        net: amount = sum(won - lost)::bigint
        buy_ins: amount = sum(buy_ins)::bigint
        cash_outs: amount = sum(cash_outs)::bigint
    """,
    # For a closed day, or days of which the last is closed, everybody as they were registered when it was closed.
    source="{schema}.bankroll{of_all} b LEFT JOIN (SELECT position FROM {schema}.bankroll_shut"
    " WHERE gaming_day = coalesce(%(gaming_day)s::date, %(last)s::date)) s ON true"
    " LEFT JOIN LATERAL (SELECT k.kind FROM {schema}.bankroll_kinds k"
    " WHERE k.bettor = b.bettor AND s.position IS NULL UNION ALL (SELECT r.kind FROM {schema}.bankroll_registrations r"
    " WHERE r.bettor = b.bettor AND r.position < s.position ORDER BY r.position DESC LIMIT 1)) registered ON true",
    filters={**BY_TABLE, **BY_DAY, **BY_BETTOR},
    order="bettor",
    group="bettor, registered.kind",
    totals=frozenset(BY_BETTOR),
)
EXPOSURE = Report(
    name="exposure",
    projection=Exposure,
    select="""
        round
        table = table_id
        at: at
        player_dealer
        wager: money
        action: amount
        liability: money
        paid: amount
        collected: amount
        net: amount = collected - paid
        shortfall: amount
        status
        gaming_day
        shift
        adjusts
    """,
    source="{schema}.exposure",
    filters={**BY_TABLE, **BY_DAY, "bettor": "player_dealer = %(bettor)s"},
    order="at, round",
    windowed="opened_at",
)
COLLECTIONS = Report(
    name="collections",
    projection=Collections,
    select="""
        gaming_day
        shift
        table = table_id
        schedule: schedule
        tier
        rounds: count
        action: amount
        fees: amount
        waived: amount
        net: amount = fees - waived
        adjusts = nullif(of_day, gaming_day)
    """,
    source="{schema}.collections",
    filters={**BY_TABLE, **BY_DAY},
    order="gaming_day, array_position(%(shifts)s::text[], shift), table_id, schedule, tier, of_day",
)
DROPS = Report(
    name="drops",
    projection=Drops,
    select="""
        box
        table = table_id
        installed_at: at
        removed_at: at
        expected: amount
        counted: amount
        variance: amount
        status
        fees: count
        seal
        gaming_day
        shift
        signed_by
        explanation
        adjusts
    """,
    source="{schema}.drops",
    filters={**BY_TABLE, **BY_DAY, "box": "box = %(box)s"},
    order="installed_at, box",
    windowed="coalesce(removed_at, installed_at)",
)
SLIPS = Report(
    name="slips",
    projection=Drops,
    select="""
        box
        round
        at: at
        schedule: schedule
        tier
        fee: amount
        dropped: amount
        waived
        matched
    """,
    # Fees according to the rounds, and the slips of the box; a fee without a slip belongs to the box that was on its
    # table.
    source="(SELECT d.box, s.round, s.at,"
    " coalesce(f.schedule, s.schedule) AS schedule, coalesce(f.tier, s.tier) AS tier, f.amount AS fee,"
    " s.amount AS dropped, f.waived, d.table_id,"
    " coalesce(s.amount, 0) = CASE WHEN f.waived = 'not dropped' THEN 0 ELSE coalesce(f.amount, 0) END"
    " AND f.amount IS NOT NULL AS matched"
    " FROM {schema}.drops d CROSS JOIN LATERAL (SELECT round, min(at) AS at,"
    " sum(amount)::bigint AS amount, max(schedule) AS schedule, max(tier) AS tier"
    " FROM {schema}.drop_slips WHERE box = d.box GROUP BY round) s"
    " LEFT JOIN {schema}.drop_fees f USING (round)"
    " UNION ALL SELECT d.box, f.round, f.at, f.schedule, f.tier, f.amount, NULL, f.waived, f.table_id, false"
    " FROM {schema}.drop_fees f JOIN {schema}.drops d ON d.table_id = f.table_id AND f.at >= d.installed_at"
    " AND (d.removed_at IS NULL OR f.at < d.removed_at)"
    " WHERE NOT EXISTS (SELECT FROM {schema}.drop_slips s WHERE s.round = f.round)) walked",
    filters={**BY_TABLE, "box": "box = %(box)s"},
    order="box, at, round",
    windowed="at",
)
# A file that says nothing of boxes is of one box: the same one for several boxes is a mistake.
MACHINE_COUNTS = Report(
    name="machine-counts",
    projection=Drops,
    select="""
        box
        table = table_id
        gaming_day
        shift
        counter
        machine
        file = digest
        boxes_of_file = (SELECT count(*) FROM {schema}.machine_counts same WHERE same.digest = counts.digest)
        by_machine: amount
        counted: amount
        difference: amount = by_machine - counted
    """,
    source="{schema}.machine_counts counts",
    filters={**BY_TABLE, **BY_DAY, "box": "box = %(box)s"},
    order="gaming_day, box",
)
JOURNAL = Report(
    name="journal",
    projection=Journal,
    select="""
        source
        at: at
        account
        debit: amount
        credit: amount
        round
        table = table_id
        what
        gaming_day
        position
        adjusts
    """,
    source="{schema}.journal",
    filters={**BY_TABLE, **BY_DAY, "bettor": OF_BETTOR, "account": "account = %(account)s"},
    order="position, line",
    windowed="at",
)
ADJUSTMENTS = Report(
    name="adjustments",
    projection=Journal,
    # What was posted on another day than it belongs to, because that was closed, and what concerns a closed day.
    select="""
        gaming_day
        adjusts
        source
        at: at
        account
        debit: amount
        credit: amount
        round
        table = table_id
        what
        position
    """,
    source="{schema}.journal",
    filters={ALWAYS: "adjusts IS NOT NULL", **BY_TABLE, **BY_DAY, "bettor": OF_BETTOR},
    order="position, line",
    windowed="at",
)
TRIAL_BALANCE = Report(
    name="trial-balance",
    projection=Journal,
    select="""
        account
        debit: amount = sum(debit)::bigint
        credit: amount = sum(credit)::bigint
        balance: amount = sum(debit - credit)::bigint
    """,
    source="{schema}.journal_balances",
    filters={**DAYS, "account": "account = %(account)s"},
    order="account",
    group="account",
)
INVENTORY = Report(
    name="inventory",
    projection=Inventory,
    # A stretch without both counts has no win of its own, and so no difference.
    select="""
        table = table_id
        session
        stretch
        gaming_day
        shift
        began_at: at
        ended_at: at
        rounds: count
        opening: money
        fills: amount
        credits: amount
        closing: money
        drop: amount = bought
        cashed: amount
        win: amount
        ledger_win: amount
        difference: amount = win - ledger_win
        adjusts
    """,
    source="(SELECT i.*,"
    " coalesce(p.rounds, 0) AS rounds, closing + credits - opening - fills + bought - cashed AS win,"
    " coalesce(p.won, 0) - coalesce(c.paid, 0) AS ledger_win"
    # Corrections are added up only for the selected stretches.
    " FROM (SELECT * FROM {schema}.inventory{where} ORDER BY began_at, table_id, session, stretch"
    " LIMIT %(limit)s) i LEFT JOIN {schema}.inventory_played p USING (table_id, session, stretch)"
    " LEFT JOIN LATERAL (SELECT sum(c.paid)::bigint AS paid FROM {schema}.inventory_corrections c"
    " WHERE c.table_id = i.table_id AND i.opening IS NOT NULL AND c.position > i.began_position"
    " AND (c.position < i.ended_position OR i.ended_position IS NULL)"
    " AND NOT EXISTS (SELECT FROM {schema}.inventory_shut s WHERE s.gaming_day = i.gaming_day"
    " AND s.position < c.position)) c ON true) stretches",
    filters={**BY_TABLE, **BY_DAY},
    order="began_at, table_id, session, stretch",
    windowed="began_at",
)
CLOSE = Report(
    name="close",
    projection=Closings,
    select="""
        period
        first_day
        status
        at: at
        by
        second_person
        accounts: count
        debit: amount
        digest
        explanation
        reason
        position
    """,
    source="{schema}.closings",
    filters={
        "gaming_day": "first_day = %(gaming_day)s",
        "first": "first_day >= %(first)s",
        "last": "first_day <= %(last)s",
    },
    order="first_day, period",
    windowed="at",
)
TRAY_COUNTS = Report(
    name="tray-counts",
    projection=Journal,
    select="""
        table = table_id
        session
        stretch
        when = taken
        at: at
        gaming_day
        shift
        expected: money
        counted: money
        difference: amount = counted - expected
        adjusts
    """,
    source="{schema}.journal_tray_counts",
    filters={**BY_TABLE, **BY_DAY},
    order="at, position",
    windowed="at",
)

"""Reports on money: bankrolls, exposure, fees, boxes and their slips, the journal and the trays."""

from __future__ import annotations

from projections.models.bankroll import Bankroll
from projections.models.collections import Collections
from projections.models.drops import Drops
from projections.models.exposure import Exposure
from projections.models.inventory import Inventory
from projections.models.journal import Journal
from projections.reports.report import (
    BY_BETTOR,
    BY_DAY,
    BY_TABLE,
    DAYS,
    OF_BETTOR,
    TABLE,
    Report,
    amount,
    at,
    count,
    money,
    plain,
    schedule,
    sum_of,
)

BANKROLL = Report(
    name="bankroll",
    projection=Bankroll,
    select={
        **plain("bettor", kind="coalesce(k.kind, CASE WHEN sum(tips) > 0 THEN 'toke' ELSE 'patron' END)"),
        **plain(**sum_of("rounds")),
        **amount(**sum_of("wagered", "won", "lost", "fees"), net="sum(won - lost)::bigint"),
        **amount(**sum_of("buy_ins", "cash_outs")),
    },
    source="{schema}.bankroll{of_all} LEFT JOIN {schema}.bankroll_kinds k USING (bettor)",
    filters={**BY_TABLE, **BY_DAY, **BY_BETTOR},
    order="bettor",
    group="bettor, k.kind",
    totals=frozenset(BY_BETTOR),
)
EXPOSURE = Report(
    name="exposure",
    projection=Exposure,
    select={
        **plain("round"),
        **TABLE,
        **at("at"),
        **plain("player_dealer"),
        **money("wager"),
        **amount("action"),
        **money("liability"),
        **amount("paid", "collected", net="collected - paid"),
        **amount("shortfall"),
        **plain("status", "gaming_day", "shift"),
    },
    source="{schema}.exposure",
    filters={**BY_TABLE, **BY_DAY, "bettor": "player_dealer = %(bettor)s"},
    order="at, round",
    windowed="opened_at",
)
COLLECTIONS = Report(
    name="collections",
    projection=Collections,
    select={
        **plain("gaming_day", "shift"),
        **TABLE,
        **schedule("schedule"),
        **plain("tier"),
        **count("rounds"),
        **amount("action", "fees", "waived", net="fees - waived"),
    },
    source="{schema}.collections",
    filters={**BY_TABLE, **BY_DAY},
    order="gaming_day, array_position(%(shifts)s::text[], shift), table_id, schedule, tier",
)
DROPS = Report(
    name="drops",
    projection=Drops,
    select={
        **plain("box"),
        **TABLE,
        **at("installed_at", "removed_at"),
        **amount("expected", "counted", "variance"),
        **plain("status"),
        **count("fees"),
        **plain("seal", "gaming_day", "shift", "signed_by", "explanation"),
    },
    source="{schema}.drops",
    filters={**BY_TABLE, **BY_DAY, "box": "box = %(box)s"},
    order="installed_at, box",
    windowed="coalesce(removed_at, installed_at)",
)
SLIPS = Report(
    name="slips",
    projection=Drops,
    select={
        **plain("box", "round"),
        **at("at"),
        **schedule("schedule"),
        **plain("tier"),
        **amount("fee", "dropped"),
        **plain("waived", "matched"),
    },
    # The fees that were taken according to the rounds, and the slips of the box; a fee without a slip belongs to the
    # box that was on its table.
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
JOURNAL = Report(
    name="journal",
    projection=Journal,
    select={
        **plain("source"),
        **at("at"),
        **plain("account"),
        **amount("debit", "credit"),
        **plain("round"),
        **TABLE,
        **plain("what", "gaming_day", "position"),
    },
    source="{schema}.journal",
    filters={**BY_TABLE, **BY_DAY, "bettor": OF_BETTOR, "account": "account = %(account)s"},
    order="position, line",
    windowed="at",
)
TRIAL_BALANCE = Report(
    name="trial-balance",
    projection=Journal,
    select={**plain("account"), **amount(**sum_of("debit", "credit"), balance="sum(debit - credit)::bigint")},
    source="{schema}.journal_balances",
    filters={**DAYS, "account": "account = %(account)s"},
    order="account",
    group="account",
)
INVENTORY = Report(
    name="inventory",
    projection=Inventory,
    # A stretch without both counts has no win of its own, and so no difference.
    select={
        **TABLE,
        **plain("session", "stretch", "gaming_day", "shift"),
        **at("began_at", "ended_at"),
        **count("rounds"),
        **money("opening"),
        **amount("fills", "credits"),
        **money("closing"),
        **amount(drop="bought - cashed", win="win", ledger_win="ledger_win", difference="win - ledger_win"),
    },
    source="(SELECT i.*,"
    " coalesce(p.rounds, 0) AS rounds, closing + credits - opening - fills + bought - cashed AS win,"
    " coalesce(p.won, 0) - coalesce(c.paid, 0) AS ledger_win"
    # Corrections are added up only for the stretches that are asked for.
    " FROM (SELECT * FROM {schema}.inventory{where} ORDER BY began_at, table_id, session, stretch"
    " LIMIT %(limit)s) i LEFT JOIN {schema}.inventory_played p USING (table_id, session, stretch)"
    " LEFT JOIN LATERAL (SELECT sum(c.paid)::bigint AS paid FROM {schema}.inventory_corrections c"
    " WHERE c.table_id = i.table_id AND i.opening IS NOT NULL AND c.position > i.began_position"
    " AND (c.position < i.ended_position OR i.ended_position IS NULL)) c ON true) stretches",
    filters={**BY_TABLE, **BY_DAY},
    order="began_at, table_id, session, stretch",
    windowed="began_at",
)
TRAY_COUNTS = Report(
    name="tray-counts",
    projection=Journal,
    select={
        **TABLE,
        **plain("session", "stretch", when="taken"),
        **at("at"),
        **plain("gaming_day", "shift"),
        **money("expected", "counted"),
        # A tray that is counted for the first time was not expected to hold anything in particular.
        **amount(difference="counted - expected"),
    },
    source="{schema}.journal_tray_counts",
    filters={**BY_TABLE, **BY_DAY},
    order="at, position",
    windowed="at",
)

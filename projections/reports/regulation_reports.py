"""Reports for an inspector: what tables have posted and what was stated about rounds."""

from __future__ import annotations

from typing import LiteralString

from msgspec.structs import replace

from projections.models.regulation.adoptions import Adoptions
from projections.models.regulation.postings import Postings
from projections.models.regulation.propositions import Propositions
from projections.models.regulation.round_facts import RoundFacts
from projections.reports.report import BY_BETTOR, BY_DAY, BY_ROUND, BY_TABLE, DAYS, Report

# For what begins and ends: whatever held at the moment, on the day, or on any day of a range.
HELD: dict[str, LiteralString] = {
    "moment": "begins <= %(moment)s AND (ends IS NULL OR ends > %(moment)s)",
    "gaming_day": "first_day <= %(gaming_day)s AND (last_day IS NULL OR last_day >= %(gaming_day)s)",
    "first": "(last_day IS NULL OR last_day >= %(first)s)",
    "last": "first_day <= %(last)s",
}
# Days of a version are in UTC, and a gaming day has parts of two of them: the day before or after is shown too.
IN_FORCE: dict[str, LiteralString] = {
    "gaming_day": "first_day <= %(gaming_day)s::date + 1"
    " AND (last_day IS NULL OR last_day >= %(gaming_day)s::date - 1)",
    "first": "(last_day IS NULL OR last_day >= %(first)s::date - 1)",
    "last": "first_day <= %(last)s::date + 1",
}

# The last day of a version is its own, the one on which it was retired, or the one before the next version's first.
ADOPTIONS = Report(
    name="adoptions",
    projection=Adoptions,
    select="""
        ruleset
        version
        approval
        approved_on
        first_day
        last_day
        adopted_at: at = at
        adopted_by
        second_person
        retired = reason
        hash
        source_hash
        hands = '/v1/rounds?ruleset=' || ruleset
    """,
    with_="WITH dated AS (SELECT a.ruleset, a.version, a.approval, a.approved_on, a.first_day, least(a.last_day,"
    " r.last_day, lead(a.first_day) OVER (PARTITION BY a.ruleset ORDER BY a.version) - 1) AS last_day, a.at,"
    " a.adopted_by, a.second_person, r.reason, a.hash, a.source_hash FROM {schema}.adoptions a"
    " LEFT JOIN {schema}.retirements r ON (r.ruleset, r.version) = (a.ruleset, a.version)) ",
    source="dated",
    filters=IN_FORCE,
    order="ruleset, version",
    windowed="at",
)
POSTINGS = Report(
    name="postings",
    projection=Postings,
    select="""
        table = table_id
        number
        changes = (SELECT count(*) FROM {schema}.postings each WHERE each.table_id = postings.table_id)
        ruleset
        begins: at
        ends: at
        held = ends IS NULL OR ends > begins
        notice_minutes
        posted_at: at
        posted_by
        trips
        schedule: schedule
        limits
        progressive
        rates
    """,
    source="{schema}.postings",
    filters={**BY_TABLE, **HELD},
    order="table_id, number",
    windowed="begins",
)
DESIGNATIONS = Report(
    name="designations",
    projection=Postings,
    select="""
        table = table_id
        begins: at
        ends: at
        designated_by
        ruleset
        box_label = box
        inscription
        placard
    """,
    source="{schema}.designations",
    filters={**BY_TABLE, **HELD},
    order="table_id, number",
    windowed="begins",
)
CHOICES = Report(
    name="choices",
    projection=Postings,
    select="""
        ruleset
        at: at
        chosen_by
        trips
        schedules
        limits
        notice_minutes
    """,
    source="{schema}.choices",
    filters=DAYS,
    order="ruleset, at",
    windowed="at",
)


def _of_rounds(name: str, source: LiteralString, columns: LiteralString) -> Report:
    """Return what a table has about rounds, in the order of time."""
    return Report(
        name=name,
        projection=RoundFacts,
        select="round\n table = table_id\n at: at\n" + columns.strip(),
        source=f"{{schema}}.{source}",
        filters={**BY_TABLE, **BY_DAY, **BY_ROUND},
        order="at, round",
        windowed="at",
    )


JACKPOTS = replace(
    _of_rounds(
        "jackpots",
        "jackpots LEFT JOIN LATERAL (SELECT supervisor, calls.at AS called_at"
        " FROM {schema}.supervisor_calls calls WHERE calls.round = jackpots.round ORDER BY calls.at LIMIT 1) c ON true",
        """
        ruleset
        seat
        bettor
        paid: amount
        source
        supervisor
        called_at: at
        minutes_given = minutes
        in_time = CASE WHEN minutes > 0 THEN coalesce(called_at <= at + minutes * interval '1 minute', false) END
        """,
    ),
    filters={**BY_TABLE, **BY_DAY, **BY_ROUND, **BY_BETTOR},
    order="at, round, seat",
)
DECKS = Report(
    name="decks",
    projection=RoundFacts,
    select="""
        gaming_day
        table = table_id
        rounds: count = sum(rounds)::bigint
        blue: count = sum(blue)::bigint
        red: count = sum(red)::bigint
        seen: count = sum(seen)::bigint
        out_of_turn: count = sum(out_of_turn)::bigint
        hands = '/v1/rounds?table=' || table_id
    """,
    source="{schema}.deck_days",
    filters={**BY_TABLE, **DAYS},
    order="gaming_day, table_id",
    group="gaming_day, table_id",
)
DECKS_SEEN = _of_rounds("decks-seen", "decks_seen", "colour\n due\n in_turn = colour = due\n seen_by")
MISDEALS = _of_rounds("misdeals", "misdeals", "place\n expected\n found\n outcome\n note\n noticed_by")
HANDS_HELD = _of_rounds("hands-held", "hands_held", "seats: list\n held_by")
EXCEPTIONS = _of_rounds("exceptions", "exceptions", "what\n reason\n detail\n fee: amount\n entered_by")
FEE_TIERS = Report(
    name="fee-tiers",
    projection=RoundFacts,
    select="""
        table = table_id
        ruleset
        schedule: schedule
        tier
        due: money
        rounds: count = sum(rounds)::bigint
        fees: amount = sum(fees)::bigint
        differing: count = sum(differing)::bigint
        waived: amount = sum(waived)::bigint
        hands = '/v1/rounds?table=' || table_id || '&ruleset=' || ruleset
    """,
    source="{schema}.fee_tiers",
    filters={**BY_TABLE, **DAYS},
    order="table_id, ruleset, length(schedule), schedule, tier, due",
    group="table_id, ruleset, schedule, tier, due",
)
PROPOSITION_PLAYERS = Report(
    name="proposition-players",
    projection=Propositions,
    select="""
        bettor
        company
        registration
        first_day
        last_day
        hands = '/v1/rounds?player_dealer=' || bettor
    """,
    source="{schema}.proposition_players",
    filters={**BY_BETTOR, **{name: HELD[name] for name in ("gaming_day", "first", "last")}},
    order="company, bettor, number",
)
PROPOSITION_BANKS = Report(
    name="proposition-banks",
    projection=Propositions,
    select="""
        gaming_day
        company
        registration
        bettor = b.bettor
        table = table_id
        rounds: count
        paid: amount
        collected: amount
        fees: amount
        net: amount = collected - paid - fees
        hands = '/v1/rounds?player_dealer=' || b.bettor || '&table=' || table_id
    """,
    source="{schema}.proposition_banks b JOIN {schema}.proposition_players p ON p.bettor = b.bettor"
    " AND gaming_day >= first_day AND (last_day IS NULL OR gaming_day <= last_day)",
    filters={**BY_TABLE, **DAYS, "bettor": "b.bettor = %(bettor)s"},
    order="gaming_day, company, b.bettor, table_id",
)
REGULATION: tuple[Report, ...] = (
    *(ADOPTIONS, POSTINGS, DESIGNATIONS, CHOICES, JACKPOTS, DECKS, DECKS_SEEN),
    *(MISDEALS, HANDS_HELD, EXCEPTIONS, FEE_TIERS),
    *(PROPOSITION_PLAYERS, PROPOSITION_BANKS),
)

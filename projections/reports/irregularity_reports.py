"""Reports on irregularities: disputes, payments that differ, contradictions of hidden cards, entries that were taken
back, cards that come too often, shortfalls, voids, waivers.

Each row leads to the hands behind it: by a round, a list of rounds, or the address of a search."""

from __future__ import annotations

from typing import LiteralString, get_args

from domain.disputes.disputes import ErrorKind, Status
from projections.engine.projection import Projection
from projections.models.card_counts import CardCounts
from projections.models.contradictions import Contradictions
from projections.models.disputes import Disputes
from projections.models.hands import Hands
from projections.models.payments import Payments
from projections.models.take_backs import TakeBacks
from projections.reports.report import (
    ALWAYS,
    BY_BETTOR,
    BY_DAY,
    BY_DEALER,
    BY_ROUND,
    BY_TABLE,
    Report,
)

KINDS: tuple[str, ...] = get_args(ErrorKind)
STATUSES: tuple[str, ...] = (*get_args(Status), "overdue")
CARD_DEGREES = 51  # fifty-two cards, whose total is given
OVERDUE: LiteralString = "(status IN ('open', 'appealed') AND deadline < coalesce(%(as_of)s::timestamptz, now()))"
DEALER: LiteralString = "coalesce(dealer, 'nobody')"
DISPUTE_FILTERS: dict[str, LiteralString] = {
    **BY_TABLE,
    **BY_DAY,
    **BY_DEALER,
    **BY_BETTOR,
    "kind": "kind = %(kind)s",
    "status": f"CASE %(status)s WHEN 'overdue' THEN {OVERDUE} ELSE status = %(status)s END",
    **BY_ROUND,
}


def _disputes_by(name: str, expression: LiteralString) -> Report:
    """Return how many disputes there are, how they ended and what they cost, by a column; `rounds` are the hands behind
    them."""
    return Report(
        name=f"disputes-by-{name}",
        projection=Disputes,
        select=f"""
            {name} = {expression}
            disputes: count = count(*)
            open: count = count(*) FILTER (WHERE status IN ('open', 'appealed'))
            overdue: count = count(*) FILTER (WHERE {OVERDUE})
            upheld: count = count(*) FILTER (WHERE outcome = 'upheld')
            partly_upheld: count = count(*) FILTER (WHERE outcome = 'partly upheld')
            denied: count = count(*) FILTER (WHERE outcome = 'denied')
            claimed: amount = sum(claimed)::bigint
            awarded: amount = sum(awarded)::bigint
            rounds: list = array_agg(DISTINCT round ORDER BY round)
        """,
        source="{schema}.disputes",
        filters=DISPUTE_FILTERS,
        order="2 DESC, 1",
        group=expression,
        windowed="opened_at",
    )


def _payments(name: str, always: dict[str, LiteralString]) -> Report:
    """`difference` is what the bettor was overpaid; `left` is what remains of it after corrections."""
    return Report(
        name=name,
        projection=Payments,
        select=f"""
            round
            table = table_id
            at: at
            dealer = {DEALER}
            reported_by
            seat
            bettor
            hand
            spot
            wager: amount
            due_paid: amount
            due_collected: amount
            paid: amount
            collected: amount
            difference: amount
            corrected: amount = coalesce(corrected, 0)
            left: amount = difference + coalesce(corrected, 0)
            clause
            gaming_day
            shift
        """,
        source="{schema}.payments LEFT JOIN {schema}.payments_put_right USING (round, seat, bettor, hand, spot)",
        filters={**always, **BY_TABLE, **BY_DAY, **BY_DEALER, **BY_BETTOR, **BY_ROUND},
        order="at, round, seat, spot",
        windowed="at",
    )


def _steps(name: str, projection: type[Projection], table: LiteralString, columns: LiteralString) -> Report:
    """Return the steps of rounds in a table, with how many the same round has there."""
    return Report(
        name=name,
        projection=projection,
        select=f"""
            round
            table = table_id
            at: at
            dealer = {DEALER}
            posted_by
            {columns}
            in_round = (SELECT count(*) FROM {{schema}}.{table} each WHERE each.round = {table}.round)
            step
            gaming_day
            shift
        """,
        source=f"{{schema}}.{table}",
        filters={**BY_TABLE, **BY_DAY, **BY_DEALER, **BY_ROUND},
        order="at, round, step",
        windowed="at",
    )


IRREGULAR: tuple[Report, ...] = (
    Report(
        name="disputes",
        projection=Disputes,
        select=f"""
            dispute
            round
            table = table_id
            seat
            bettor
            spot
            kind
            claimed: amount
            status
            overdue = {OVERDUE}
            deadline: at
            opened_at: at
            opened_by
            dealer = {DEALER}
            player_dealer
            outcome
            awarded: amount
            ruled_at: at
            ruled_by
            appealed_at: at
            decided_at: at
            decided_by
            closed_at: at
            closed
            gaming_day
            shift
        """,
        source="{schema}.disputes",
        filters=DISPUTE_FILTERS,
        order="opened_at, dispute",
        windowed="opened_at",
    ),
    _disputes_by("dealer", DEALER),
    _disputes_by("table", "table_id"),
    _disputes_by("kind", "kind"),
    _payments("payments", {}),
    _payments("irregular-payments", {ALWAYS: "difference <> 0"}),
    _steps("hidden-card-contradictions", Contradictions, "contradictions", "code"),
    _steps("take-backs", TakeBacks, "take_backs", "confirmed_by\n entry\n what\n reason"),
    Report(
        name="take-backs-by-dealer",
        projection=TakeBacks,
        select=f"""
            dealer = {DEALER}
            take_backs: count = count(*)
            rounds: count = count(DISTINCT round)
            cards: count = count(*) FILTER (WHERE entry IN ('deal', 'reveal', 'peek'))
            decisions: count = count(*) FILTER (WHERE entry = 'decide')
            confirmed: count = count(confirmed_by)
            last_at: at = max(at)
        """,
        source="{schema}.take_backs",
        filters={**BY_TABLE, **BY_DAY, **BY_DEALER},
        order="2 DESC, 1",
        group=DEALER,
        windowed="at",
    ),
    Report(
        name="card-frequencies",
        projection=CardCounts,
        select="""
            table = d.table_id
            dealing = d.dealing
            deck = nullif(d.deck, '')
            ruleset = d.ruleset
            decks = d.decks
            rounds
            cards = cards::bigint
            expected: decimal = cards / 52
            most
            most_seen
            least_seen
            chi_square: decimal
            degrees = 51
            p_value: p_value = CASE WHEN cards >= 260 THEN chi_square END
            hands = '/v1/rounds?table=' || d.table_id || '&ruleset=' || d.ruleset
        """,
        # By decision 28: the cards of a round come without replacement from 52 x decks, so the variance of a count is
        # the sum over rounds of n (D - n) / (D - 1) / 52. With fewer than five of each card expected, there is no test.
        with_="WITH counts AS (SELECT table_id, dealing, deck, ruleset, decks, card, sum(seen)::bigint AS seen"
        " FROM {schema}.card_counts{of_all}{where} GROUP BY 1, 2, 3, 4, 5, 6), draws AS (SELECT table_id, dealing,"
        " deck, ruleset, decks, sum(rounds)::bigint AS rounds, sum(cards)::numeric AS cards,"
        " sum(squares)::numeric AS squares FROM {schema}.card_draws{of_all}{where} GROUP BY 1, 2, 3, 4, 5) ",
        source="draws d"
        " CROSS JOIN LATERAL (SELECT (array_agg(card ORDER BY seen DESC, card))[1] AS most, max(seen) AS most_seen,"
        " CASE WHEN count(*) < 52 THEN 0 ELSE min(seen) END AS least_seen, sum(seen * seen) AS seen_squares"
        " FROM counts c WHERE (c.table_id, c.dealing, c.deck, c.ruleset, c.decks)"
        " = (d.table_id, d.dealing, d.deck, d.ruleset, d.decks)) seen CROSS JOIN LATERAL (SELECT (seen_squares"
        " - cards * cards / 52) / ((52 * decks * cards - squares) / (52 * decks - 1) / 52) AS chi_square) tested",
        filters={**BY_TABLE, "gaming_day": BY_DAY["gaming_day"]},
        order="d.table_id, d.dealing, d.deck, d.ruleset",
        totals=frozenset(BY_TABLE),
    ),
    Report(
        name="card-counts",
        projection=CardCounts,
        select="""
            table = table_id
            dealing
            deck = nullif(deck, '')
            ruleset
            card
            seen = sum(seen)::bigint
            expected: decimal = sum(sum(seen)) OVER sample / 52
            share: decimal = 52 * sum(seen) / sum(sum(seen)) OVER sample
        """,
        source="{schema}.card_counts{of_all}",
        filters={**BY_TABLE, "gaming_day": BY_DAY["gaming_day"]},
        order="table_id, dealing, deck, ruleset, 8 DESC, card",
        group="table_id, dealing, deck, ruleset, decks, card"
        " WINDOW sample AS (PARTITION BY table_id, dealing, deck, ruleset, decks)",
        totals=frozenset(BY_TABLE),
    ),
    Report(
        name="shortfalls",
        projection=Hands,
        select="""
            player_dealer
            rounds: count = sum(rounds)::bigint
            short_rounds: count = sum(short_rounds)::bigint
            shortfall: amount = sum(shortfall)::bigint
            largest: money = max(largest)
            last_at: at = nullif(max(last_short_at), 'epoch')
            hands = '/v1/rounds?player_dealer=' || player_dealer || '&shortfall=true'
        """,
        source="{schema}.hands_banks",
        filters={**BY_TABLE, **BY_DAY, "bettor": "player_dealer = %(bettor)s"},
        order="4 DESC, 1",
        group="player_dealer",
    ),
    Report(
        name="voids",
        projection=Hands,
        select="""
            dealer
            rounds: count = sum(rounds)::bigint
            voided: count = sum(voided)::bigint
            percent: decimal = 100.0 * sum(voided) / sum(rounds)
            misdeal: count = sum(misdeal)::bigint
            malfunction: count = sum(malfunction)::bigint
            irregularity: count = sum(irregularity)::bigint
            last_at: at = nullif(max(last_void_at), 'epoch')
            hands = '/v1/rounds?dealer=' || dealer || '&voided=true'
        """,
        source="{schema}.hands_dealers",
        filters={ALWAYS: "rounds > 0", **BY_TABLE, **BY_DAY, **BY_DEALER},
        order="4 DESC, 1",
        group="dealer",
    ),
    Report(
        name="waivers",
        projection=Hands,
        select="""
            dealer
            rounds: count = sum(fee_rounds)::bigint
            fees: amount = sum(fees)::bigint
            waivers: count = sum(waivers)::bigint
            waived: amount = sum(waived)::bigint
            not_dropped: amount = sum(not_dropped)::bigint
            refunded: amount = sum(refunded)::bigint
            last_at: at = nullif(max(last_waived_at), 'epoch')
            hands = '/v1/rounds?dealer=' || dealer || '&waived=true'
        """,
        source="{schema}.hands_dealers",
        filters={ALWAYS: "fee_rounds > 0", **BY_TABLE, **BY_DAY, **BY_DEALER},
        order="5 DESC, 1",
        group="dealer",
    ),
)

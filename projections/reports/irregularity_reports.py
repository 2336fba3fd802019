"""Reports on what should not be: disputes, payments that differ, contradictions of hidden cards, cards that come too
often, shortfalls, voids, waivers.

Each row leads to the hands behind it: by a round, a list of rounds, or the address of a search.
"""

from __future__ import annotations

from typing import LiteralString, get_args

from domain.disputes.disputes import ErrorKind, Status
from projections.models.card_counts import CardCounts
from projections.models.contradictions import Contradictions
from projections.models.disputes import Disputes
from projections.models.hands import Hands
from projections.models.payments import Payments
from projections.reports.report import (
    ALWAYS,
    BY_BETTOR,
    BY_DAY,
    BY_DEALER,
    BY_ROUND,
    BY_TABLE,
    TABLE,
    ColumnKind,
    Report,
    amount,
    at,
    count,
    decimal,
    list_,
    money,
    plain,
    sum_of,
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


def _count_where(condition: LiteralString) -> LiteralString:
    return f"count(*) FILTER (WHERE {condition})"


def _disputes_by(name: str, expression: LiteralString) -> Report:
    """How many, how they ended and what they cost, for each value of a column; `rounds` are the hands behind it."""
    return Report(
        name=f"disputes-by-{name}",
        projection=Disputes,
        select={
            **plain(**{name: expression}),
            **count(
                disputes="count(*)",
                open=_count_where("status IN ('open', 'appealed')"),
                overdue=_count_where(OVERDUE),
                upheld=_count_where("outcome = 'upheld'"),
                partly_upheld=_count_where("outcome = 'partly upheld'"),
                denied=_count_where("outcome = 'denied'"),
            ),
            **amount(**sum_of("claimed", "awarded")),
            **list_(rounds="array_agg(DISTINCT round ORDER BY round)"),
        },
        source="{schema}.disputes",
        filters=DISPUTE_FILTERS,
        order="2 DESC, 1",
        group=expression,
        windowed="opened_at",
    )


def _payments(name: str, always: dict[str, LiteralString]) -> Report:
    """`difference` is what the bettor got too much; with what was corrected since, what is still `left` of it."""
    return Report(
        name=name,
        projection=Payments,
        select={
            **plain("round"),
            **TABLE,
            **at("at"),
            **plain(dealer=DEALER),
            **plain("reported_by", "seat", "bettor", "hand", "spot"),
            **amount("wager", "due_paid", "due_collected", "paid", "collected", "difference"),
            **amount(corrected="coalesce(corrected, 0)", left="difference + coalesce(corrected, 0)"),
            **plain("clause", "gaming_day", "shift"),
        },
        source="{schema}.payments LEFT JOIN {schema}.payments_put_right USING (round, seat, bettor, hand, spot)",
        filters={**always, **BY_TABLE, **BY_DAY, **BY_DEALER, **BY_BETTOR, **BY_ROUND},
        order="at, round, seat, spot",
        windowed="at",
    )


IRREGULAR: tuple[Report, ...] = (
    Report(
        name="disputes",
        projection=Disputes,
        select={
            **plain("dispute", "round"),
            **TABLE,
            **plain("seat", "bettor", "spot", "kind"),
            **amount("claimed"),
            **plain("status", overdue=OVERDUE),
            **at("deadline", "opened_at"),
            **plain("opened_by", dealer=DEALER),
            **plain("player_dealer", "outcome"),
            **amount("awarded"),
            **at("ruled_at"),
            **plain("ruled_by"),
            **at("appealed_at", "decided_at"),
            **plain("decided_by"),
            **at("closed_at"),
            **plain("closed", "gaming_day", "shift"),
        },
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
    Report(
        name="hidden-card-contradictions",
        projection=Contradictions,
        select={
            **plain("round"),
            **TABLE,
            **at("at"),
            **plain(dealer=DEALER),
            **plain(
                "posted_by",
                "code",
                in_round="(SELECT count(*) FROM {schema}.contradictions each WHERE each.round = contradictions.round)",
            ),
            **plain("step", "gaming_day", "shift"),
        },
        source="{schema}.contradictions",
        filters={**BY_TABLE, **BY_DAY, **BY_DEALER, **BY_ROUND},
        order="at, round, step",
        windowed="at",
    ),
    Report(
        name="card-frequencies",
        projection=CardCounts,
        select={
            **plain(table="d.table_id", dealing="d.dealing", deck="nullif(d.deck, '')", ruleset="d.ruleset"),
            **plain(decks="d.decks", rounds="rounds", cards="cards::bigint"),
            **decimal(expected="cards / 52"),
            **plain("most", "most_seen", "least_seen"),
            **decimal("chi_square"),
            **plain(degrees="51"),
            **ColumnKind("p_value")(p_value="CASE WHEN cards >= 260 THEN chi_square END"),
            **plain(hands="'/v1/rounds?table=' || d.table_id || '&ruleset=' || d.ruleset"),
        },
        # Under decision 28: cards of a round come without replacement out of 52 x decks, so the variance of a count
        # is the sum over rounds of n (D - n) / (D - 1) / 52. Fewer than five of each card expected: no test.
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
        select={
            **TABLE,
            **plain("dealing", deck="nullif(deck, '')"),
            **plain("ruleset", "card", seen="sum(seen)::bigint"),
            **decimal(expected="sum(sum(seen)) OVER sample / 52", share="52 * sum(seen) / sum(sum(seen)) OVER sample"),
        },
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
        select={
            **plain("player_dealer"),
            **count(**sum_of("rounds", "short_rounds")),
            **amount(**sum_of("shortfall")),
            **money(largest="max(largest)"),
            **at(last_at="nullif(max(last_short_at), 'epoch')"),
            **plain(hands="'/v1/rounds?player_dealer=' || player_dealer || '&shortfall=true'"),
        },
        source="{schema}.hands_banks",
        filters={**BY_TABLE, **BY_DAY, "bettor": "player_dealer = %(bettor)s"},
        order="4 DESC, 1",
        group="player_dealer",
    ),
    Report(
        name="voids",
        projection=Hands,
        select={
            **plain("dealer"),
            **count(**sum_of("rounds", "voided")),
            **decimal(percent="100.0 * sum(voided) / sum(rounds)"),
            **count(**sum_of("misdeal", "malfunction", "irregularity")),
            **at(last_at="nullif(max(last_void_at), 'epoch')"),
            **plain(hands="'/v1/rounds?dealer=' || dealer || '&voided=true'"),
        },
        source="{schema}.hands_dealers",
        filters={ALWAYS: "rounds > 0", **BY_TABLE, **BY_DAY, **BY_DEALER},
        order="4 DESC, 1",
        group="dealer",
    ),
    Report(
        name="waivers",
        projection=Hands,
        select={
            **plain("dealer"),
            **count(rounds="sum(fee_rounds)::bigint"),
            **amount(**sum_of("fees")),
            **count(**sum_of("waivers")),
            **amount(**sum_of("waived", "not_dropped", "refunded")),
            **at(last_at="nullif(max(last_waived_at), 'epoch')"),
            **plain(hands="'/v1/rounds?dealer=' || dealer || '&waived=true'"),
        },
        source="{schema}.hands_dealers",
        filters={ALWAYS: "fee_rounds > 0", **BY_TABLE, **BY_DAY, **BY_DEALER},
        order="5 DESC, 1",
        group="dealer",
    ),
)

"""Reports on what should not be: disputes, payments that differ, contradictions of hidden cards, cards that come too
often, shortfalls, voids, waivers.

Each row leads to the hands behind it: by a round, a list of rounds, or the address of a search.
"""

from __future__ import annotations

from typing import LiteralString, get_args

from domain.disputes import ErrorKind, Status
from projections.catalogue import ALL
from projections.report import ALWAYS, BY_DAY, BY_DEALER, BY_TABLE, Report

KINDS: tuple[str, ...] = get_args(ErrorKind)
STATUSES: tuple[str, ...] = (*get_args(Status), "overdue")
CARD_DEGREES = 51  # fifty-two cards, whose number together is given
OVERDUE: LiteralString = "(status IN ('open', 'appealed') AND deadline < coalesce(%(as_of)s::timestamptz, now()))"
DISPUTES: dict[str, LiteralString] = {
    **BY_TABLE,
    **BY_DAY,
    **BY_DEALER,
    "bettor": "bettor = %(bettor)s",
    "kind": "kind = %(kind)s",
    "status": f"CASE %(status)s WHEN 'overdue' THEN {OVERDUE} ELSE status = %(status)s END",
    "round": "round = %(round)s",
}


def _disputes_by(name: str, column: str, said: LiteralString) -> Report:
    """How many, how they ended and what they cost, for each of something; `rounds` are the hands behind it."""
    return Report(
        f"disputes-by-{name}",
        ALL["disputes"],
        {
            column: "",
            "disputes": "",
            "open": "",
            "overdue": "",
            "upheld": "",
            "partly_upheld": "",
            "denied": "",
            "claimed": "money",
            "awarded": "money",
            "rounds": "list",
        },
        f"SELECT {said}, count(*), count(*) FILTER (WHERE status IN ('open', 'appealed')),"
        f" count(*) FILTER (WHERE {OVERDUE}), count(*) FILTER (WHERE outcome = 'upheld'),"
        " count(*) FILTER (WHERE outcome = 'partly upheld'), count(*) FILTER (WHERE outcome = 'denied'),"
        " sum(claimed)::bigint, sum(awarded)::bigint, array_agg(DISTINCT round ORDER BY round)"
        " FROM {schema}.disputes",
        DISPUTES,
        "2 DESC, 1",
        group=said,
        windowed="opened_at",
        sums=("disputes", "open", "overdue", "upheld", "partly_upheld", "denied", "claimed", "awarded"),
    )


def _payments(name: str, always: dict[str, LiteralString]) -> Report:
    """`difference` is what the bettor got too much; with what was corrected since, what is still `left` of it."""
    return Report(
        name,
        ALL["payments"],
        {
            "round": "",
            "table": "",
            "at": "at",
            "dealer": "",
            "reported_by": "",
            "seat": "",
            "bettor": "",
            "hand": "",
            "spot": "",
            "wager": "money",
            "due_paid": "money",
            "due_collected": "money",
            "paid": "money",
            "collected": "money",
            "difference": "money",
            "corrected": "money",
            "left": "money",
            "clause": "",
            "gaming_day": "",
            "shift": "",
        },
        "SELECT round, table_id, at, coalesce(dealer, 'nobody'), reported_by, seat, bettor, hand, spot, wager,"
        " due_paid, due_collected, paid, collected, difference, coalesce(corrected, 0),"
        " difference + coalesce(corrected, 0), clause, gaming_day, shift FROM {schema}.payments"
        " LEFT JOIN {schema}.payments_put_right USING (round, seat, bettor, hand, spot)",
        {**always, **BY_TABLE, **BY_DAY, **BY_DEALER, "bettor": "bettor = %(bettor)s", "round": "round = %(round)s"},
        "at, round, seat, spot",
        windowed="at",
        sums=("wager", "due_paid", "due_collected", "paid", "collected", "difference", "corrected", "left"),
    )


IRREGULAR: tuple[Report, ...] = (
    Report(
        "disputes",
        ALL["disputes"],
        {
            "dispute": "",
            "round": "",
            "table": "",
            "seat": "",
            "bettor": "",
            "spot": "",
            "kind": "",
            "claimed": "money",
            "status": "",
            "overdue": "",
            "deadline": "at",
            "opened_at": "at",
            "opened_by": "",
            "dealer": "",
            "player_dealer": "",
            "outcome": "",
            "awarded": "money",
            "ruled_at": "at",
            "ruled_by": "",
            "appealed_at": "at",
            "decided_at": "at",
            "decided_by": "",
            "closed_at": "at",
            "closed": "",
            "gaming_day": "",
            "shift": "",
        },
        f"SELECT dispute, round, table_id, seat, bettor, spot, kind, claimed, status, {OVERDUE}, deadline, opened_at,"
        " opened_by, coalesce(dealer, 'nobody'), player_dealer, outcome, awarded, ruled_at, ruled_by, appealed_at,"
        " decided_at, decided_by, closed_at, closed, gaming_day, shift FROM {schema}.disputes",
        DISPUTES,
        "opened_at, dispute",
        windowed="opened_at",
        sums=("claimed", "awarded"),
    ),
    _disputes_by("dealer", "dealer", "coalesce(dealer, 'nobody')"),
    _disputes_by("table", "table", "table_id"),
    _disputes_by("kind", "kind", "kind"),
    _payments("payments", {}),
    _payments("irregular-payments", {ALWAYS: "difference <> 0"}),
    Report(
        "hidden-card-contradictions",
        ALL["contradictions"],
        {
            "round": "",
            "table": "",
            "at": "at",
            "dealer": "",
            "posted_by": "",
            "code": "",
            "in_round": "",
            "step": "",
            "gaming_day": "",
            "shift": "",
        },
        "SELECT round, table_id, at, coalesce(dealer, 'nobody'), posted_by, code, (SELECT count(*)"
        " FROM {schema}.contradictions each WHERE each.round = contradictions.round), step, gaming_day, shift"
        " FROM {schema}.contradictions",
        {**BY_TABLE, **BY_DAY, **BY_DEALER, "round": "round = %(round)s"},
        "at, round, step",
        windowed="at",
    ),
    Report(
        "card-frequencies",
        ALL["cards"],
        {
            "table": "",
            "dealing": "",
            "deck": "",
            "ruleset": "",
            "decks": "",
            "rounds": "",
            "cards": "",
            "expected": "decimal",
            "most": "",
            "most_seen": "",
            "least_seen": "",
            "chi_square": "decimal",
            "degrees": "",
            "p_value": "p_value",
            "hands": "",
        },
        # Under decision 49: cards of a round come without replacement out of 52 x decks, so the variance of a count
        # is the sum over rounds of n (D - n) / (D - 1) / 52. Fewer than five of each card expected: no test.
        "WITH counts AS (SELECT table_id, dealing, deck, ruleset, decks, card, sum(seen)::bigint AS seen"
        " FROM {schema}.card_counts{of_all}{where} GROUP BY 1, 2, 3, 4, 5, 6), draws AS (SELECT table_id, dealing,"
        " deck, ruleset, decks, sum(rounds)::bigint AS rounds, sum(cards)::numeric AS cards,"
        " sum(squares)::numeric AS squares FROM {schema}.card_draws{of_all}{where} GROUP BY 1, 2, 3, 4, 5)"
        " SELECT d.table_id, d.dealing, nullif(d.deck, ''), d.ruleset, d.decks, rounds, cards::bigint, cards / 52,"
        " most, most_seen, least_seen, chi_square, 51, CASE WHEN cards >= 260 THEN chi_square END,"
        " '/v1/rounds?table=' || d.table_id || '&ruleset=' || d.ruleset FROM draws d"
        " CROSS JOIN LATERAL (SELECT (array_agg(card ORDER BY seen DESC, card))[1] AS most, max(seen) AS most_seen,"
        " CASE WHEN count(*) < 52 THEN 0 ELSE min(seen) END AS least_seen, sum(seen * seen) AS seen_squares"
        " FROM counts c WHERE (c.table_id, c.dealing, c.deck, c.ruleset, c.decks)"
        " = (d.table_id, d.dealing, d.deck, d.ruleset, d.decks)) seen CROSS JOIN LATERAL (SELECT (seen_squares"
        " - cards * cards / 52) / ((52 * decks * cards - squares) / (52 * decks - 1) / 52) AS chi_square) tested",
        {**BY_TABLE, "gaming_day": BY_DAY["gaming_day"]},
        "d.table_id, d.dealing, d.deck, d.ruleset",
        totals=frozenset(BY_TABLE),
    ),
    Report(
        "card-counts",
        ALL["cards"],
        {
            "table": "",
            "dealing": "",
            "deck": "",
            "ruleset": "",
            "card": "",
            "seen": "",
            "expected": "decimal",
            "share": "decimal",
        },
        "SELECT table_id, dealing, nullif(deck, ''), ruleset, card, sum(seen)::bigint, sum(sum(seen)) OVER sample / 52,"
        " 52 * sum(seen) / sum(sum(seen)) OVER sample FROM {schema}.card_counts{of_all}",
        {**BY_TABLE, "gaming_day": BY_DAY["gaming_day"]},
        "table_id, dealing, deck, ruleset, 8 DESC, card",
        group="table_id, dealing, deck, ruleset, decks, card"
        " WINDOW sample AS (PARTITION BY table_id, dealing, deck, ruleset, decks)",
        totals=frozenset(BY_TABLE),
    ),
    Report(
        "shortfalls",
        ALL["hands"],
        {
            "player_dealer": "",
            "rounds": "",
            "short_rounds": "",
            "shortfall": "money",
            "largest": "money",
            "last_at": "at",
            "hands": "",
        },
        "SELECT player_dealer, sum(rounds)::bigint, sum(short_rounds)::bigint, sum(shortfall)::bigint,"
        " max(largest), nullif(max(last_short_at), 'epoch'),"
        " '/v1/rounds?player_dealer=' || player_dealer || '&shortfall=true' FROM {schema}.hands_banks",
        {**BY_TABLE, **BY_DAY, "bettor": "player_dealer = %(bettor)s"},
        "4 DESC, 1",
        group="player_dealer",
        sums=("rounds", "short_rounds", "shortfall"),
    ),
    Report(
        "voids",
        ALL["hands"],
        {
            "dealer": "",
            "rounds": "",
            "voided": "",
            "percent": "decimal",
            "misdeal": "",
            "malfunction": "",
            "irregularity": "",
            "last_at": "at",
            "hands": "",
        },
        "SELECT dealer, sum(rounds)::bigint, sum(voided)::bigint, 100.0 * sum(voided) / sum(rounds),"
        " sum(misdeal)::bigint, sum(malfunction)::bigint, sum(irregularity)::bigint,"
        " nullif(max(last_void_at), 'epoch'), '/v1/rounds?dealer=' || dealer || '&voided=true'"
        " FROM {schema}.hands_dealers",
        {ALWAYS: "rounds > 0", **BY_TABLE, **BY_DAY, **BY_DEALER},
        "4 DESC, 1",
        group="dealer",
        sums=("rounds", "voided", "misdeal", "malfunction", "irregularity"),
    ),
    Report(
        "waivers",
        ALL["hands"],
        {
            "dealer": "",
            "rounds": "",
            "fees": "money",
            "waivers": "",
            "waived": "money",
            "not_dropped": "money",
            "refunded": "money",
            "last_at": "at",
            "hands": "",
        },
        "SELECT dealer, sum(fee_rounds)::bigint, sum(fees)::bigint, sum(waivers)::bigint, sum(waived)::bigint,"
        " sum(not_dropped)::bigint, sum(refunded)::bigint, nullif(max(last_waived_at), 'epoch'),"
        " '/v1/rounds?dealer=' || dealer || '&waived=true' FROM {schema}.hands_dealers",
        {ALWAYS: "fee_rounds > 0", **BY_TABLE, **BY_DAY, **BY_DEALER},
        "5 DESC, 1",
        group="dealer",
        sums=("rounds", "fees", "waivers", "waived", "not_dropped", "refunded"),
    ),
)

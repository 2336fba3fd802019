"""The seven rule sets hold the figures of their documents, and a file that is wrong is refused with its line."""

import datetime
import re
import tomllib
from pathlib import Path

import pytest

from domain.errors import UnknownRuleset
from domain.games.p215 import rules as p215
from domain.games.tcp import rules as tcp
from domain.games.uth import rules as uth
from domain.rules import clause_points
from domain.rules.line_numbers import Lines
from domain.rules.ruleset import CustomerLimit, Odds, RuleSet
from domain.rules.rulesets import RuleSetError, ids, load, parse

ALL = (
    "p215-casino-club",
    "tcp-casino-club",
    "uth-bgc",
    "uth-casino-club",
    "uth-club",
    "uth-house",
    "uth-sd",
)
UTH = tuple(id for id in ALL if id.startswith("uth"))
PLAYER_BANKED = ("p215-casino-club", "tcp-casino-club", "uth-bgc", "uth-casino-club", "uth-club")
PREFIXES = {
    "uth-club": "club",
    "uth-house": "house",
    "uth-bgc": "bgc",
    "uth-casino-club": "cc",
    "uth-sd": "sd",
    "tcp-casino-club": "tcp",
    "p215-casino-club": "p215",
}


def text_of(ruleset_id: str, root: Path) -> str:
    return (root / "domain" / "rules" / "rulesets" / "v2" / f"{ruleset_id}.toml").read_text(encoding="utf-8")


# --- what there is ---------------------------------------------------------------------------------------------


def test_there_are_seven():
    assert ids() == ALL


def test_an_unknown_one_is_refused_and_the_known_ones_are_named():
    with pytest.raises(UnknownRuleset, match="uth-bgc, uth-casino-club"):
        load("uth-mars")


@pytest.mark.parametrize("strange", ["../rulesets/uth-bgc", "uth-bgc.toml", "", "UTH-BGC"])
def test_an_id_is_never_a_path(strange: str):
    with pytest.raises(UnknownRuleset):
        load(strange)


def test_a_rule_set_is_loaded_once():
    assert load("uth-bgc") is load("uth-bgc")


@pytest.mark.parametrize("ruleset_id", ALL)
def test_each_is_named_and_dated(ruleset_id: str):
    rules = load(ruleset_id)
    assert rules.id == ruleset_id
    assert rules.title
    assert rules.source
    assert rules.in_force.since == datetime.date(2026, 11, 18)
    assert rules.in_force.until is None
    before = load(ruleset_id, 1)
    assert before.in_force.since == datetime.date(2015, 1, 1)
    assert before.in_force.until == datetime.date(2026, 11, 17)


@pytest.mark.parametrize("ruleset_id", ALL)
def test_each_names_its_document_with_its_hash(ruleset_id: str):
    assert re.fullmatch(r"[0-9a-f]{64}", load(ruleset_id).source_hash or "")
    assert load(ruleset_id, 1).source_hash is None


# --- figures, written down here a second time from the reading of the documents --------------------------------

TABLE_FACTS = {
    # family, bank, seats, rotation, decks, usual decks, alternating, kinds
    "uth-club": ("uth", "player-dealer", 7, "strict", (1, 1), 1, True, ("backline",)),
    "uth-house": ("uth", "house", 7, None, (1, 1), 1, False, ()),
    "uth-bgc": ("uth", "player-dealer", 8, "strict", (1, 1), 1, True, ("backline",)),
    "uth-casino-club": ("uth", "player-dealer", 7, "offered", (1, 1), 1, True, ("backline",)),
    "uth-sd": ("uth", "house", 7, None, (1, 1), 1, False, ("toke",)),
    "tcp-casino-club": ("tcp", "player-dealer", 7, "offered", (1, 1), 1, True, ("backline",)),
    "p215-casino-club": ("p215", "player-dealer", 8, "offered", (1, 8), 6, False, ("backline",)),
}


@pytest.mark.parametrize("ruleset_id", ALL)
def test_facts_of_the_table(ruleset_id: str):
    rules = load(ruleset_id)
    assert TABLE_FACTS[ruleset_id] == (
        rules.family,
        rules.bank,
        rules.seats,
        rules.rotation,
        rules.decks,
        rules.usual_decks,
        rules.alternating_decks,
        rules.kinds,
    )
    assert rules.player_banked == (ruleset_id in PLAYER_BANKED)


SPOTS = {
    # spot: (limits in cents, printed)
    "uth-club": {"ante": ((500, 50000), False), "blind": (None, False), "trips": ((100, 5000), False)},
    "uth-house": {"ante": ((500, 50000), False), "blind": (None, False), "trips": ((100, 5000), False)},
    "uth-bgc": {"ante": ((500, 50000), False), "blind": (None, False), "trips": ((100, 5000), False)},
    "uth-casino-club": {"ante": ((500, 50000), True), "blind": (None, False), "trips": ((0, 5000), True)},
    "uth-sd": {
        "ante": ((500, 10000), False),
        "blind": (None, False),
        "trips": ((500, 10000), False),
        "progressive": (None, False),
    },
    "tcp-casino-club": {
        "ante": ((500, 50000), True),
        "pair_plus": ((0, 5000), True),
        "six_card": ((0, 2500), True),
    },
    "p215-casino-club": {
        "game": (None, False),
        "buster": ((100, 5000), True),
        "red_flex": ((100, 5000), True),
    },
}


@pytest.mark.parametrize("ruleset_id", ALL)
def test_spots_and_their_limits(ruleset_id: str):
    spots = load(ruleset_id).spots
    assert {name: (spot.limits, spot.printed) for name, spot in spots.items()} == SPOTS[ruleset_id]
    assert all(name == spot.name for name, spot in spots.items())


ONE_EACH = "seats1 dealer1 seats1 dealer1"
CALIFORNIA_SHUFFLER = "seats2 dealer2 board5"
CALIFORNIA_SHOE = ONE_EACH + " board5"
DEALINGS = {
    "uth-club": {"shoe": CALIFORNIA_SHOE},
    "uth-house": {"shuffler": "board5 seats2 dealer2"},
    "uth-bgc": {"shuffler": CALIFORNIA_SHUFFLER, "shoe": CALIFORNIA_SHOE},
    "uth-casino-club": {"shuffler": CALIFORNIA_SHUFFLER, "shoe": CALIFORNIA_SHOE},
    "uth-sd": {
        "shuffler": "board5 seats2 dealer2",
        "hand": ONE_EACH + " burn1@1 board3@1 burn1@2 board2@2",
    },
    "tcp-casino-club": {"shuffler": "seats3 dealer3"},
    "p215-casino-club": {"shoe": ONE_EACH},
}


@pytest.mark.parametrize("ruleset_id", ALL)
def test_dealing(ruleset_id: str):
    rules = load(ruleset_id)
    written = {
        mode: " ".join(f"{p.to}{p.count}" + (f"@{p.street}" if p.street else "") for p in dealing.packets)
        for mode, dealing in rules.dealings.items()
    }
    assert written == DEALINGS[ruleset_id]
    assert rules.usual_dealing == next(iter(DEALINGS[ruleset_id]))
    first = "player-dealer-left" if ruleset_id == "p215-casino-club" else "house-dealer-left"
    assert {dealing.first_seat for dealing in rules.dealings.values()} == {first}


SETTLEMENT = {
    # seats, won, lost, tied
    "uth-club": (
        "player-dealer-left",
        "ante play blind trips",
        "play ante blind trips",
        "ante play blind trips",
    ),
    "uth-bgc": (
        "player-dealer-left",
        "ante play blind trips",
        "play ante blind trips",
        "ante play blind trips",
    ),
    "uth-casino-club": ("player-dealer-left", *["ante play blind trips"] * 3),
    "uth-house": ("highest-first", *["play ante blind trips"] * 3),
    "uth-sd": ("lowest-first", *["play ante blind trips progressive envy"] * 3),
    "tcp-casino-club": ("action-button", *["play ante pair_plus six_card"] * 3),
    "p215-casino-club": ("action-button", *["insurance game double red_flex buster"] * 3),
}


@pytest.mark.parametrize("ruleset_id", ALL)
def test_order_of_settlement(ruleset_id: str):
    order = load(ruleset_id).settlement
    written = (order.seats, " ".join(order.won), " ".join(order.lost), " ".join(order.tied))
    assert written == SETTLEMENT[ruleset_id]


FIVE_CARD_HANDS = (
    "royal flush",
    "straight flush",
    "four of a kind",
    "full house",
    "flush",
    "straight",
    "three of a kind",
)
BLIND = "500:1 50:1 10:1 3:1 3:2 1:1"
TRIPS = {
    "UTH-01": "50:1 40:1 30:1 9:1 7:1 4:1 3:1",
    "UTH-02": "50:1 40:1 30:1 8:1 6:1 5:1 3:1",
    "UTH-03": "50:1 40:1 30:1 8:1 7:1 4:1 3:1",
    "UTH-04": "50:1 40:1 20:1 7:1 6:1 5:1 3:1",
}
TRIPS_OFFERED = {
    "uth-club": (("UTH-03",), "UTH-03"),
    "uth-casino-club": (("UTH-04",), "UTH-04"),
    "uth-bgc": (tuple(TRIPS), None),
    "uth-sd": (tuple(TRIPS), None),
    "uth-house": (tuple(TRIPS), "UTH-01"),
}


def written_pays(rules: RuleSet, table: str) -> tuple[tuple[str, ...], str]:
    pays = rules.paytables[table].pays
    return tuple(pays), " ".join(str(odds) for odds in pays.values())


@pytest.mark.parametrize("ruleset_id", UTH)
def test_blind_pays_the_same_everywhere(ruleset_id: str):
    rules = load(ruleset_id)
    assert set(rules.tables_for("blind")) == {"BLIND"}
    assert written_pays(rules, "BLIND") == (FIVE_CARD_HANDS[:6], BLIND)


@pytest.mark.parametrize("ruleset_id", UTH)
def test_trips_tables(ruleset_id: str):
    rules = load(ruleset_id)
    offered, usual = TRIPS_OFFERED[ruleset_id]
    assert tuple(rules.tables_for("trips")) == offered
    assert rules.usual_trips == usual
    for table in offered:
        assert written_pays(rules, table) == (FIVE_CARD_HANDS, TRIPS[table])


def test_three_card_poker_pay_tables():
    rules = load("tcp-casino-club")
    assert {table.id: table.spot for table in rules.paytables.values()} == {
        "PAIR-PLUS": "pair_plus",
        "TCB-6B4": "six_card",
    }
    three_card_hands = ("mini royal", "straight flush", "three of a kind", "straight", "flush", "pair")
    assert written_pays(rules, "PAIR-PLUS") == (three_card_hands, "200:1 40:1 30:1 6:1 3:1 1:1")
    assert written_pays(rules, "TCB-6B4") == (FIVE_CARD_HANDS, "1000:1 200:1 100:1 20:1 15:1 10:1 7:1")
    assert rules.usual_trips is None


def test_pure_21_5_pay_tables():
    rules = load("p215-casino-club")
    assert {table.id: table.spot for table in rules.paytables.values()} == {
        "BUSTER-5": "buster",
        "RFB-02": "red_flex",
    }
    assert written_pays(rules, "BUSTER-5") == (tuple("876543"), "250:1 100:1 25:1 6:1 3:1 1:1")
    assert written_pays(rules, "RFB-02") == (tuple("765432"), "200:1 100:1 50:1 10:1 5:1 1:1")
    assert rules.usual_trips is None


def test_odds_are_a_ratio():
    assert load("uth-bgc").paytables["BLIND"].pays["flush"] == Odds(3, 2)


P215_TIERS = {
    1: "100 0.50; 200 1; 300 2; 400 3; above 5",
    2: "50 0.50; 100 1; 200 2; 400 3; above 5",
    3: "50 1; 100 2; 200 3; 300 4; above 5",
    4: "100 1; 250 2; 300 4; 600 5; above 8",
    5: "100 1; 250 3; 300 5; 600 8; above 10",
}
P215_SCHEDULES = {
    **{option: ((5, 500), tiers) for option, tiers in P215_TIERS.items()},
    **{option + 5: ((5, 1000), tiers) for option, tiers in P215_TIERS.items()},
    11: ((25, 2000), P215_TIERS[3]),
    12: ((25, 2000), "100 1; 250 2; 300 4; 800 5; above 8"),
}
TCP_SCHEDULES = {
    1: ((5, 500), "50 0.50; 100 1; 300 2; 500 4; above 5"),
    2: ((5, 500), "50 0.50; 100 1; 300 3; 700 5; above 10"),
    3: ((5, 500), "100 1; 300 2; 600 5; 1000 8; above 10"),
    4: ((5, 500), "100 1; 300 3; 600 6; 1000 10; above 12"),
    5: ((5, 500), "100 1; 300 3; 600 8; 1000 12; above 15"),
}
SCHEDULES = {
    "uth-casino-club": {1: ((5, 500), "100 1; 300 2; 600 5; 1000 8; above 10")},
    "tcp-casino-club": TCP_SCHEDULES,
    "p215-casino-club": P215_SCHEDULES,
}


def whole(cents: int) -> str:
    return str(cents // 100) if cents % 100 == 0 else f"{cents / 100:.2f}"


@pytest.mark.parametrize("ruleset_id", ALL)
def test_schedules(ruleset_id: str):
    schedules = load(ruleset_id).schedules
    written = {
        option: (
            (schedule.limits[0] // 100, schedule.limits[1] // 100),
            "; ".join(
                f"{'above' if tier.up_to is None else whole(tier.up_to)} {whole(tier.fee)}" for tier in schedule.tiers
            ),
        )
        for option, schedule in schedules.items()
    }
    assert written == SCHEDULES.get(ruleset_id, {})
    assert all(schedule.option == option for option, schedule in schedules.items())


@pytest.mark.parametrize("ruleset_id", ALL)
def test_who_may_supply_a_schedule(ruleset_id: str):
    assert load(ruleset_id).supplied_schedule == (ruleset_id in ("uth-club", "uth-bgc"))


def test_a_tier_reaches_up_to_and_including_its_bound():
    schedule = load("uth-casino-club").schedules[1]
    assert [schedule.tier_of(cents) for cents in (10000, 10001, 30000, 30001, 100000, 100001)] == [
        1,
        2,
        2,
        3,
        4,
        5,
    ]


PMG_TIMES = "four of a kind 300 for 1; full house 50 for 1; flush 40 for 1; straight 30 for 1; three of a kind 9 for 1"
PROGRESSIVES = {
    "UTHP-01": (
        100,
        "seven",
        "royal flush on the board 3000 for 1; royal flush in the first five 100%; royal flush 5%; "
        "straight flush 250 for 1; four of a kind 100 for 1; full house 10 for 1",
    ),
    "UTHP-02": (
        100,
        "seven",
        "royal flush on the board 1000 for 1; royal flush 100%; "
        "straight flush 250 for 1; four of a kind 75 for 1; full house 10 for 1",
    ),
    "PMG-01": (
        100,
        "first five",
        "royal flush 100% envy 100000; straight flush 10% envy 30000; " + PMG_TIMES,
    ),
    "PMG-02": (
        500,
        "first five",
        "royal flush 100% envy 500000; straight flush 10% envy 150000; " + PMG_TIMES,
    ),
}


def test_progressive_tables():
    tables = load("uth-sd").progressives
    written = {
        id: (
            table.wager,
            table.reads,
            "; ".join(
                f"{award.hand} {award}" + (f" envy {award.envy}" if award.envy else "") for award in table.awards
            ),
        )
        for id, table in tables.items()
    }
    assert written == PROGRESSIVES


@pytest.mark.parametrize("ruleset_id", ALL)
def test_sums_over_a_table_or_a_customer(ruleset_id: str):
    rules = load(ruleset_id)
    assert rules.table_aggregate == (3_000_000 if ruleset_id == "uth-house" else None)
    limit = CustomerLimit(most=100_000, play_in_advance=4, posted=True)
    assert rules.customer_limit == (limit if ruleset_id == "uth-sd" else None)
    assert bool(rules.progressives) == (ruleset_id == "uth-sd")


# --- clauses ---------------------------------------------------------------------------------------------------

FEATURES = {
    "uth-house": clause_points.AGGREGATE,
    "uth-sd": (
        *clause_points.CUSTOMER_LIMIT,
        *clause_points.TOKE,
        "trips_alone",
        *clause_points.PROGRESSIVE,
    ),
}
FAMILIES = {
    "uth": (*uth.POINTS, "folded_hands"),
    "tcp": tcp.POINTS,
    "p215": p215.POINTS,
}


@pytest.mark.parametrize("ruleset_id", ALL)
def test_every_question_of_the_engine_has_one_answer(ruleset_id: str):
    rules = load(ruleset_id)
    bank = clause_points.PLAYER_DEALER if ruleset_id in PLAYER_BANKED else clause_points.HOUSE
    folded = ("folded_hands",) if ruleset_id in UTH else ()
    wanted = {*clause_points.COMMON, *bank, *FAMILIES[rules.family], *FEATURES.get(ruleset_id, ()), *folded}
    assert set(rules.points) == wanted
    for point in wanted:
        assert point in rules.clauses[rules.clause(point)].points
    assert sum(len(clause.points) for clause in rules.clauses.values()) == len(wanted)


@pytest.mark.parametrize("ruleset_id", ALL)
def test_clauses_name_their_document_and_decisions_their_reason(ruleset_id: str):
    for id, clause in load(ruleset_id).clauses.items():
        assert id == clause.id
        assert id.startswith(PREFIXES[ruleset_id] + "/")
        assert ("/decision/" in id) == (clause.decided is not None)
        assert clause.says.endswith(".")


@pytest.mark.parametrize("ruleset_id", ALL)
def test_no_two_clauses_give_a_test_the_same_name(ruleset_id: str):
    names = [re.sub(r"[^a-z0-9]", "_", id.lower()) for id in load(ruleset_id).clauses]
    assert len(names) == len(set(names))


DECISIONS = {
    "uth-club": "seats one-deck shoe-only best-five high-card alternating-decks default-limits order-of-wagers fee "
    "total-action backline follow",
    "uth-bgc": "seats dealing best-five pay-table-named one-pay-table default-limits fee total-action backline follow",
    "uth-casino-club": "order-of-wagers rotation total-action follow",
    "uth-house": "seats trips-table aggregate-shares aggregate-measure default-limits",
    "uth-sd": "seats no-burn seat-order customer-limit posted-limits equal-blind trips-alone toke toke-play "
    "no-more-bets progressive-wager progressive-needs progressive-loses to-1 first-five "
    "several-winners meter-share folded-progressive trips-alone-live default-limits",
    "tcp-casino-club": "seats twos button-ten button-count button-card rotation total-action follow unseen-fold "
    "settlement table-limit both-bonuses five-card-hands proposition-players most-tiers",
    "p215-casino-club": "overlapping-tiers button-ten button-count button-always insurance-first double-any-total "
    "split-aces rotation surrender-after-peek completing pure-at-once follow seats player-fee no-more-bets shoe "
    "even-money hand-by-hand soft-18 two-card-hard-17 soft-17-for-buster red-run",
}
DECIDED_EVERYWHERE = "chip rounding wager-by-wager void in-force withdraw liability"
DECIDED_FOR_PLAYER_DEALERS = "coverage one-pass backline-wagers fee-bounds"
DECIDED_FOR_HOLD_EM = "acting-order folded-hands board-pair"


@pytest.mark.parametrize("ruleset_id", ALL)
def test_what_was_decided_and_not_found_is_a_clause_of_its_own(ruleset_id: str):
    wanted = f"{DECISIONS[ruleset_id]} {DECIDED_EVERYWHERE}"
    if ruleset_id in PLAYER_BANKED:
        wanted += f" {DECIDED_FOR_PLAYER_DEALERS}"
    if ruleset_id in UTH:
        wanted += f" {DECIDED_FOR_HOLD_EM}"
    clauses = load(ruleset_id).clauses
    missing = [name for name in wanted.split() if f"{PREFIXES[ruleset_id]}/decision/{name}" not in clauses]
    assert missing == []


@pytest.mark.parametrize("option", [4, 5, 9, 10, 12])
def test_overlapping_tiers_are_marked_as_decided(option: int):
    rules = load("p215-casino-club")
    assert rules.clauses[rules.schedules[option].clause].decided


# --- the hash --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ruleset_id", ALL)
def test_hash_is_that_of_the_content(ruleset_id: str, project_root: Path):
    text = text_of(ruleset_id, project_root)
    loaded = load(ruleset_id)
    assert re.fullmatch(r"[0-9a-f]{64}", loaded.content_hash)
    assert parse(text, f"{ruleset_id}.toml") == loaded


def test_hash_does_not_depend_on_how_lines_end(project_root: Path):
    text = text_of("uth-bgc", project_root)
    assert parse(text.replace("\n", "\r\n"), "uth-bgc.toml") == load("uth-bgc")


def test_hash_changes_with_a_figure_and_with_a_word(project_root: Path):
    text = text_of("uth-bgc", project_root)
    hashes = {
        parse(changed, "uth-bgc.toml").content_hash
        for changed in (text, text.replace('"9:1"', '"8:1"'), text.replace("clockwise.", "clockwise now.", 1))
    }
    assert len(hashes) == 3


def test_all_hashes_differ():
    assert len({load(id).content_hash for id in ALL}) == len(ALL)


# --- a wrong file is refused with its line ---------------------------------------------------------------------

CC = "uth-casino-club"
TIER_3 = '    { up_to = "600.00", fee = "5.00" },'
LAST_TIER = '    { up_to = "no limit", fee = "10.00" },'


def refused(text: str, name: str) -> RuleSetError:
    with pytest.raises(RuleSetError) as caught:
        parse(text, name)
    error = caught.value
    assert error.file == name
    assert str(error) == f"{name}:{error.line}: {error.message}"
    return error


# rule set, what to replace (its first occurrence), by what, the line that is to be named (or how it begins, before
# an ellipsis), part of the message
BROKEN = {
    "unknown key at the top": (CC, "[in_force]", 'colour = "red"\n\n[in_force]', 'colour = "red"', "colour"),
    "unknown section": (CC, "[seats]", "[chairs]\ncount = 7\n\n[seats]", "[chairs]", "chairs"),
    "unknown key in a section": (CC, "count = 7", "count = 7\nchairs = 7", "chairs = 7", "chairs"),
    "unknown key in an array of tables": (CC, "option = 1", "option = 1\nrake = 2", "rake = 2", "rake"),
    "unknown key in an inline table": (
        CC,
        TIER_3,
        '    { up_to = "600.00", fee = "5.00", rake = "1.00" },',
        '    { up_to = "600.00", fee = "5.00", rake = "1.00" },',
        "rake",
    ),
    "missing key": (CC, 'mode = "shoe"\n', "", "[[dealing]]", "mode"),
    "missing section": (CC, "[bank]", "[bench]", "[bench]", "bench"),
    "wrong type": (CC, "count = 7", 'count = "7"', 'count = "7"', "whole number"),
    "unknown word": (
        CC,
        'afterwards = "offered"',
        'afterwards = "never"',
        'afterwards = "never"',
        "never",
    ),
    "not TOML": (CC, "count = 7", "count = = 7", "count = = 7", "Invalid value"),
    "a key twice": (
        CC,
        'straight = "1:1"',
        'straight = "1:1"\nflush = "1:1"',
        'flush = "1:1"',
        "Cannot overwrite",
    ),
    "another rule set's name": (CC, f'id = "{CC}"', 'id = "uth-bgc"', 'id = "uth-bgc"', "uth-bgc"),
    "no title": (
        CC,
        'title = "Ultimate Texas Hold\'em, Casino Club"',
        'title = ""',
        'title = ""',
        "`title` must be some text",
    ),
    "dates reversed": (
        CC,
        "since = 2026-11-18",
        "since = 2026-11-18\nuntil = 2026-11-17",
        "until = 2026-11-17",
        "before",
    ),
    "a spot without a clause": (CC, '\nclause = "cc/dealing/3"', "", "[[spot]]", "clause"),
    "a section without a clause": (CC, '\nclause = "cc/table/seats"', "", "[seats]", "clause"),
    "a pay table without a clause": (CC, '\nclause = "cc/trips/pay-table"', "", "[[paytable]]", "clause"),
    "a schedule without a clause": (
        CC,
        '\nclause = "cc/collection/schedule-1"',
        "",
        "[[schedule]]",
        "clause",
    ),
    "an unknown clause": (
        CC,
        'clause = "cc/trips/pay-table"',
        'clause = "cc/trips/99"',
        'clause = "cc/trips/99"',
        "no clause 'cc/trips/99'",
    ),
    "an unknown clause for the seats": (
        CC,
        'seats_clause = "cc/dealing/18"',
        'seats_clause = "cc/99"',
        'seats_clause = "cc/99"',
        "cc/99",
    ),
    "a clause that is about something else": (
        CC,
        'clause = "cc/table/seats"',
        'clause = "cc/dealing/2"',
        'clause = "cc/dealing/2"',
        "does not answer 'seats'",
    ),
    "a clause id twice": (
        CC,
        'id = "cc/deck/2"',
        'id = "cc/deck/1"',
        'id = "cc/deck/1"',
        "'cc/deck/1' occurs twice",
    ),
    "a clause id of another form": (
        CC,
        'id = "cc/dealing/2"',
        'id = "dealing 2"',
        'id = "dealing 2"',
        "a clause id like",
    ),
    "a clause without text": (
        CC,
        'id = "cc/deck/2"\nsays = "',
        'id = "cc/deck/2"\nsays = " " # "',
        'says = " " # …',
        "some text",
    ),
    "a decision without a reason": (
        CC,
        'decided = "The printed tiers do not say where the cents between two whole dollars belong."\n',
        "",
        'id = "cc/decision/fee-bounds"',
        "without a reason",
    ),
    "an empty reason": (
        CC,
        'decided = "The printed tiers do not say where the cents between two whole dollars belong."',
        'decided = ""',
        'decided = ""',
        "some text",
    ),
    "an unknown point": (
        CC,
        'points = ["rounding"]',
        'points = ["roundness"]',
        'points = ["roundness"]',
        "roundness",
    ),
    "a point of another family": (
        CC,
        'points = ["rounding"]',
        'points = ["rounding", "peek"]',
        'points = ["rounding", "peek"]',
        "'peek'",
    ),
    "a point answered twice": (
        CC,
        'points = ["rounding"]',
        'points = ["rounding", "fold"]',
        'points = ["rounding", "fold"]',
        "already answered by 'cc/dealing/14a'",
    ),
    "a point not answered": (
        CC,
        'points = ["play.win", "ante.win"]',
        'points = ["play.win"]',
        "[[clause]]",
        "'ante.win'",
    ),
    "decks that contradict each other": (CC, "usual = 1", "usual = 2", "usual = 2", "decks"),
    "a lonely seat": (CC, "count = 7", "count = 1", "count = 1", "seats"),
    "no rotation": (CC, "[rotation]", "[bank.rotation]", "[bank.rotation]", "rotation"),
    "a spot of another game": (CC, 'name = "trips"', 'name = "buster"', 'name = "buster"', "buster"),
    "a spot twice": (CC, 'name = "trips"', 'name = "ante"', 'name = "ante"', "spot 'ante' occurs twice"),
    "limits as numbers": (
        CC,
        'limits = ["5.00", "500.00"]',
        "limits = [5, 500]",
        "limits = [5, 500]",
        "must be text in quotes",
    ),
    "limits that are no money": (
        CC,
        'limits = ["5.00", "500.00"]',
        'limits = ["5", "500.00"]',
        'limits = ["5", "500.00"]',
        '`spot[0].limits[0]` must be an amount like "12.50"',
    ),
    "limits reversed": (
        CC,
        'limits = ["5.00", "500.00"]',
        'limits = ["500.00", "5.00"]',
        'limits = ["500.00", "5.00"]',
        "above the maximum",
    ),
    "printed limits that are not there": (
        CC,
        'limits = ["0.00", "50.00"]\n',
        "",
        "printed = true",
        "not given",
    ),
    "a pay table with a gap": (
        CC,
        '"full house" = "7:1"\n',
        "",
        'flush = "6:1"',
        "'flush' is where 'full house' belongs",
    ),
    "a pay table without its best hand": (
        CC,
        '"royal flush" = "50:1"\n',
        "",
        '"straight flush" = "40:1"',
        "gap",
    ),
    "a pay table out of order": (
        CC,
        'flush = "3:2"\nstraight = "1:1"',
        'straight = "1:1"\nflush = "3:2"',
        'straight = "1:1"',
        "gap",
    ),
    "a hand of another family": (
        CC,
        '"royal flush" = "500:1"',
        '"mini royal" = "500:1"',
        '"mini royal" = "500:1"',
        "mini royal",
    ),
    "odds that are no ratio": (CC, 'flush = "3:2"', 'flush = "3-2"', 'flush = "3-2"', "not odds"),
    "odds to nothing": (CC, 'flush = "3:2"', 'flush = "3:0"', 'flush = "3:0"', "not odds"),
    "odds as a number": (CC, 'flush = "3:2"', "flush = 1.5", "flush = 1.5", "not odds"),
    "a pay table for another spot": (
        CC,
        'spot = "blind"',
        'spot = "six_card"',
        'spot = "six_card"',
        "six_card",
    ),
    "two tables where there is no choice": (
        CC,
        'spot = "trips"',
        'spot = "blind"',
        'spot = "blind"',
        "two pay tables",
    ),
    "a pay table twice": (
        "uth-bgc",
        'id = "UTH-02"',
        'id = "UTH-01"',
        'id = "UTH-01"',
        "paytable 'UTH-01' occurs twice",
    ),
    "two usual trips tables": (
        "uth-house",
        'id = "UTH-03"\n',
        'id = "UTH-03"\nusual = true # too\n',
        "usual = true # too",
        "usual trips",
    ),
    "a sixth tier": (
        CC,
        LAST_TIER,
        '    { up_to = "2000.00", fee = "9.00" },\n' + LAST_TIER,
        LAST_TIER,
        "at most 5 tiers",
    ),
    "a percentage fee": (
        CC,
        TIER_3,
        '    { up_to = "600.00", fee = "2%" },',
        '    { up_to = "600.00", fee = "2%" },',
        "never a percentage",
    ),
    "a fee as a float": (
        CC,
        TIER_3,
        '    { up_to = "600.00", fee = 5.0 },',
        '    { up_to = "600.00", fee = 5.0 },',
        "must be text in quotes; it is a number with decimals",
    ),
    "a bound as a number": (
        CC,
        TIER_3,
        '    { up_to = 600, fee = "5.00" },',
        '    { up_to = 600, fee = "5.00" },',
        "must be text in quotes; it is a whole number",
    ),
    "bounds that do not rise": (
        CC,
        TIER_3,
        '    { up_to = "300.00", fee = "5.00" },',
        '    { up_to = "300.00", fee = "5.00" },',
        "do not rise",
    ),
    "a last bound that ends": (
        CC,
        LAST_TIER,
        '    { up_to = "2000.00", fee = "10.00" },',
        '    { up_to = "2000.00", fee = "10.00" },',
        "no limit",
    ),
    "an endless tier in the middle": (
        CC,
        TIER_3,
        '    { up_to = "no limit", fee = "5.00" },',
        '    { up_to = "no limit", fee = "5.00" },',
        "only the last",
    ),
    "no tier at all": (
        CC,
        "[[schedule]]\n",
        '[[schedule]]\noption = 2\nlimits = ["5.00", "500.00"]\ntiers = []\n'
        'clause = "cc/collection/schedule-1"\n\n[[schedule]]\n',
        "tiers = []",
        "`schedule[0].tiers` must be a list in square brackets with a length of at least 1",
    ),
    "an option twice": (
        "tcp-casino-club",
        "option = 2",
        "option = 1 # again",
        "option = 1 # again",
        "schedule 1 occurs twice",
    ),
    "an order that leaves a spot out": (
        "uth-bgc",
        'lost = ["play", "ante", "blind", "trips"]',
        'lost = ["play", "ante", "blind"]',
        'lost = ["play", "ante", "blind"]',
        "leaves out 'trips'",
    ),
    "an order with a spot twice": (
        "uth-bgc",
        'tied = ["ante", "play", "blind", "trips"]',
        'tied = ["ante", "play", "blind", "trips", "play"]',
        'tied = ["ante", "play", "blind", "trips", "play"]',
        "'play' occurs twice",
    ),
    "an order with another game's spot": (
        "uth-bgc",
        'won = ["ante", "play", "blind", "trips"]',
        'won = ["ante", "play", "blind", "trips", "game"]',
        'won = ["ante", "play", "blind", "trips", "game"]',
        "'game'",
    ),
    "too few hole cards": (
        CC,
        '    { to = "seats", count = 2 },',
        '    { to = "seats", count = 1 },',
        '    { to = "seats", count = 1 },',
        "1 card goes to 'seats', not 2",
    ),
    "too many board cards": (
        CC,
        '    { to = "board", count = 5 },',
        '    { to = "board", count = 6 },',
        '    { to = "board", count = 6 },',
        "6 cards go to 'board', not 5",
    ),
    "two hole cards in three card poker": (
        "tcp-casino-club",
        '    { to = "dealer", count = 3 },',
        '    { to = "dealer", count = 2 },',
        '    { to = "dealer", count = 2 },',
        "not 3",
    ),
    "an empty packet": (
        CC,
        '    { to = "board", count = 5 },',
        '    { to = "board", count = 5 },\n    { to = "burn", count = 0 },',
        '    { to = "burn", count = 0 },',
        "at least 1",
    ),
    "streets out of order": (
        "uth-sd",
        '    { to = "board", count = 2, street = 2 },',
        '    { to = "board", count = 2, street = 0 },',
        '    { to = "board", count = 2, street = 0 },',
        "later street",
    ),
    "no usual dealing": ("uth-club", "usual = true\n", "", "[[dealing]]", "usual"),
    "two usual dealings": (
        CC,
        'mode = "shoe"\n',
        'mode = "shoe"\nusual = true # too\n',
        "usual = true # too",
        "two are marked",
    ),
    "a dealing twice": (
        CC,
        'mode = "shoe"',
        'mode = "shuffler" #',
        'mode = "shuffler" #',
        "dealing 'shuffler' occurs twice",
    ),
    "a house bank that rotates": (
        "uth-house",
        "[decks]",
        '[rotation]\nrounds = 2\nafterwards = "strict"\nclause = "house/decision/deck"\n\n[decks]',
        "[rotation]",
        "does not rotate",
    ),
    "backline at a house bank": (
        "uth-house",
        "kinds = []",
        'kinds = ["backline"]',
        'kinds = ["backline"]',
        "house",
    ),
    "a fee at a house bank": (
        "uth-house",
        "[table_aggregate]",
        '[collection]\nmost_tiers = 5\nsupplied_schedule = true\nclause = "house/decision/deck"\n\n[table_aggregate]',
        "[collection]",
        "no fee",
    ),
    "an aggregate as a number": (
        "uth-house",
        'most = "30000.00"',
        "most = 30000",
        "most = 30000",
        "must be text in quotes",
    ),
    "an aggregate that is no money": (
        "uth-house",
        'most = "30000.00"',
        'most = "30,000"',
        'most = "30,000"',
        "an amount like",
    ),
    "an award both ways": (
        "uth-sd",
        '    { hand = "royal flush", percent = 5 },',
        '    { hand = "royal flush", percent = 5, times = 2 },',
        '    { hand = "royal flush", percent = 5, times = 2 },',
        "either",
    ),
    "an award over the whole meter": (
        "uth-sd",
        '    { hand = "royal flush", percent = 5 },',
        '    { hand = "royal flush", percent = 500 },',
        '    { hand = "royal flush", percent = 500 },',
        "at most 100",
    ),
    "a progressive with a gap": (
        "uth-sd",
        '    { hand = "four of a kind", times = 100 },\n',
        "",
        '    { hand = "full house", times = 10 },',
        "gap",
    ),
    "a progressive out of order": (
        "uth-sd",
        '    { hand = "full house", times = 10 },',
        '    { hand = "royal flush", times = 10 },',
        '    { hand = "royal flush", times = 10 },',
        "lesser hand",
    ),
    "a progressive hand that does not exist": (
        "uth-sd",
        '    { hand = "full house", times = 10 },',
        '    { hand = "full boat", times = 10 },',
        '    { hand = "full boat", times = 10 },',
        "full boat",
    ),
    "card numbers with a gap": (
        "p215-casino-club",
        '5 = "6:1"\n',
        "",
        '4 = "3:1"',
        "'4' is where '5' belongs",
    ),
    "a number of cards in words": ("p215-casino-club", '5 = "6:1"', 'five = "6:1"', 'five = "6:1"', "five"),
    "a date without a reason": (CC, '\nclause = "cc/decision/in-force"', "", "[in_force]", "no document has a date"),
    "a document without its hash": (CC, 'source_hash = "', 'source_hash = "" # "', 'source_hash = "" # …', "SHA-256"),
    "an answer that is not checked": (
        CC,
        'points = ["rounding"]',
        'points = ["rounding"]\nchecked = false',
        "checked = false",
        "the engine rests on it",
    ),
    "a contradiction to nothing": (
        CC,
        'points = ["rounding"]',
        'points = ["rounding"]\ncontradicts = ["cc/99"]',
        'contradicts = ["cc/99"]',
        "no other clause 'cc/99'",
    ),
    "a figure on a clause that is not checked": (
        CC,
        '[[paytable]]\nid = "BLIND"\nspot = "blind"\nclause = "',
        '[[clause]]\nid = "cc/new"\nsays = "New."\nchecked = false\n\n'
        '[[paytable]]\nid = "BLIND"\nspot = "blind"\nclause = "cc/new" # "',
        'clause = "cc/new" # …',
        "marked as not checked",
    ),
    "tips that nobody may give": ("uth-sd", 'kinds = ["toke"]', "kinds = []", "kinds = []", "[toke] goes with tips"),
    "a section of another game": (
        CC,
        "[qualify]",
        '[split]\nmost_hands = 4\nclause = "cc/deck/1"\n\n[qualify]',
        "[split]",
        "[split] is not part of this game",
    ),
    "a game without its section": (
        "p215-casino-club",
        'family = "p215"',
        'family = "uth"',
        'family = "uth"',
        "needs [qualify]",
    ),
    "a street too many": (
        CC,
        '[[odds]]\non = "ante"',
        '[[street]] # too\nturns = 0\nmultiples = [9]\notherwise = "fold"\nclause = "cc/deck/1"\n\n'
        '[[odds]]\non = "ante"',
        "[[street]] # too",
        "3 streets, not 4",
    ),
    "a multiple twice": (CC, "multiples = [2]", "multiples = [2, 2]", "multiples = [2, 2]", "occurs twice"),
    "poker with two decks": (CC, "most = 1\n", "most = 2\n", "most = 2", "played with one"),
    "more seats than cards": (CC, "count = 7\n", "count = 17\n", "count = 17", "at most 16"),
    "a street that never comes": (
        "uth-sd",
        '    { to = "board", count = 2, street = 2 },',
        '    { to = "board", count = 2, street = 3 },',
        '    { to = "board", count = 2, street = 3 },',
        "no street 3",
    ),
    "a hand dealt after the flop": (
        "uth-sd",
        '    { to = "dealer", count = 1 },\n    { to = "burn", count = 1, street = 1 },',
        '    { to = "dealer", count = 1, street = 1 },\n    { to = "burn", count = 1, street = 1 },',
        '    { to = "dealer", count = 1, street = 1 },',
        "before anybody decides",
    ),
    "a share of more than all": (
        "p215-casino-club",
        '[surrender]\nshare = "1:2"',
        '[surrender]\nshare = "3:2"',
        'share = "3:2"',
        "more than the whole",
    ),
    "a dealer who never stands": (
        "p215-casino-club",
        "hits_hard = 16",
        "hits_hard = 21",
        "hits_hard = 21",
        "it is complete",
    ),
    "tips where nobody wagers them": (
        "tcp-casino-club",
        'kinds = ["backline"]\nclause = "tcp/before/2"\n',
        'kinds = ["backline", "toke"]\nclause = "tcp/before/2"\n\n[toke]\nminimum_on = []\nclause = "tcp/before/2"\n',
        'kinds = ["backline", "toke"]',
        "no tips are wagered",
    ),
    "a street without a multiple": (CC, "multiples = [2]", "multiples = []", "multiples = []", "length of at least 1"),
    "nobody ever folds": (
        CC,
        'otherwise = "fold"',
        'otherwise = "check" # at last',
        'otherwise = "check" # at last',
        "last street",
    ),
    "a street on which no card is turned over": (
        CC,
        "turns = 3",
        "turns = 0 # none",
        "turns = 0 # none",
        "every street",
    ),
    "a board that is not turned over": (CC, "turns = 2", "turns = 1", "turns = 1", "4 board cards"),
    "a progressive with a small flop": ("uth-sd", "turns = 3", "turns = 2 # two", "turns = 2 # two", "at least three"),
    "odds on a wager with a pay table": (CC, 'on = "play"', 'on = "blind"', 'on = "blind"', "no odds of its own"),
    "odds twice": ("p215-casino-club", 'on = "pure"', 'on = "game" # too', 'on = "game" # too', "twice"),
    "odds in words": (CC, 'pays = "1:1"', 'pays = "even"', 'pays = "even"', 'odds like "3:2"'),
    "a chip worth nothing": (CC, 'usual = "1.00"', 'usual = "0.00"', 'usual = "0.00"', "worth more than 0.00"),
    "nothing to be owed": (CC, "base = 5", "base = 0", "base = 0", "`liability.base` must be a"),
    "a bank for no round": (CC, "rounds = 2", "rounds = 0", "rounds = 0", "`rotation.rounds` must be a"),
    "no tier allowed": (CC, "most_tiers = 5", "most_tiers = 0", "most_tiers = 0", "`collection.most_tiers` must be"),
    "less than no play wager": (
        "uth-sd",
        "play_in_advance = 4",
        "play_in_advance = -1",
        "play_in_advance = -1",
        "at least 0",
    ),
    "an unknown hand that qualifies": (
        CC,
        'at_least = "pair"',
        'at_least = "deuce"',
        'at_least = "deuce"',
        "not a hand",
    ),
    "a button that does not move": ("tcp-casino-club", "T = 10", "T = 0", "values = …", "one or more"),
    "a share in words": ("p215-casino-club", 'share = "1:2"', 'share = "half"', 'share = "half"', "not a share"),
    "a total to hit and to stand on": (
        "p215-casino-club",
        "must_stand = 19",
        "must_stand = 11",
        "must_stand = 11",
        "required both to hit and to stand",
    ),
    "no hand at all": (
        "p215-casino-club",
        "most_hands = 4",
        "most_hands = 0",
        "most_hands = 0",
        "`split.most_hands` must be a whole number of at least 1",
    ),
    "a tip on the play wager": (
        "uth-sd",
        "minimum_on = []",
        'minimum_on = ["play"]',
        'minimum_on = ["play"]',
        "no tip is wagered on 'play'",
    ),
    "a house bank with an action button": (
        "tcp-casino-club",
        'held_by = "player-dealer"',
        'held_by = "house"',
        'held_by = "house"',
        "action button",
    ),
    "a deal next to nobody": (
        "uth-house",
        'first_seat = "house-dealer-left"',
        'first_seat = "player-dealer-left"',
        'first_seat = "player-dealer-left"',
        "no player-dealer",
    ),
    "a settlement next to nobody": (
        "uth-house",
        'seats = "highest-first"',
        'seats = "player-dealer-left"',
        'seats = "player-dealer-left"',
        "no player-dealer",
    ),
    "a settlement from a button that there is not": (
        CC,
        'seats = "player-dealer-left"',
        'seats = "action-button"',
        'seats = "action-button"',
        "no action button",
    ),
    "an order by what became of the hand": (
        "tcp-casino-club",
        'order = ["play"',
        'won = ["play"',
        "[settlement]",
        "one order",
    ),
    "one order and another": (
        CC,
        'order = ["ante", "play", "blind", "trips"]',
        'order = ["ante", "play", "blind", "trips"]\nwon = ["play", "ante", "blind", "trips"]',
        'order = ["ante", "play", "blind", "trips"]',
        "none can have another",
    ),
    "an order for a hand that does not qualify": (
        "tcp-casino-club",
        'order = ["play"',
        'unqualified = ["play"]\norder = ["play"',
        "[settlement]",
        "whether or not the dealer hand qualifies",
    ),
    "an unqualified order without its clause": (
        CC,
        "order = [",
        'unqualified = ["ante"]\norder = [',
        "[settlement]",
        "needs",
    ),
    "a wager that is settled first and not at all": (
        "uth-house",
        'unqualified_first = ["ante"]',
        'unqualified_first = ["envy"]',
        'unqualified_first = ["envy"]',
        "settled at all",
    ),
    "packets of other sizes": (
        "p215-casino-club",
        '    { to = "seats", count = 1 },\n    { to = "dealer", count = 1 },\n    { to = "seats", count = 1 },\n',
        '    { to = "seats", count = 2 },\n    { to = "dealer", count = 1 },\n',
        '    { to = "seats", count = 2 },',
        "1 at a time",
    ),
    "a flop before it is dealt": (
        "uth-sd",
        '    { to = "board", count = 3, street = 1 },',
        '    { to = "board", count = 3, street = 2 },',
        "packets = [",
        "3 board cards are turned over by street 2, but 0 are dealt",
    ),
    "a schedule outside the printed limits": (
        CC,
        'option = 1\nlimits = ["5.00", "500.00"]',
        'option = 1\nlimits = ["600.00", "700.00"]',
        'limits = ["600.00", "700.00"]',
        "no wager is inside",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_wrong_file_is_refused_with_its_line(case: str, project_root: Path):
    ruleset_id, old, new, wrong_line, message = BROKEN[case]
    text = text_of(ruleset_id, project_root)
    assert old in text
    broken = text.replace(old, new, 1)
    error = refused(broken, f"{ruleset_id}.toml")
    assert message in error.message
    lines = enumerate(broken.splitlines(), start=1)
    if wrong_line.endswith("…"):
        alike = [number for number, line in lines if line.startswith(wrong_line[:-1])]
    else:
        alike = [number for number, line in lines if line == wrong_line]
    changed = text[: text.index(old)].count("\n") + 1
    if "no clause answers" in error.message:
        assert error.line == alike[0]  # nothing in the file is wrong, so the clauses as a whole are
    else:
        assert error.line == min(alike, key=lambda number: abs(number - changed))


def test_the_line_is_the_very_one_and_not_one_like_it(project_root: Path):
    """Three schedules of this file have the same third tier: the complaint is about the one that was changed."""
    lines = text_of("p215-casino-club", project_root).splitlines()
    like = [number for number, line in enumerate(lines) if line == '    { up_to = "300.00", fee = "4.00" },']
    assert len(like) > 3
    for number in like:
        broken = [*lines[:number], '    { up_to = "300.00", fee = "4%" },', *lines[number + 1 :]]
        assert refused("\n".join(broken), "p215-casino-club.toml").line == number + 1


def test_without_any_one_of_its_lines_a_file_is_still_loaded_or_refused(project_root: Path):
    """Never another exception, and never a line outside the file."""
    lines = text_of("uth-house", project_root).splitlines()
    named = set()
    for number in range(len(lines)):
        try:
            parse("\n".join([*lines[:number], *lines[number + 1 :]]), "uth-house.toml")
        except RuleSetError as error:
            named.add(error.line)
    assert len(named) > 100
    assert named <= set(range(1, len(lines) + 1))


def test_a_text_that_ends_too_early_is_refused_on_its_last_line():
    assert refused('id = "x"\ntitle = [', "x.toml").line == 2


def test_an_empty_text_is_refused_on_its_first_line():
    assert refused("", "x.toml").line == 1


# --- line numbers ----------------------------------------------------------------------------------------------

SAMPLE = '''# a comment with [brackets] and = signs
title = "a # in a string, a ] and a \\" too" # [not.a.table]
plain.dotted = 1
"quoted key" = 2

[one]
long = """
[not.a.table]
key = "no key"
"""
literal = \'\'\'
# no comment
\'\'\'
after = 3

[one.two]
list = [ # a comment, with ]
    "a", "b",

    { x = 1, "y z" = [2, 3] },
]
date = 2020-01-01 10:00:00 # and time
last = true

[[many]]
name = 'first'
[many.inner]
deep = 1
[[many.rows]]
n = 1
[[many.rows]]
n = 2

[[many]]
name = 'second'
[many.inner]
"deep" = 2
[[many.rows]]
n = 3

[ odd ] # spaces
"a.b" = {}
'c' = ""
rate = -1.5e3
grid = [
    [1],
    [2,
     [3.5]
    ],
]
quotes = """"two" quotes at the end
and a backslash \\\\"""""
empty = []
'''


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ((), 1),
        (("title",), 2),
        (("plain",), 3),
        (("plain", "dotted"), 3),
        (("quoted key",), 4),
        (("one",), 6),
        (("one", "long"), 7),
        (("one", "literal"), 11),
        (("one", "after"), 14),
        (("one", "two"), 16),
        (("one", "two", "list"), 17),
        (("one", "two", "list", 0), 18),
        (("one", "two", "list", 1), 18),
        (("one", "two", "list", 2), 20),
        (("one", "two", "list", 2, "x"), 20),
        (("one", "two", "list", 2, "y z", 1), 20),
        (("one", "two", "date"), 22),
        (("one", "two", "last"), 23),
        (("many",), 25),
        (("many", 0), 25),
        (("many", 0, "name"), 26),
        (("many", 0, "inner"), 27),
        (("many", 0, "inner", "deep"), 28),
        (("many", 0, "rows", 0, "n"), 30),
        (("many", 0, "rows", 1), 31),
        (("many", 0, "rows", 1, "n"), 32),
        (("many", 1), 34),
        (("many", 1, "inner", "deep"), 37),
        (("many", 1, "rows", 0), 38),
        (("many", 1, "rows", 0, "n"), 39),
        (("odd", "a.b"), 42),
        (("odd", "rate"), 44),
        (("odd", "grid", 1, 0), 47),
        (("odd", "grid", 1, 1, 0), 48),
        (("odd", "quotes"), 51),
        (("odd", "empty"), 53),
    ],
)
def test_every_path_has_its_line(path: tuple[str | int, ...], line: int):
    tomllib.loads(SAMPLE)
    assert Lines(SAMPLE).of(path) == line


def test_what_does_not_stand_there_has_the_line_of_what_is_around_it():
    assert Lines(SAMPLE).of(("many", 1, "inner", "missing", 4)) == 36
    assert Lines(SAMPLE).of(("nowhere",)) == 1


@pytest.mark.parametrize("ruleset_id", ALL)
def test_every_value_of_a_rule_set_is_found_on_its_line(ruleset_id: str, project_root: Path):
    text = text_of(ruleset_id, project_root)
    found, lines = Lines(text), text.splitlines()

    def check(path: tuple[str | int, ...], value: object) -> None:
        if isinstance(value, dict):
            for key, inner in value.items():
                check((*path, key), inner)
        elif isinstance(value, list):
            for place, inner in enumerate(value):
                check((*path, place), inner)
        elif isinstance(value, str):
            assert f'"{value}"' in lines[found.of(path) - 1]

    check((), tomllib.loads(text))

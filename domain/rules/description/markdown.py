"""The page of a rule set, in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from domain.money import dollars
from domain.rules import rulesets
from domain.rules.description.wording import dates, figure_value, in_words, packets_text, rotation_words
from domain.rules.ruleset import Clause, Dealing, PayTable, ProgressiveTable, RuleSet, Schedule, Spot

_FIRST_SEATS = {
    "house-dealer-left": "the house dealer's left",
    "player-dealer-left": "the player-dealer's left",
}
_SEAT_ORDERS = {
    "player-dealer-left": "clockwise from the player-dealer's left",
    "highest-first": "from right to left, the highest seat first",
    "lowest-first": "from left to right, the lowest seat first",
    "action-button": "clockwise from the action button",
}
_BETTORS = {"backline": "backline bettors", "toke": "tips wagered for the dealer"}
_MODES = {"shuffler": "From a shuffler", "shoe": "From a shoe", "hand": "By hand"}


def markdown(rules: RuleSet, tests: Mapping[str, Sequence[str]] | None = None) -> str:
    """Return the whole rule set; with `tests`, by clause id, also the tests of each clause."""
    clauses = rules.clauses.values()
    found = [clause for clause in clauses if clause.decided is None and clause.checked]
    unchecked = [clause for clause in clauses if not clause.checked]
    decided = [clause for clause in clauses if clause.decided is not None]
    parts = [
        f"# {rules.title}",
        _facts(rules),
        "## Betting spots",
        _spots(rules),
        "## Pay tables",
        *_paytables(rules),
        *_collection(rules),
        *_progressives(rules),
        "## Dealing",
        _list(_dealing(rules, dealing) for dealing in rules.dealings.values()),
        "## Order of settlement",
        _settlement(rules),
        "## Other figures",
        "Each by its place in the file of the rule set; `roundledger whatif --set` changes it by that name.",
        _figures(rules),
        "## Clauses",
        "What the source document says, in our own words.",
        _list(_clause(clause, tests) for clause in found),
        *_unchecked(unchecked),
        "## Decisions",
        "What the source document leaves open or says in two ways, how it is read here, and why.",
        _list(_clause(clause, tests) for clause in decided),
    ]
    return "\n\n".join(parts) + "\n"


def _unchecked(clauses: Sequence[Clause]) -> Iterable[str]:
    if clauses:
        yield "## Not checked by the ledger"
        yield "What the source document says as well, and what nothing that the ledger records could show."
        yield _list(_clause(clause, None) for clause in clauses)


_SHOWN_ELSEWHERE = ("in_force", "seats", "bank", "decks", "deck_colours", "bettors", "spot", "dealing", "settlement")
_TABLES = ("paytable", "schedule", "collection", "progressive", "table_aggregate")


def _figures(rules: RuleSet) -> str:
    rows = [
        (f"`{figure.place}`", figure_value(figure.value), "" if figure.clause is None else f"`{figure.clause}`")
        for figure in rulesets.figures(rules)
        if figure.place.partition(".")[0] not in (*_SHOWN_ELSEWHERE, *_TABLES)
    ]
    return _table(("figure", "value", "clause"), rows)


def _facts(rules: RuleSet) -> str:
    fewest, most = rules.decks
    decks = str(most) if fewest == most else f"{fewest} to {most}, usually {rules.usual_decks}"
    if rules.alternating_decks:
        decks += ", of two that alternate from round to round"
    bank = "a player-dealer" if rules.player_banked else "the house"
    if rules.rotation is not None:
        bank += "; " + rotation_words(rules.rotation, rules.rotation_rounds)
    rows = [
        ("id", f"`{rules.id}`"),
        ("game", rules.game.title),
        ("version", str(rules.version)),
        ("source", rules.source),
        *([] if rules.source_hash is None else [("SHA-256 of the source", f"`{rules.source_hash}`")]),
        ("in force", dates(rules) + ("" if rules.in_force.clause is None else f" (`{rules.in_force.clause}`)")),
        ("content hash", f"`{rules.content_hash}`"),
        ("seats", str(rules.seats)),
        ("bank", bank),
        ("decks in play", decks),
        ("who else may bet", ", ".join(_BETTORS[kind] for kind in rules.kinds) or "nobody"),
    ]
    if rules.table_aggregate is not None:
        rows.append(("most that a table wins in a round", dollars(rules.table_aggregate)))
    if rules.customer_limit is not None:
        rows.append(("most that a customer bets in a round", dollars(rules.customer_limit.most)))
    return _table(("", ""), rows)


def _spots(rules: RuleSet) -> str:
    rows = [(in_words([spot.name]), *_limits(rules, spot), f"`{spot.clause}`") for spot in rules.spots.values()]
    return _table(("spot", "limits", "a table may set", "clause"), rows)


def _limits(rules: RuleSet, spot: Spot) -> tuple[str, str]:
    if spot.limits is not None:
        freedom = "its own inside these" if spot.printed else "its own; these are the usual ones"
        return _range(spot.limits), freedom
    if spot.name == "blind":
        return "equal to the ante", "nothing"
    if spot.name == "progressive":
        return "the progressive table's wager", "nothing"
    return "those of the table's schedule", "its own inside these"


def _range(limits: tuple[int, int]) -> str:
    return f"{dollars(limits[0])} to {dollars(limits[1])}"


def _paytables(rules: RuleSet) -> Iterable[str]:
    """Show the pay tables of one spot side by side: a gaming table uses one of them."""
    for spot in dict.fromkeys(table.spot for table in rules.paytables.values()):
        tables = list(rules.tables_for(spot).values())
        yield f"### {in_words([spot]).capitalize()}"
        keys = max((list(table.pays) for table in tables), key=len)
        rows = [(_pay_key(key, best=key == keys[0]), *(_pays(table, key) for table in tables)) for key in keys]
        rows.append(("clause", *(f"`{table.clause}`" for table in tables)))
        yield _table(("hand" if not keys[0].isdigit() else "cards", *(table.id for table in tables)), rows)
        if spot == "trips":
            yield _usual_trips(rules)


def _pays(table: PayTable, key: str) -> str:
    """Return the odds of a line, which a shorter table does not have."""
    return table.pays[key].words if key in table.pays else "–"


def _pay_key(key: str, best: bool) -> str:
    return f"{key} or more" if key.isdigit() and best else key


def _usual_trips(rules: RuleSet) -> str:
    if rules.usual_trips is None:
        return "A table names the one that it uses."
    if len(rules.tables_for("trips")) == 1:
        return f"Every table uses {rules.usual_trips}."
    return f"A table uses {rules.usual_trips} unless it names another."


def _collection(rules: RuleSet) -> Iterable[str]:
    if not rules.player_banked:
        return
    yield "## Collection"
    if not rules.schedules:
        supplied = ", or runs one schedule that the cardroom supplies" if rules.supplied_schedule else ""
        yield f"No schedule is printed. A table takes no fee{supplied} (`{rules.clause('fee')}`)."
        return
    supplied = " A table may run one that the cardroom supplies instead." if rules.supplied_schedule else ""
    yield f"The player-dealer pays a flat fee by total table action (`{rules.clause('fee')}`).{supplied}"
    rows = [_schedule(schedule) for schedule in rules.schedules.values()]
    yield _table(("option", "limits", "fee by total action", "clause"), rows)


def _schedule(schedule: Schedule) -> tuple[str, str, str, str]:
    tiers = "; ".join(
        f"{'above' if tier.up_to is None else f'up to {dollars(tier.up_to)}'}: {dollars(tier.fee)}"
        for tier in schedule.tiers
    )
    return str(schedule.option), _range(schedule.limits), tiers, f"`{schedule.clause}`"


def _progressives(rules: RuleSet) -> Iterable[str]:
    if not rules.progressives:
        return
    yield "## Progressive"
    for table in rules.progressives.values():
        yield f"### {table.id}"
        yield _progressive(table)


def _progressive(table: ProgressiveTable) -> str:
    cards = "the best five of seven cards" if table.reads == "seven" else "the first five cards"
    rows = [
        (
            award.hand,
            f"{award.percent} % of the meter" if award.percent is not None else f"{award.times:,} times the wager",
            "" if award.envy is None else dollars(award.envy),
        )
        for award in table.awards
    ]
    return f"For a wager of {dollars(table.wager)}, read on {cards} (`{table.clause}`).\n\n" + _table(
        ("hand", "pays", "envy"), rows
    )


def _dealing(rules: RuleSet, dealing: Dealing) -> str:
    is_choice = len(rules.dealings) > 1 and dealing.mode == rules.usual_dealing
    return (
        f"{_MODES[dealing.mode]}{' (the usual way)' if is_choice else ''}, "
        f"clockwise from {_FIRST_SEATS[dealing.first_seat]}: {packets_text(dealing)} (`{dealing.clause}`)."
    )


def _settlement(rules: RuleSet) -> str:
    order = rules.settlement
    seats = f"Seats are settled {_SEAT_ORDERS[order.seats]} (`{order.seats_clause}`)."
    cases = {"won": order.won, "lost or folded": order.lost, "tied": order.tied}
    if order.unqualified:
        cases["not folded, where the dealer hand does not qualify,"] = order.unqualified
    if len(set(cases.values())) == 1:
        return f"{seats} The wagers of a seat: {in_words(order.won)} (`{order.clause}`)."
    if order.unqualified_first:
        first = in_words(order.unqualified_first)
        seats += (
            f" Where the dealer hand does not qualify, {first} of every hand not folded come before everything else."
        )
    rows = [(f"{case} hand", in_words(spots)) for case, spots in cases.items()]
    return f"{seats} The wagers of a seat (`{order.clause}`):\n\n{_table(('', 'order'), rows)}"


def _clause(clause: Clause, tests: Mapping[str, Sequence[str]] | None) -> str:
    lines = [f"**{clause.id}** {clause.says}"]
    if clause.decided is not None:
        lines.append(f"*Why:* {clause.decided}")
    if clause.contradicts:
        lines.append("*Contradicts* " + ", ".join(f"`{other}`" for other in clause.contradicts) + ".")
    if clause.points:
        lines.append("Answers " + ", ".join(f"`{point}`" for point in clause.points) + ".")
    if tests is not None:
        held = ", ".join(f"`{test}`" for test in tests.get(clause.id, ()))
        lines.append(f"Tests: {held or 'none yet'}.")
    return "\\\n  ".join(lines)  # a backslash at the end of a line is a line break inside the list item


def _list(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows))

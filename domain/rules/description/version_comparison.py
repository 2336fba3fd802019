"""What two rule sets, or two versions of one, differ in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

from domain.rules import rulesets
from domain.rules.description.wording import figure_value, in_words, packets_text
from domain.rules.rulebook import SHIPPED, RuleBook
from domain.rules.ruleset import Clause, RuleSet

What = Literal["figure", "house edge", "clause"]


class Difference(NamedTuple):
    """A figure, house edge or clause that differs between two versions; None if one of them lacks it."""

    what: What
    name: str
    before: str | None
    after: str | None

    @property
    def concerns(self) -> str:
        """Whose money or play it changes."""
        if self.what == "clause":
            return "whoever reads the rules"
        if self.what == "house edge":
            return f"bettors on {in_words([self.name.partition(' ')[0]])}, and the bank"
        return _CONCERNS.get(self.name.partition(".")[0], "everybody at the table")


# By the section of a figure; a section of one game alone is about its play.
_CONCERNS = {
    **dict.fromkeys(("odds", "paytable", "spot", "chip", "customer_limit", "table_aggregate", "toke"), "bettors"),
    **dict.fromkeys(("bank", "rotation", "collection", "schedule", "liability"), "the bank"),
    **dict.fromkeys(("dealing", "decks", "deck_colours"), "the dealer"),
    "settlement": "the dealer, and bettors if the bank runs out",
    "progressive": "bettors on the progressive",
    "supervisor": "the floor",
    "in_force": "rounds from its first day on",
}


def differences(before: RuleSet, after: RuleSet) -> list[Difference]:
    """Return figures first, then clauses by what they say and why."""
    if before.content_hash == after.content_hash:
        return []
    figures = [dict(_compared(one)) for one in (before, after)]
    clauses = [{clause.id: _in_full(clause) for clause in one.clauses.values()} for one in (before, after)]
    return [*_differ("figure", *figures), *_differ("clause", *clauses)]


def edge_differences(before: RuleSet, after: RuleSet) -> list[Difference]:
    """Return the house edges of side wagers that differ. They are counted anew, which takes a moment."""
    if before.content_hash == after.content_hash:
        return []
    return [*_differ("house edge", *(dict(_edges(one)) for one in (before, after)))]


def _compared(rules: RuleSet) -> Iterable[tuple[str, str]]:
    """Return figures by their places. The packets of a dealing are one: one more would move all that follow."""
    for figure in rulesets.figures(rules):
        dealing, inside, _ = figure.place.partition(".packets.")
        if not inside:
            yield figure.place, figure_value(figure.value)
        elif figure.place.endswith(".packets.1.to"):
            yield f"{dealing}.packets", packets_text(rules.dealings[dealing.removeprefix("dealing.")])


def _edges(rules: RuleSet) -> Iterable[tuple[str, str]]:
    """Return house edges by wager and pay table, with the usual number of decks; progressives without their meter."""
    for edge in rules.game.house_edges(rules):
        if edge.decks in (None, rules.usual_decks):
            decks = "" if edge.decks is None else f" with {edge.decks} deck{'s' * (edge.decks > 1)}"
            yield " ".join(filter(None, (edge.spot, edge.table))), f"{float(edge.edge):.4%}".replace("%", " %") + decks


def since_version_before(rules: RuleSet, book: RuleBook = SHIPPED) -> list[Difference]:
    """Return what a version after the first changed."""
    earlier = [version for version in book.versions(rules.id) if version.version < rules.version]
    return differences(earlier[-1], rules) if earlier else []


def _in_full(clause: Clause) -> str:
    marks = [] if clause.checked else ["Not checked by the ledger."]
    marks += [f"Contradicts {', '.join(clause.contradicts)}."] if clause.contradicts else []
    marks += [] if clause.decided is None else [f"Decided: {clause.decided}"]
    return " ".join([clause.says, *marks])


def _differ(what: What, before: Mapping[str, str], after: Mapping[str, str]) -> Iterable[Difference]:
    for name in dict.fromkeys((*before, *after)):
        if before.get(name) != after.get(name):
            yield Difference(what=what, name=name, before=before.get(name), after=after.get(name))

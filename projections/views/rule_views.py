"""Views of rule sets: those of a book, and one of them whole."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from domain.errors import UnknownRuleset
from domain.rules.description.contents import contents, summary
from domain.rules.rulebook import RuleBook
from domain.rules.ruleset import RuleSet
from projections.views.read_side import NotFound


def existing_rules(book: RuleBook, ruleset: str, version: int | None = None) -> RuleSet:
    try:
        return book.load(ruleset, version)
    except UnknownRuleset as refusal:
        raise NotFound(refusal.detail) from None


@lru_cache
def rules_shown(book: RuleBook) -> list[dict[str, Any]]:
    return [summary(book.load(id_)) for id_ in book.ids()]


@lru_cache
def contents_of(book: RuleBook, ruleset: str, version: int | None) -> dict[str, Any]:
    return contents(existing_rules(book, ruleset, version), book)

"""Decisions by two people: the person who records it, and a second one."""

from __future__ import annotations

from typing import NamedTuple

from domain.errors import BadChoice

LONGEST_TEXT = 500


class TwoPeople(NamedTuple):
    first: str
    second: str


def check_people(people: TwoPeople, what: str) -> None:
    if people.first == people.second:
        raise BadChoice(f"Two different people {what}.")


def check_text(what: str, text: str) -> None:
    if not text.strip() or len(text) > LONGEST_TEXT or not text.isprintable():
        raise BadChoice(f"The {what} is one line of 1 to {LONGEST_TEXT} characters.")

"""Which roles one person may hold together, and which take two admins to grant: the one matrix of the separation of
roles, over everything that somebody holds (decision 76)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from msgspec import Struct

from infra.access.callers import ROLES

GRANTED = tuple(role for role in ROLES if role != "terminal")  # a terminal's part names its table, terminal:t1
PART = re.compile(rf"{'|'.join(GRANTED)}|terminal:[a-z0-9][a-z0-9-]{{0,39}}")

# Whoever has the first never has any of the others, in no session: the separation is of people, not of clicks.
_NO_MONEY = "an admin touches no money"
_BLIND = "whoever counts boxes must not know what they should hold"
_INDEPENDENT = "whoever audits has no part in what is audited"
_BOOKS = "whoever keeps the books handles no chips"
_FILLS = "chips between the cage and a table pass between two people"
_REASONS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("admin", ("terminal", "floor", "cage", "counter", "accounting"), _NO_MONEY),
    ("admin", ("auditor",), "the auditor reviews what admins do"),
    ("counter", ("accounting", "auditor"), _BLIND),
    ("auditor", ("terminal", "floor", "cage", "accounting"), _INDEPENDENT),
    ("accounting", ("terminal", "floor", "cage"), _BOOKS),
    ("cage", ("terminal", "floor"), _FILLS),
)
APART = {frozenset((role, other)): why for role, others, why in _REASONS for other in others}

GRANTING = frozenset({"admin"})  # who grants, and who signs a grant with them

Way = Literal["part", "token", "claim"]


class NotAllowed(Exception):
    """A change of who may do what that cannot be made, and why."""


class Holding(Struct, frozen=True):
    """Something by which somebody has a role: a part on the register, a token, or a claim of an identity provider."""

    part: str
    way: Way
    token_id: str | None = None

    def __str__(self) -> str:
        return self.part if self.way == "part" else f"{self.part} (by a {self.way})"


class Clash(Struct, frozen=True):
    """What somebody holds that does not count, because of what they held before."""

    kept: Holding
    refused: Holding
    why: str


def role_of(part: str) -> str:
    return part.partition(":")[0]


def roles_of(parts: Iterable[str]) -> frozenset[str]:
    return frozenset(map(role_of, parts))


def why_apart(role: str, other: str) -> str | None:
    return APART.get(frozenset((role, other)))


def takes_two(parts: Iterable[str]) -> bool:
    """Whether two admins sign to grant this: everything that moves money or signs, which is all but a terminal."""
    return any(role != "terminal" for role in roles_of(parts))


def clashes(held: Sequence[Holding]) -> list[Clash]:
    """What does not count of all that somebody holds, the earliest first: what was held before counts, and what must be
    separate from it does not, until one of them is taken away."""
    counting: dict[str, Holding] = {}  # the first of each role: a machine may hold thousands of tokens
    found = []
    for one in held:
        clash = next(_against(one, counting.values()), None)
        if clash is None:
            counting.setdefault(role_of(one.part), one)
        else:
            found.append(clash)
    return found


def _against(one: Holding, counting: Iterable[Holding]) -> Iterator[Clash]:
    for kept in counting:
        if (why := why_apart(role_of(kept.part), role_of(one.part))) is not None:
            yield Clash(kept, one, why)


def counting_parts(parts: Sequence[str]) -> tuple[str, ...]:
    """Of a person's parts those that count: all of them, unless they were given before the matrix was as it is."""
    refused = {clash.refused.part for clash in clashes([Holding(part, "part") for part in parts])}
    return tuple(part for part in parts if part not in refused)


def check_parts(parts: Sequence[str], tokens: Sequence[Holding] = ()) -> None:
    """Refuse parts that are none, or that nobody may hold together, or together with their tokens."""
    if not parts:
        raise NotAllowed("Everybody has at least one part.")
    for part in parts:
        check_part(part)
    if len(set(parts)) < len(parts):
        raise NotAllowed("A part is named twice.")
    for clash in clashes([*(Holding(part, "part") for part in parts), *tokens]):
        if clash.kept.way == "part":  # what tokens have among themselves is no matter of these parts
            raise NotAllowed(sentence(clash))


def check_part(part: str) -> None:
    if not PART.fullmatch(part):
        raise NotAllowed(f"A part is {', '.join(GRANTED)}, or terminal with its table, like terminal:t1; not {part}.")


def sentence(clash: Clash) -> str:
    one, other = sorted((role_of(clash.kept.part), role_of(clash.refused.part)), key=_first_named)
    by = "" if clash.refused.way == clash.kept.way == "part" else f" The {clash.refused.way} does not count."
    return f"Nobody has both {one} and {other}: {clash.why}.{by}"


def _first_named(role: str) -> int:
    return [role for role, _, _ in _REASONS].index(role) if role in {role for role, _, _ in _REASONS} else len(ROLES)

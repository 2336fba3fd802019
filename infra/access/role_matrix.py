"""The role matrix: which roles one person may combine, and which take two admins to grant, whatever way they are held
(decision 76)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from msgspec import Struct

from infra.access.callers import ROLES

GRANTED = tuple(role for role in ROLES if role != "terminal")  # a terminal's part names its table, terminal:t1
PART = re.compile(rf"{'|'.join(GRANTED)}|terminal:[a-z0-9][a-z0-9-]{{0,39}}")

# Nobody has the first role together with any of the others, even in different sessions.
_NO_MONEY = "an admin touches no money"
_BLIND = "people who count boxes must not know what they should hold"
_INDEPENDENT = "auditors have no part in what they audit"
_BOOKS = "people who keep the books handle no chips"
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

GRANTING = frozenset({"admin"})  # who grants, and who countersigns

Way = Literal["part", "token", "claim"]


class NotAllowed(Exception):
    """A change of rights that is refused; the message says why."""


class Holding(Struct, frozen=True):
    """A role that somebody holds by a part, a token or a claim of an identity provider."""

    part: str
    way: Way
    token_id: str | None = None

    def __str__(self) -> str:
        return self.part if self.way == "part" else f"{self.part} (by a {self.way})"


class Clash(Struct, frozen=True):
    """A held role that has no effect because of one held before it."""

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
    """Return whether two admins must sign the grant: for everything but a terminal."""
    return any(role != "terminal" for role in roles_of(parts))


def clashes(held: Sequence[Holding]) -> list[Clash]:
    """Return the conflicts among what somebody holds, earliest first. The role held first has effect; a conflicting
    later one has none until one of them is revoked."""
    counting: dict[str, Holding] = {}  # one per role: a machine may hold thousands of tokens
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
    """Return the parts that have effect: all, unless some were granted before the current matrix."""
    refused = {clash.refused.part for clash in clashes([Holding(part, "part") for part in parts])}
    return tuple(part for part in parts if part not in refused)


def check_parts(parts: Sequence[str], tokens: Sequence[Holding] = ()) -> None:
    """Refuse unknown parts and combinations that the matrix forbids, tokens included."""
    if not parts:
        raise NotAllowed("Everybody has at least one part.")
    for part in parts:
        check_part(part)
    if len(set(parts)) < len(parts):
        raise NotAllowed("A part is named twice.")
    for clash in clashes([*(Holding(part, "part") for part in parts), *tokens]):
        if clash.kept.way == "part":  # conflicts between tokens do not concern these parts
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

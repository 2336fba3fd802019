"""Combinations of roles that violate the role matrix, however and whenever they were granted."""

from __future__ import annotations

from collections.abc import Collection

from msgspec import Struct

from infra.access.role_matrix import Holding, clashes, role_of, sentence
from infra.access.staff import Staff
from infra.access.tokens import Tokens
from infra.store.database import Database


class Violation(Struct, frozen=True):
    """Two roles that one person must not hold. The refused one has no effect until one of them is revoked."""

    holder: str
    machine: bool  # not on the staff register
    kept: str
    refused: str
    token_id: str | None  # the token of the refused role, if it came by a token
    what: str
    remedy: str


def violations(database: Database) -> list[Violation]:
    """Return violations by holder. Disabled people are included, since enabling restores their parts. Claims are not:
    they last for a session and never grant a conflicting role."""
    parts = {member.staff_id: member.parts for member in Staff(database).everybody()}
    return [
        Violation(
            holder=holder,
            machine=holder not in parts,
            kept=str(clash.kept),
            refused=str(clash.refused),
            token_id=clash.refused.token_id,
            what=f"{holder}: {sentence(clash)}",
            remedy=_remedy(clash.kept, clash.refused, parts.get(holder, ())),
        )
        for holder, held in sorted(Tokens(database).held(parts).items())
        for clash in clashes(held)
    ]


def _remedy(kept: Holding, refused: Holding, parts: Collection[str]) -> str:
    """Return how to resolve it: one admin revokes one of the roles; somebody's only part is replaced, by two."""
    ways = []
    for one in (refused, kept):
        if one.token_id is None and len(parts) == 1:
            ways.append(f"give them another part in place of {one.part}")
        elif one.token_id is None:
            ways.append(f"take the part {one.part} away")
        elif one.way == "token":
            ways.append(f"revoke the token {one.token_id}")
        else:
            ways.append(f"stop the identity provider from claiming {role_of(one.part)}")
    said = ", or ".join(ways)
    return f"{said[0].upper()}{said[1:]}."

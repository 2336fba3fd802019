"""Roles that an identity provider may grant by a claim: those that neither sign nor move money."""

from __future__ import annotations

import re

CLAIMABLE = re.compile(r"auditor|terminal:[a-z0-9][a-z0-9-]{0,39}")


def is_claimable(part: str) -> bool:
    return CLAIMABLE.fullmatch(part) is not None

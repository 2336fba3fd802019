"""The rule sets: one TOML file for each version, checked when it is loaded."""

from domain.rules.figures import Figure
from domain.rules.loader import (
    RuleSetError,
    changed,
    figures,
    ids,
    in_force,
    keep,
    load,
    of_day,
    parse,
    versions,
    with_hash,
)

__all__ = [
    "Figure",
    "RuleSetError",
    "changed",
    "figures",
    "ids",
    "in_force",
    "keep",
    "load",
    "of_day",
    "parse",
    "versions",
    "with_hash",
]

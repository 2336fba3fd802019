"""The rule sets: one TOML file for each version, checked when it is loaded."""

from domain.rules.figures import Figure
from domain.rules.loader import RuleSetError, changed, figures, ids, in_force, load, parse, versions, with_hash

__all__ = [
    "Figure",
    "RuleSetError",
    "changed",
    "figures",
    "ids",
    "in_force",
    "load",
    "parse",
    "versions",
    "with_hash",
]

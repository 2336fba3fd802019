"""The rule sets: one TOML file for each version, checked when it is loaded."""

from domain.rulesets.loading import RuleSetError, changed, ids, in_force, load, parse, versions, with_hash

__all__ = ["RuleSetError", "changed", "ids", "in_force", "load", "parse", "versions", "with_hash"]

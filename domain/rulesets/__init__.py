"""The rule sets: one TOML file each, checked when it is loaded."""

from domain.rulesets.loading import RuleSetError, ids, load, parse, text

__all__ = ["RuleSetError", "ids", "load", "parse", "text"]

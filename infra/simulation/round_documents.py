"""The tables of one rule set, their rounds in the order in which they end."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from domain.rules import rulesets
from infra.simulation.table import Table

# With these and the longest rule set id, the id of a round still has the 40 letters that the contract allows.
LARGEST_SEED = 999_999_999
MOST_TABLES = 999
MOST_ROUNDS = 9_999_999


def documents(ruleset: str, seed: int, tables: int) -> Iterator[bytes]:
    """Round documents without end, and the same ones for the same arguments.

    Tables carry the seed in their names: two runs may then be recorded into one ledger, even at the same time, and
    neither disturbs the other's rotation or meters. A table has its own source of randomness, named by text because
    `Random` hashes that the same way in every process.
    """
    rules = rulesets.load(ruleset)
    names = [f"{ruleset}-s{seed}-t{number}" for number in range(1, tables + 1)]
    floor = [Table(rules, name, number, Random(name)) for number, name in enumerate(names, start=1)]
    turns = Random(f"{ruleset}-s{seed}")
    while True:
        yield turns.choice(floor).next_document()

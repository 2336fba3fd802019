"""The tables of one rule set, with their rounds in the order in which they end."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from domain.rules import rulesets
from infra.simulation.table import Table

# With these and the longest rule set id, a round's id stays within the 40 letters of the contract.
LARGEST_SEED = 999_999_999
MOST_TABLES = 999
MOST_ROUNDS = 9_999_999


def documents(ruleset: str, seed: int, tables: int) -> Iterator[bytes]:
    """Yield round documents without end, the same ones for the same arguments.

    Table names contain the seed, so that two runs can be recorded into one ledger, even at once, without disturbing
    each other's rotation or meters. Each table has its own source of randomness, seeded by text because `Random` hashes
    that the same way in every process."""
    rules = rulesets.load(ruleset)
    names = [f"{ruleset}-s{seed}-t{number}" for number in range(1, tables + 1)]
    floor = [Table(rules, name, number, Random(name)) for number, name in enumerate(names, start=1)]
    turns = Random(f"{ruleset}-s{seed}")
    while True:
        yield turns.choice(floor).next_document()

"""`roundledger simulate`: round documents of tables that nobody sits at, for trying things out and for load."""

from typing import Annotated

import typer

from api.cli.adjudicate import write_results
from api.cli.terminal.errors import fail

Ruleset = Annotated[str, typer.Option("--ruleset", metavar="ID", help="The rule set that the tables play by.")]
Rounds = Annotated[int, typer.Option("--rounds", metavar="N", help="How many, of all tables together.")]
Seed = Annotated[int, typer.Option("--seed", metavar="S", help="The same seed gives the same rounds.")]
Tables = Annotated[int, typer.Option("--tables", metavar="T", help="How many tables play side by side.")]


def simulate(ruleset: Ruleset, rounds: Rounds, seed: Seed = 1, tables: Tables = 4) -> None:
    """Write round documents, one JSON object a line, as people who know the game would play them.

    They are the same for the same options. Every one is legal, and `record` accepts them in this order.
    """
    from itertools import islice

    from domain.rules import rulesets
    from infra.simulation import LARGEST_SEED, MOST_ROUNDS, MOST_TABLES, documents

    if ruleset not in rulesets.ids():
        fail(f"there is no rule set {ruleset!r}; there are {', '.join(rulesets.ids())}")
    for option, value, least, most in (
        ("--rounds", rounds, 1, MOST_ROUNDS),
        ("--seed", seed, 0, LARGEST_SEED),
        ("--tables", tables, 1, MOST_TABLES),
    ):
        if not least <= value <= most:
            fail(f"{option} is from {least} to {most:,}, not {value:,}")
    write_results(islice(documents(ruleset, seed, tables), rounds))

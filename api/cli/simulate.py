"""`roundledger simulate`: round documents of simulated tables, for trials and load tests."""

from typing import Annotated

import typer

from api.cli.adjudicate import write_results
from api.cli.terminal.errors import fail

Ruleset = Annotated[str, typer.Option("--ruleset", metavar="ID", help="The rule set that the tables play by.")]
Rounds = Annotated[int, typer.Option("--rounds", metavar="N", help="How many rounds in total.")]
Seed = Annotated[int, typer.Option("--seed", metavar="S", help="The same seed gives the same rounds.")]
Tables = Annotated[int, typer.Option("--tables", metavar="T", help="How many tables play at once.")]


def simulate(ruleset: Ruleset, rounds: Rounds, seed: Seed = 1, tables: Tables = 4) -> None:
    """Write simulated round documents, one JSON object per line, played as skilled players would.

    The same options give the same rounds. Every round is legal, and `record` accepts them in this order.
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

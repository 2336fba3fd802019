"""`roundledger fact`: facts about a round that its own events do not show.

`roundledger report jackpots`, `decks-seen`, `misdeals` and `hands-held` print them."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from api.cli.terminal.database import By, DatabaseUrl, DataDir, actor, open_ledger
from api.cli.terminal.errors import fail
from api.cli.terminal.time_options import moment_ms

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from infra.ledger.ledger import Actor, Ledger

app = typer.Typer(help="Facts about a round that its own events do not show.", no_args_is_help=True)
Round = Annotated[str, typer.Argument(metavar="ROUND", help="The round's id.")]
At = Annotated[str | None, typer.Option("--at", metavar="TIME", help="When it happened: ISO 8601; now by default.")]


@app.command("supervisor")
def supervisor(
    round_id: Round,
    who: Annotated[str, typer.Argument(metavar="ID", help="The supervisor's staff id.")],
    at: At = None,
    by: By = None,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
) -> None:
    """Record that a supervisor was called for a progressive win."""
    _state(lambda ledger, by_: ledger.call_supervisor(round_id, who, by_), at, by, database_url, data_dir)
    typer.echo(f"{who} was called for round {round_id}.")


@app.command("deck")
def deck(
    round_id: Round,
    colour: Annotated[Literal["blue", "red"], typer.Argument(metavar="COLOUR", help="blue or red.")],
    at: At = None,
    by: By = None,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
) -> None:
    """Record the colour of the deck in play, as the dealer sees it."""
    _state(lambda ledger, by_: ledger.see_deck(round_id, colour, by_), at, by, database_url, data_dir)
    typer.echo(f"Round {round_id} was dealt from the {colour} deck.")


@app.command("misdeal")
def misdeal(
    round_id: Round,
    place: Annotated[str, typer.Option(help="Where: seat 3, the dealer, the board.")],
    expected: Annotated[int, typer.Option(metavar="N", help="How many cards were due there.")],
    found: Annotated[int, typer.Option(metavar="N", help="How many there were.")],
    outcome: Annotated[Literal["void", "put right", "played on"], typer.Option(help="How it ended.")],
    note: Annotated[str, typer.Option(help="What happened, in one line.")],
    at: At = None,
    by: By = None,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
) -> None:
    """Record a wrong number of cards that was noticed, and the outcome. It voids nothing by itself."""
    said = place, expected, found, outcome, note
    _state(lambda ledger, by_: ledger.notice_misdeal(round_id, *said, by_), at, by, database_url, data_dir)
    typer.echo(f"The misdeal of round {round_id} is stored.")


@app.command("hands")
def hands(
    round_id: Round,
    seats: Annotated[list[int], typer.Argument(metavar="SEAT...", help="The seats of the hands.")],
    at: At = None,
    by: By = None,
    database_url: DatabaseUrl = None,
    data_dir: DataDir = None,
) -> None:
    """Record hands that stayed face up until they were paid."""
    _state(lambda ledger, by_: ledger.hold_hands(round_id, seats, by_), at, by, database_url, data_dir)
    typer.echo(f"The hands of round {round_id} were held face up until they were paid.")


def _state(
    state: "Callable[[Ledger, Actor], object]",
    at: str | None,
    by: str | None,
    database_url: str | None,
    data_dir: "Path | None",
) -> None:
    from domain import moments
    from domain.errors import Refusal
    from infra.ledger.ledger import Actor, UnknownRound

    who = actor(by)
    at_ms = moment_ms(at, "--at")
    with open_ledger(database_url, data_dir) as ledger:
        try:
            if at_ms is not None:
                who = Actor(who.by, *moments.check_given(at_ms, who.at_ms), dated=True)
            state(ledger, who)
        except (Refusal, UnknownRound) as refusal:
            fail(str(refusal))

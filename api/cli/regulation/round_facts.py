"""`roundledger fact`: facts about a round that its own events do not show.

`roundledger report jackpots`, `decks-seen`, `misdeals` and `hands-held` print them."""

from typing import TYPE_CHECKING, Annotated

import typer

from api.cli.terminal.database import By, actor, on_ledger
from api.cli.terminal.time_options import moment_ms
from domain.floor.table_sessions import DeckColour
from domain.regulation.round_facts import MisdealOutcome

if TYPE_CHECKING:
    from infra.ledger.ledger import Actor, Ledger

app = typer.Typer(help="Facts about a round that its own events do not show.", no_args_is_help=True)
Round = Annotated[str, typer.Argument(metavar="ROUND", help="The round's id.")]
At = Annotated[str | None, typer.Option("--at", metavar="TIME", help="When it happened: ISO 8601; now by default.")]


@app.command("supervisor")
@on_ledger
def supervisor(
    ledger: "Ledger",
    round_id: Round,
    who: Annotated[str, typer.Argument(metavar="ID", help="The supervisor's staff id.")],
    at: At = None,
    by: By = None,
) -> None:
    """Record that a supervisor was called for a progressive win."""
    ledger.call_supervisor(round_id, who, _actor(at, by))
    typer.echo(f"{who} was called for round {round_id}.")


@app.command("deck")
@on_ledger
def deck(
    ledger: "Ledger",
    round_id: Round,
    colour: Annotated[DeckColour, typer.Argument(metavar="COLOUR", help="blue or red.")],
    at: At = None,
    by: By = None,
) -> None:
    """Record the colour of the deck in play, as the dealer sees it."""
    ledger.see_deck(round_id, colour, _actor(at, by))
    typer.echo(f"Round {round_id} was dealt from the {colour} deck.")


@app.command("misdeal")
@on_ledger
def misdeal(
    ledger: "Ledger",
    round_id: Round,
    place: Annotated[str, typer.Option(help="Where: seat 3, the dealer, the board.")],
    expected: Annotated[int, typer.Option(metavar="N", help="How many cards were due there.")],
    found: Annotated[int, typer.Option(metavar="N", help="How many there were.")],
    outcome: Annotated[MisdealOutcome, typer.Option(help="How it ended.")],
    note: Annotated[str, typer.Option(help="What happened, in one line.")],
    at: At = None,
    by: By = None,
) -> None:
    """Record a wrong number of cards that was noticed, and the outcome. It voids nothing by itself."""
    said = place, expected, found, outcome, note
    ledger.notice_misdeal(round_id, *said, _actor(at, by))
    typer.echo(f"The misdeal of round {round_id} is stored.")


@app.command("hands")
@on_ledger
def hands(
    ledger: "Ledger",
    round_id: Round,
    seats: Annotated[list[int], typer.Argument(metavar="SEAT...", help="The seats of the hands.")],
    at: At = None,
    by: By = None,
) -> None:
    """Record hands that stayed face up until they were paid."""
    ledger.hold_hands(round_id, seats, _actor(at, by))
    typer.echo(f"The hands of round {round_id} were held face up until they were paid.")


def _actor(at: str | None, by: str | None) -> "Actor":
    from domain import moments
    from infra.ledger.ledger import Actor

    who, at_ms = actor(by), moment_ms(at, "--at")
    return who if at_ms is None else Actor(who.by, *moments.check_given(at_ms, who.at_ms), dated=True)

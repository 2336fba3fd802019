"""The result of a rule set's trial, for people and for programs."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from domain.money import money

if TYPE_CHECKING:
    from domain.games.house_edge import HouseEdge
    from infra.simulation.trial import Trial


def trial_document(found: Trial, edges: Sequence[HouseEdge], shown_cents: int | None) -> dict[str, Any]:
    return {
        "rounds": {"settled": found.settled, "void": found.void},
        "spots": [
            {
                "spot": spot,
                "wagers": total.wagers,
                "wagered": money(total.wagered_cents),
                "kept": money(total.kept_cents),
            }
            for spot, total in found.spots.items()
        ],
        "edges": [_edge(edge, shown_cents) for edge in edges],
        "broken": found.broken,
    }


def _edge(edge: HouseEdge, shown_cents: int | None) -> dict[str, Any]:
    document: dict[str, Any] = {"spot": edge.spot, "table": edge.table, "decks": edge.decks}
    document["edge_percent"] = _percent(edge.edge if shown_cents is None else edge.at(shown_cents))
    document["exact"] = str(edge.edge)
    if edge.meter_share is not None:
        document["meter_share"] = str(edge.meter_share)
        document["even_at"] = None if edge.even_at_cents is None else money(int(edge.even_at_cents))
        document["envy_for_each_other_hand"] = str(edge.envy)
    return document


def print_trial(found: Trial, edges: Sequence[HouseEdge], shown_cents: int | None) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console()
    console.print(f"{found.settled:,} rounds settled, {found.void:,} void.")
    spots = Table("wager", box=None, pad_edge=False)
    for heading in ("wagers", "wagered", "kept by the bank", "share"):
        spots.add_column(heading, justify="right")
    for spot, total in found.spots.items():
        share = _percent(Fraction(total.kept_cents, total.wagered_cents)) + " %" if total.wagered_cents else ""
        spots.add_row(spot, f"{total.wagers:,}", money(total.wagered_cents), money(total.kept_cents), share)
    console.print(spots)
    if edges:
        console.print("\nExact house edge, in percent of the wager:")
        exact = Table("wager", "pay table", box=None, pad_edge=False)
        for heading in ("decks", "edge"):
            exact.add_column(heading, justify="right")
        exact.add_column("")
        for edge in edges:
            percent = _percent(edge.edge if shown_cents is None else edge.at(shown_cents))
            exact.add_row(edge.spot, edge.table or "", str(edge.decks or ""), percent, _note(edge, shown_cents))
        console.print(exact)
    if found.broken:
        console.print(f"\n{len(found.broken):,} laws of money did not hold:")
        for law in found.broken[:20]:
            console.print(f"  {law}")
    else:
        console.print("\nThe laws of money held in every round.")


def _note(edge: HouseEdge, shown_cents: int | None) -> str:
    if edge.meter_share is None:
        return "players win on average" if edge.edge < 0 else ""
    if shown_cents is not None:
        return f"with ${money(shown_cents)} on the meter"
    even = edge.even_at_cents
    return "without the meter" + ("" if even is None else f"; even at ${money(int(even))} on it")


def _percent(share: Fraction) -> str:
    return f"{float(share) * 100:.4f}"

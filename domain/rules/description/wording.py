"""Words for what a rule set says."""

from __future__ import annotations

from collections.abc import Sequence

from domain.rules.ruleset import Dealing, RuleSet

_ROTATIONS = {"strict": "somebody else banks", "offered": "it is offered to every other player"}
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six")
_STREETS = ("", "after the first decisions ", "after the second decisions ")


def in_words(spots: Sequence[str]) -> str:
    return ", ".join(spot.replace("_", " ") for spot in spots)


def figure_value(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return str(value)


def dates(rules: RuleSet) -> str:
    until = rules.in_force.until
    return f"since {rules.in_force.since}" if until is None else f"{rules.in_force.since} to {until}"


def rotation_words(afterwards: str, rounds: int) -> str:
    """Return what happens to the bank after so many rounds of one person."""
    number = _NUMBERS[rounds] if rounds < len(_NUMBERS) else str(rounds)
    often = f"{number} round" if rounds == 1 else f"{number} rounds in a row"
    return f"after {often} {_ROTATIONS[afterwards]}"


def packets_text(dealing: Dealing) -> str:
    streets = [
        when + ", ".join(_packet(packet.to, packet.count) for packet in dealing.packets if packet.street == street)
        for street, when in enumerate(_STREETS)
        if any(packet.street == street for packet in dealing.packets)
    ]
    return "; ".join(streets)


def _packet(to: str, count: int) -> str:
    if to == "burn":
        return f"{count} burned"
    return f"{count} to " + {"seats": "each seat", "dealer": "the dealer's hand", "board": "the board"}[to]

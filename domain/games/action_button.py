"""The action button: a card's value counted round the seats says whose wagers are settled first."""

from __future__ import annotations

from domain.cards import RANKS
from domain.errors import needed
from domain.round.events import ButtonPlaced
from domain.round.state import Round
from domain.rules.file_schema import Faults
from domain.rules.ruleset import Section


class ButtonSection(Section, frozen=True):
    values: dict[str, int]
    clause: str

    def faults(self) -> Faults:
        if set(self.values) != set(RANKS) or min(self.values.values()) < 1:
            yield ("button", "values"), "every rank counts one or more"


def place_button(round_: Round, card: str) -> ButtonPlaced:
    """Count a card's value round the seats other than the player-dealer's, occupied or not."""
    value = round_.rules.game_rules.button_values[card[0]]
    others = [seat for seat in range(1, round_.rules.seats + 1) if seat != needed(round_.bank).seat]
    return ButtonPlaced(others[(value - 1) % len(others)], card)

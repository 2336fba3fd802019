"""The game families by name."""

from __future__ import annotations

from domain.games.game import Game
from domain.games.p215 import Pure215
from domain.games.tcp import ThreeCardPoker
from domain.games.uth import UltimateTexasHoldem

GAMES: dict[str, Game] = {game.family: game for game in (UltimateTexasHoldem(), ThreeCardPoker(), Pure215())}

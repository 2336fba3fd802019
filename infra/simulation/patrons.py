"""The people at a table and their habits: who arrives, who bets behind seats, and who leaves."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from random import Random

LEAVES = 0.02  # chance before each round
ARRIVES = 0.15  # for each free place
TWO_SPOTS = 0.15
LIKES = (("surrender", 0.7), ("split tens", 0.05))
REGULARS = 60  # per table; two digits are enough


@dataclass(slots=True, frozen=True)
class Person:
    """One bettor. All figures but `times` are chances between 0 and 1."""

    id: str
    times: int  # preferred bet, in table minimums
    sits_out: float
    bonus: tuple[float, float]  # on the first and second bonus wager of the game
    progressive: float
    trips_only: float
    tips: float
    timid: float  # raises three times the ante when they could raise four times
    follows: float  # behind a seat
    insures: float
    likes: frozenset[str]  # makes unusual choices
    banks: float  # takes the bank when offered
    bank: int  # their wager as player-dealer, in table minimums
    stays: float  # keeps the bank for a second round


def draw_patron(bettor: str, rng: Random) -> Person:
    return Person(
        id=bettor,
        times=rng.choice((1, 1, 1, 2, 2, 3, 4, 5, 10, 20)),
        sits_out=rng.choice((0.0, 0.02, 0.1)),
        bonus=(rng.choice((0.0, 0.3, 0.95)), rng.choice((0.0, 0.2, 0.9))),
        progressive=rng.choice((0.0, 0.5, 1.0)),
        trips_only=rng.choice((0.0, 0.0, 0.3)),
        tips=rng.choice((0.0, 0.05, 0.3)),
        timid=rng.choice((0.0, 0.0, 0.0, 0.5)),
        follows=rng.choice((0.6, 0.9, 1.0)),
        insures=rng.choice((0.0, 0.0, 0.0, 0.5)),
        likes=frozenset([choice for choice, chance in LIKES if rng.random() < chance]),
        banks=rng.choice((0.0, 0.0, 0.1, 0.3, 0.6)),
        bank=rng.choice((5, 30, 100, 200)),
        stays=rng.choice((0.5, 0.9, 1.0)),
    )


def draw_proposition_player(bettor: str, rng: Random) -> Person:
    """Draw somebody who plays for a third party, mostly to bank: bets little, and can cover most rounds."""
    return Person(
        id=bettor,
        times=1,
        sits_out=0.7,
        bonus=(0.0, 0.0),
        progressive=0.0,
        trips_only=0.0,
        tips=0.0,
        timid=0.0,
        follows=1.0,
        insures=0.0,
        likes=frozenset({"surrender"}),
        banks=0.95,
        bank=rng.choice((200, 500, 1000, 2000)),
        stays=0.98,
    )


class Company:
    """Who sits at a table and who bets from behind."""

    def __init__(self, seats: int, number: int, player_banked: bool, rng: Random) -> None:
        self._seats, self._number, self._player_banked, self._rng = seats, number, player_banked, rng
        self._regulars: dict[str, Person] = {}
        self._fewest = min(3, seats) if player_banked else 1
        self.seated: dict[int, Person] = {}
        self.onlookers: list[Person] = []
        self.new_session(None)

    def new_session(self, keeps: Person | None) -> None:
        """Draw another crowd; a proposition player may come or go."""
        rng = self._rng
        self._popular = rng.randint(self._fewest, self._seats)
        self._behind = rng.choice((0, 0, 0, 1, 2, 4)) if self._player_banked else 0
        if self._player_banked and rng.random() < 0.8:
            if not any(person.id == self._proposition_id for person in self.seated.values()):
                self._sit(draw_proposition_player(self._proposition_id, rng))
        elif keeps is None or keeps.id != self._proposition_id:
            self._leave({self._proposition_id})
        while len(self.seated) < self._popular:
            self._sit(self._arrival())

    @property
    def _proposition_id(self) -> str:
        return f"tp-{self._number}"

    def next_round(self, keeps: Person | None) -> None:
        """Let some leave and others arrive. `keeps`, the last player-dealer, stays until the bank has moved on."""
        rng = self._rng
        patrons = {person.id: person for person in self.seated.values() if person.id != self._proposition_id}
        gone = {bettor for bettor in patrons if rng.random() < LEAVES and bettor != (keeps and keeps.id)}
        self._leave(gone)
        self.onlookers = [person for person in self.onlookers if rng.random() >= LEAVES]
        while len(self.seated) < self._popular and (len(self.seated) < self._fewest or rng.random() < ARRIVES):
            self._sit(self._arrival())
        if len(self.onlookers) < self._behind and rng.random() < ARRIVES:
            self.onlookers.append(self._arrival())

    def _leave(self, bettors: Iterable[str]) -> None:
        self.seated = {seat: person for seat, person in self.seated.items() if person.id not in bettors}

    def _sit(self, person: Person) -> None:
        """Seat a person. At a house-banked table some also play the next free seat, where that cannot affect a
        rotation."""
        free = [seat for seat in range(1, self._seats + 1) if seat not in self.seated]
        if not free:
            return
        taken = [self._rng.choice(free)]
        if not self._player_banked and taken[0] + 1 in free and self._rng.random() < TWO_SPOTS:
            taken.append(taken[0] + 1)
        self.seated = dict(sorted([*self.seated.items(), *((seat, person) for seat in taken)]))

    def _arrival(self) -> Person:
        """Return somebody who is not here already; regulars return with their habits."""
        here = {person.id for person in (*self.seated.values(), *self.onlookers)}
        while True:
            bettor = f"p-{self._number}{self._rng.randrange(REGULARS):02d}"
            if bettor not in here:
                break
        if bettor not in self._regulars:
            self._regulars[bettor] = draw_patron(bettor, self._rng)
        return self._regulars[bettor]

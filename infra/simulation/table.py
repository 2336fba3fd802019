"""A simulated table: its sessions, people, bank, shoe and meter, round after round."""

from __future__ import annotations

from random import Random
from typing import Any

import msgspec
from msgspec import UNSET

from domain.cards import DECK
from domain.documents.document import read_document
from domain.money import money
from domain.round.actions import Bet, Void, Withdraw
from domain.round.state import Bank
from domain.rules.ruleset import RuleSet
from domain.rules.terms import Terms, TermsDocument, resolve
from infra.simulation.bank_rotation import Rotation
from infra.simulation.bets import Betting
from infra.simulation.patrons import Company, Person
from infra.simulation.round_play import Play, Style
from infra.simulation.table_terms import draw_meter, draw_terms
from infra.simulation.withdrawals import Withdrawals

SHORTEST_SESSION, LONGEST_SESSION = 60, 200
CUT_CARD = 78  # cards below which a shoe is shuffled before the round; a single deck always is
VOIDED = 0.03
VOIDS = (
    Void("misdeal", "A card too many was dealt."),
    Void("misdeal"),
    Void("malfunction", "The shuffler stopped."),
    Void("irregularity", "A card was found on the floor."),
)


class Table:
    """`rounds_as` is the prefix of its rounds' ids, if not the table's name; `bank_after` is the seat that banked there
    last."""

    def __init__(
        self,
        rules: RuleSet,
        name: str,
        number: int,
        rng: Random,
        rounds_as: str | None = None,
        bank_after: int = 0,
    ) -> None:
        self._rules, self._name, self._rng = rules, name, rng
        self._rounds_as = rounds_as or name
        self._company = Company(rules.seats, number, rules.player_banked, rng)
        self._rotation = None
        if rules.player_banked:
            self._rotation = Rotation(rules.rotation_rounds, rules.rotation == "strict", rng, bank_after)
        self._progressive = rng.choice(list(rules.progressives)) if rules.progressives else None
        self._meter = draw_meter(name, rng) if rules.progressives else None
        self._withdrawals = Withdrawals(Random(f"{self._rounds_as}/withdrawals"))
        self._shoe: list[str] = []
        self._rounds = 0
        self._left = 0  # rounds of this session

    def play_by(self, rules: RuleSet) -> None:
        """Use another version of the rule set from the next round on; the terms stay."""
        if rules.content_hash != self._rules.content_hash:
            self._rules = rules
            if self._left:
                self._terms = self._resolved()

    def next_document(self) -> bytes:
        """Return the next round of this table as a line of JSON, without its end."""
        if self._left == 0:
            self._new_session()
        self._left -= 1
        self._rounds += 1
        self._company.next_round(self._last_player_dealer)
        bank, declined = self._bank()
        document = self._envelope(bank, declined)
        opening = read_document(document, lambda _: self._rules).opening
        bets = Betting(self._rules, self._terms, self._rng).of_round(
            self._company.seated, self._company.onlookers, bank
        )
        play = Play(opening, self._cards(), self._style, self._people(), self._rng)
        document["actions"] = play.through(*self._with_withdrawals(bets, self._void(bets), bank))
        voided = play.round.status == "void"
        if self._rotation is not None:
            self._rotation.played(voided)
        if self._meter is not None and "meter" in document["terms"] and not voided:
            meter = {"shown": money(play.round.meter_shown), "reserve": money(play.round.meter_reserve)}
            self._meter = {**self._meter, **meter}
        return msgspec.json.encode(document)

    @property
    def _last_player_dealer(self) -> Person | None:
        return None if self._rotation is None else self._rotation.last

    def _new_session(self) -> None:
        rng = self._rng
        self._left = rng.randint(SHORTEST_SESSION, LONGEST_SESSION)
        self._drawn = draw_terms(self._rules, rng)
        if self._progressive is not None and rng.random() < 0.75:
            self._drawn["progressive"] = self._progressive
        self._style = Style.draw(rng)
        self._terms = self._resolved()
        self._shoe = []
        self._company.new_session(self._last_player_dealer)

    def _resolved(self) -> Terms:
        return resolve(self._rules, msgspec.convert(self._session_terms(), TermsDocument))

    def _session_terms(self) -> dict[str, Any]:
        """Return the terms. The meter's figures continue from round to round: if nothing is stored, the document's
        apply."""
        return {**self._drawn, "meter": self._meter} if "progressive" in self._drawn else self._drawn

    def _bank(self) -> tuple[Bank | None, list[int]]:
        if self._rotation is None:
            return None, []
        seat, declined = self._rotation.next(self._company.seated)
        person = self._company.seated[seat]
        low, _ = self._terms.limits[self._rules.base_spot]
        wager = low * person.bank + self._rng.choice((0, 0, 0, 1_250))
        return Bank(seat, person.id, wager), declined

    def _envelope(self, bank: Bank | None, declined: list[int]) -> dict[str, Any]:
        document: dict[str, Any] = {
            "round": f"{self._rounds_as}-{self._rounds:06d}",
            "table": self._name,
            "ruleset": self._rules.id,
            "terms": self._session_terms(),
        }
        if bank is not None:
            document["player_dealer"] = {"seat": bank.seat, "bettor": bank.bettor, "wager": money(bank.wager)}
            if declined:
                document["player_dealer"]["declined"] = declined
        document["players"] = {str(seat): person.id for seat, person in self._company.seated.items()}
        document["actions"] = []
        return document

    def _people(self) -> dict[str, Person]:
        return {person.id: person for person in (*self._company.seated.values(), *self._company.onlookers)}

    def _cards(self) -> list[str]:
        """Return the cards. One deck is shuffled for every round; a shoe continues until its cut card."""
        if len(self._shoe) < CUT_CARD:
            self._shoe = [*DECK] * self._terms.decks
            self._rng.shuffle(self._shoe)
        return self._shoe

    def _with_withdrawals(
        self, bets: list[Bet], void: tuple[int, Void] | None, bank: Bank | None
    ) -> tuple[list[Bet | Withdraw], tuple[int, Void] | None]:
        """Add withdrawals. A voided round is voided at the same moment: while bets are placed, or as many actions
        later."""
        playing = {bet.seat for bet in bets if bet.kind is UNSET} | ({bank.seat} if bank is not None else set())
        banking = None if bank is None else bank.bettor
        seated = self._company.seated.items()
        idle = [seat for seat, person in seated if seat not in playing and person.id != banking]
        spot = self._rules.game.base_spots[0]
        actions = self._withdrawals.among(bets, self._terms.chip, idle, spot)
        if void is None:
            return actions, None
        at, how = void
        if at <= len(bets):
            return [*bets], void
        return actions, (at + len(actions) - len(bets), how)

    def _void(self, bets: list[Bet]) -> tuple[int, Void] | None:
        if self._rng.random() >= VOIDED or not (self._rotation is None or self._rotation.may_void):
            return None
        return self._rng.randrange(1, len(bets) + 20), self._rng.choice(VOIDS)

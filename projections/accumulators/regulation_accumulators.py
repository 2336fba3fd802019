"""Accumulators of postings, choices of the property and registrations."""

from __future__ import annotations

from msgspec import field

from domain.regulation import postings, proposition_players
from domain.regulation.postings import PostingEvent, TableDesignated, TablePostings
from domain.regulation.proposition_players import PropositionEvent, PropositionPlayer
from projections.accumulators.accumulator import Accumulator


class PostingAccumulator(Accumulator):
    """`designated`: each designation with its moment and who made it."""

    state: TablePostings = postings.NOTHING_POSTED
    designated: list[tuple[int, str, TableDesignated]] = field(default_factory=list)

    def take(self, event: PostingEvent) -> None:
        self.state = postings.evolve(self.state, event, self.by, self.at_ms)
        if isinstance(event, TableDesignated):
            self.designated.append((self.at_ms, self.by, event))


class OfferingAccumulator(Accumulator):
    """Remembers nothing of a choice: the last one applies."""


class ExplanationAccumulator(Accumulator):
    """Remembers nothing of an explanation."""


class FactAccumulator(Accumulator):
    """Remembers nothing of a round's facts: each is complete."""


class RulebookAccumulator(Accumulator):
    """Remembers nothing of the rulebook: each adoption is complete."""


class PropositionAccumulator(Accumulator):
    player: PropositionPlayer = field(default_factory=PropositionPlayer)

    def take(self, event: PropositionEvent) -> None:
        self.player = proposition_players.evolve(self.player, event)

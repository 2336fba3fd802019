"""Cards that were turned over are those that were sealed: whatever is changed of either is found, and nothing else."""

from __future__ import annotations

from itertools import islice

import pytest
from msgspec.structs import replace

from domain.audit.seal_audit import GONE, OTHER, check_seals
from domain.round.events import CardsDealt, CardsTurned
from domain.round.sealing import SealedUnit, commitment
from domain.round.state import fold
from domain.rules import rulesets
from tests.domain.stored_rounds import StoredRound, simulated, stored_round

ROUNDS = 3


def rounds_of(ruleset: str, unseen: float = 0.0) -> list[StoredRound]:
    return [stored_round(document) for document in islice(simulated(ruleset, ROUNDS, unseen=unseen), ROUNDS)]


def found_in(stored: StoredRound, sealed: object = ..., events: object = ...) -> set[str]:
    units = stored.units if sealed is ... else sealed
    seen = fold(stored.opening, stored.public)  # by whoever audits, who knows no card that stayed face down
    found = check_seals(seen, stored.public if events is ... else events, units)  # type: ignore[arg-type]
    return {finding.what for _, finding in found}


@pytest.mark.parametrize("unseen", [0.0, 0.5])
@pytest.mark.parametrize("ruleset", rulesets.ids())
def test_nothing_is_found_in_a_round_as_it_was_stored(ruleset: str, unseen: float):
    for stored in rounds_of(ruleset, unseen):
        assert found_in(stored) == set()
        assert found_in(stored, sealed=None) == set()


@pytest.mark.parametrize("unseen", [0.0, 0.5])
@pytest.mark.parametrize("ruleset", rulesets.ids())
def test_whatever_is_changed_of_a_kept_opening_is_found(ruleset: str, unseen: float):
    """Its salt alone, its cards alone, or all of it; of seals that were opened and of those that stayed closed."""
    for stored in rounds_of(ruleset, unseen):
        for at, units in stored.units.items():
            for number, unit in enumerate(units):
                rest = [*units[:number], *units[number + 1 :]]
                for changed in (replace(unit, salt=bytes(16)), replace(unit, cards=unit.cards[::-1])):
                    assert found_in(stored, {**stored.units, at: [*rest, changed]}) >= {OTHER}
                assert found_in(stored, {**stored.units, at: rest}) == {GONE}


@pytest.mark.parametrize("ruleset", rulesets.ids())
def test_cards_turned_over_that_were_not_sealed_are_found(ruleset: str):
    changed = 0
    for stored in rounds_of(ruleset):
        for at, event in enumerate(stored.public):
            if isinstance(event, CardsTurned) and event.salts:
                other = replace(event, cards=tuple("Ks" if card == "As" else "As" for card in event.cards))
                for sealed in (stored.units, None):
                    events = [*stored.public[:at], other, *stored.public[at + 1 :]]
                    (what,) = found_in(stored, sealed, events)
                    assert what.startswith(f"The cards turned over ({' '.join(other.cards)})")
                changed += 1
    assert changed


def test_a_reveal_that_opens_too_few_seals_is_found():
    (stored,) = rounds_of("uth-casino-club")[:1]
    at, turned = next((at, it) for at, it in enumerate(stored.public) if isinstance(it, CardsTurned) and it.salts)
    events = [*stored.public[:at], replace(turned, salts=turned.salts[:-1]), *stored.public[at + 1 :]]
    for sealed in (stored.units, None):
        (what,) = found_in(stored, sealed, events)
        assert what.endswith("are not those that were sealed when they were dealt.")


def test_a_packet_with_more_seals_than_cards_is_checked_as_far_as_it_goes():
    (stored,) = rounds_of("uth-casino-club")[:1]
    at, dealt = next((at, event) for at, event in enumerate(stored.public) if isinstance(event, CardsDealt))
    forged = replace(dealt, seals=(*dealt.seals, bytes(32)))
    events = [*stored.public[:at], forged, *stored.public[at + 1 :]]
    assert found_in(stored, events=events) == set(), "the comparison with the rules reports it"


def test_the_document_of_a_round_is_what_was_sealed_with_it():
    (stored,) = rounds_of("uth-casino-club")[:1]
    unit = SealedUnit(0, "a digest of the document", b"salt")
    content = commitment(unit.cards, unit.salt).hex()
    opening = replace(stored.opening, opened=replace(stored.opening.opened, content=content))
    round_ = fold(opening, stored.public)

    def whats(*kept: SealedUnit) -> list[tuple[int, str]]:
        return [(at, finding.what) for at, finding in check_seals(round_, stored.public, {**stored.units, -1: kept})]

    other = "The seal of the round's document does not match its stored opening."
    assert whats(unit) == []
    assert whats() == [(-1, "The opening of the seal of the round's document is gone.")]
    for changed in (replace(unit, number=1), replace(unit, salt=b"pepper"), replace(unit, cards="another")):
        assert whats(changed) == [(-1, other)]

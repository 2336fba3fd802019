"""The register of third-party proposition players: company, registration and days.

No name is in an event: names are stored separately, where they can be erased."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from msgspec import Struct
from msgspec.structs import replace

from domain.errors import BadChoice, Rotation
from domain.event import Event
from domain.rules.ruleset import RuleSet

LONGEST_TEXT = 120


class PropositionRegistered(Event, frozen=True):
    """Gaming days of the property, both included; without a last one until it is ended."""

    bettor: str
    company: str
    registration: str
    first_day: date
    last_day: date | None


class PropositionEnded(Event, frozen=True):
    bettor: str
    last_day: date


PropositionEvent = PropositionRegistered | PropositionEnded
PROPOSITION_TOPICS: dict[str, type[Event]] = {
    "proposition.registered.v1": PropositionRegistered,
    "proposition.ended.v1": PropositionEnded,
}


class PropositionPlayer(Struct, frozen=True):
    """All registrations of one bettor, oldest first."""

    bettor: str = ""
    registrations: tuple[PropositionRegistered, ...] = ()

    def on(self, day: date) -> PropositionRegistered | None:
        return next((one for one in self.registrations if covers(one, day)), None)


def covers(registration: PropositionRegistered, day: date) -> bool:
    return registration.first_day <= day and (registration.last_day is None or day <= registration.last_day)


def evolve(player: PropositionPlayer, event: PropositionEvent) -> PropositionPlayer:
    if isinstance(event, PropositionRegistered):
        return PropositionPlayer(event.bettor, (*player.registrations, event))
    *earlier, last = player.registrations
    return replace(player, registrations=(*earlier, replace(last, last_day=event.last_day)))


def fold(events: Iterable[PropositionEvent]) -> PropositionPlayer:
    player = PropositionPlayer()
    for event in events:
        player = evolve(player, event)
    return player


def register(
    player: PropositionPlayer, bettor: str, company: str, registration: str, first_day: date, last_day: date | None
) -> PropositionRegistered:
    """Register a bettor. Nobody plays for two companies on the same day."""
    for what, text in (("company", company), ("registration number", registration)):
        if not text.strip() or len(text) > LONGEST_TEXT or not text.isprintable():
            raise BadChoice(f"The {what} is one line of 1 to {LONGEST_TEXT} characters.")
    if last_day is not None and last_day < first_day:
        raise BadChoice(f"The last day, {last_day}, is before the first, {first_day}.")
    for one in player.registrations:
        if (last_day is None or one.first_day <= last_day) and (one.last_day is None or first_day <= one.last_day):
            until = "on" if one.last_day is None else f"to {one.last_day}"
            raise BadChoice(f"{bettor} is already registered for {one.company} from {one.first_day} {until}.")
    return PropositionRegistered(bettor, company.strip(), registration.strip(), first_day, last_day)


def end(player: PropositionPlayer, bettor: str, last_day: date) -> PropositionEnded:
    if not player.registrations:
        raise BadChoice(f"{bettor} is not registered for any company.")
    last = player.registrations[-1]
    if last_day < last.first_day or (last.last_day is not None and last_day >= last.last_day):
        raise BadChoice(f"The registration of {bettor} for {last.company} cannot end on {last_day}.")
    return PropositionEnded(bettor, last_day)


def not_registered(player: PropositionPlayer, day: date) -> str | None:
    """Return why somebody on the register may not bank on a day; None if they may, or were never registered."""
    if not player.registrations or player.on(day) is not None:
        return None
    return f"{player.bettor} is a proposition player whose registration does not cover {day}"


def check_bank(player: PropositionPlayer, rules: RuleSet, day: date) -> None:
    why_not = not_registered(player, day)
    if why_not is not None:
        raise Rotation(f"{why_not}: they may not bank.", rules.clause("bank"))

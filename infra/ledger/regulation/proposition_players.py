"""The register of proposition players, and their names, which can be erased."""

from __future__ import annotations

from datetime import date, timedelta

from domain.errors import BadChoice
from domain.regulation import proposition_players
from domain.regulation.proposition_players import PropositionPlayer
from domain.rules.adoption import day_of
from domain.rules.ruleset import RuleSet
from infra.ledger.actor import Actor
from infra.ledger.application import CommandReceipt, LedgerApplication
from infra.ledger.erasable_names import ErasableNames
from infra.store.streams import stream_id

PROPOSITION = "proposition"  # kind of aggregate: one for each bettor on the register


def player_of(ledger: LedgerApplication, bettor: str) -> tuple[PropositionPlayer, int]:
    stored = ledger.events.load(stream_id(PROPOSITION, bettor))
    return proposition_players.fold(entry.event for entry in stored), len(stored)


def check_registered(ledger: LedgerApplication, rules: RuleSet, bettor: str, at_ms: int) -> None:
    """Refuse somebody on the register who banks on an unregistered day. A gaming day may begin on the UTC day
    before."""
    player, _ = player_of(ledger, bettor)
    today = day_of(at_ms)
    if player.on(today - timedelta(days=1)) is None:
        proposition_players.check_bank(player, rules, today)


def register_proposition(
    ledger: LedgerApplication,
    bettor: str,
    company: str,
    registration: str,
    first_day: date,
    last_day: date | None,
    actor: Actor,
    receipt: CommandReceipt = None,
) -> PropositionPlayer:
    player, version = player_of(ledger, bettor)
    registered = proposition_players.register(player, bettor, company, registration, first_day, last_day)
    after = proposition_players.evolve(player, registered)
    ledger.append((PROPOSITION, bettor), registered, actor, _registration(bettor), version, receipt, after)
    return after


def end_proposition(
    ledger: LedgerApplication, bettor: str, last_day: date, actor: Actor, receipt: CommandReceipt = None
) -> PropositionPlayer:
    player, version = player_of(ledger, bettor)
    ended = proposition_players.end(player, bettor, last_day)
    after = proposition_players.evolve(player, ended)
    ledger.append((PROPOSITION, bettor), ended, actor, _registration(bettor), version, receipt, after)
    return after


def _registration(bettor: str) -> str:
    return f"The registration of {bettor}"


# ---- names

NAMES = ErasableNames("roundledger.proposition_names", "A name", 80)
names_of = NAMES.of


def name_proposition(ledger: LedgerApplication, bettor: str, name: str, by: str) -> None:
    """Set the name of somebody on the register."""
    if not player_of(ledger, bettor)[0].registrations:
        raise BadChoice(f"{bettor} is not registered for any company.")
    NAMES.set(ledger, bettor, name, by)


def erase_name(ledger: LedgerApplication, bettor: str) -> None:
    NAMES.erase(ledger, bettor)

"""The register of proposition players, and their names, which can be erased."""

from __future__ import annotations

from datetime import date, timedelta

from domain.errors import BadChoice
from domain.regulation import proposition_players
from domain.regulation.proposition_players import PropositionEvent, PropositionPlayer
from domain.rules.adoption import day_of
from domain.rules.ruleset import RuleSet
from infra.aggregates.changes import Changes
from infra.housekeeping.holds import Holds
from infra.ledger.actor import Actor
from infra.ledger.application import CommandReceipt, LedgerApplication
from infra.store.database import Database
from infra.store.streams import stream_id

PROPOSITION = "proposition"  # kind of aggregate: one for each bettor on the register
LONGEST_NAME = 80


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
    return _save(ledger, bettor, player, version, registered, actor, receipt)


def end_proposition(
    ledger: LedgerApplication, bettor: str, last_day: date, actor: Actor, receipt: CommandReceipt = None
) -> PropositionPlayer:
    player, version = player_of(ledger, bettor)
    ended = proposition_players.end(player, bettor, last_day)
    return _save(ledger, bettor, player, version, ended, actor, receipt)


def _save(
    ledger: LedgerApplication,
    bettor: str,
    player: PropositionPlayer,
    version: int,
    event: PropositionEvent,
    actor: Actor,
    receipt: CommandReceipt,
) -> PropositionPlayer:
    after = proposition_players.evolve(player, event)
    changes = Changes(actor)
    changes.add(PROPOSITION, bettor, version, [event])
    ledger.save_changes(changes, f"The registration of {bettor}", receipt, after)
    return after


# ---- names


def name_proposition(ledger: LedgerApplication, bettor: str, name: str, by: str) -> None:
    """Set the name of somebody on the register."""
    if not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
        raise BadChoice(f"A name is one line of 1 to {LONGEST_NAME} characters.")
    if not player_of(ledger, bettor)[0].registrations:
        raise BadChoice(f"{bettor} is registered for no company.")
    if names_of(ledger.database).get(bettor, name.strip()) != name.strip():
        Holds(ledger).check_name_may_go(bettor)
    ledger.database.write(
        "INSERT INTO roundledger.proposition_names (bettor, name, set_by) VALUES (%s, %s, %s)"
        " ON CONFLICT (bettor) DO UPDATE SET name = excluded.name, set_by = excluded.set_by, set_at = now()",
        [bettor, name.strip(), by],
    )


def erase_name(ledger: LedgerApplication, bettor: str) -> None:
    """Erase a name; the record keeps the id and the company."""
    Holds(ledger).check_name_may_go(bettor)
    ledger.database.write("DELETE FROM roundledger.proposition_names WHERE bettor = %s", [bettor])


def names_of(database: Database) -> dict[str, str]:
    return dict(database.rows("SELECT bettor, name FROM roundledger.proposition_names"))

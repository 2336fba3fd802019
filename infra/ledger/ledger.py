"""The ledger: commands in, events out, all events of a command in one transaction.

`Ledger` lists the use cases of rounds; each is a function in the module of its subject. Those of tables, boxes, meters
and bettors are in floor.py, those of disputes in disputes.py."""

from infra.aggregates.rounds import Contradicted, StoredRound, UnknownRound
from infra.ledger import annotations, play, record
from infra.ledger.actor import Actor
from infra.ledger.application import CommandReceipt, LedgerApplication
from infra.ledger.disputes import whatif
from infra.ledger.regulation import adoptions, explanations, postings, proposition_players, round_facts

__all__ = ["Actor", "CommandReceipt", "Contradicted", "Ledger", "StoredRound", "UnknownRound"]


class Ledger(LedgerApplication):
    """One per process and database. Thread-safe."""

    # action by action
    open_round = record.open_round
    act = play.act

    # outside play
    waive_fee = annotations.waive_fee
    note = annotations.note
    dealer_paid = annotations.dealer_paid
    correct = annotations.correct
    correct_facts = annotations.correct_facts
    what_if = whatif.what_if

    # whole documents
    record_round = record.record_round
    record = record.record

    # rule sets
    adopt_rules = adoptions.adopt_rules
    adopt_shipped = adoptions.adopt_shipped
    retire_rules = adoptions.retire_rules

    # for the regulator
    choose_terms = postings.choose_terms
    post_terms = postings.post_terms
    take_down = postings.take_down
    designate_table = postings.designate_table
    facts_of = round_facts.facts_of
    call_supervisor = round_facts.call_supervisor
    see_deck = round_facts.see_deck
    notice_misdeal = round_facts.notice_misdeal
    hold_hands = round_facts.hold_hands
    register_proposition = proposition_players.register_proposition
    end_proposition = proposition_players.end_proposition
    name_proposition = proposition_players.name_proposition
    erase_name = proposition_players.erase_name
    explain_result = explanations.explain_result

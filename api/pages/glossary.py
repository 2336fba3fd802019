"""The glossary of the pages: a question mark next to a word leads here."""

from typing import Annotated

from fastapi import Request, Response, Security

from api.pages.dependencies import plain_caller
from api.pages.page_route import page_router
from api.pages.responses import render
from api.service import roles
from infra.access.callers import Caller

router = page_router()
PATH = "/glossary"
TERMS = {
    "Action": "The total that the players of a round wager, without the bank's own wager. Fees go by it.",
    "Action button": "The marker at the seat from which wagers are paid and collected. A bank that runs out pays the "
    "seats nearest to it first.",
    "As it stood at": "The same report as somebody would have seen it at that time: what was entered later is not in "
    "it, even if it happened before.",
    "Audit": "Takes what people did out of the record, decides every round again under the rules of its day, and "
    "compares. What differs is a finding; a note is worth knowing and no fault.",
    "Backline": "A bettor who bets behind somebody else's seat.",
    "Bank": "The player-dealer or the house, which pays the winners of a round and collects from the losers.",
    "Bettor": "A person with a wager, under an id that is not their name.",
    "Blind count": "Two people count a box, and neither sees the other's figures nor what it should hold. If they "
    "differ, a third one counts; two equal counts are needed.",
    "Cash log": "Cash in and out of each patron on a gaming day, with what has to be logged or reported.",
    "Checkpoint": "The signed size and root of the log of all events. What a checkpoint covers cannot be changed "
    "without being noticed; it is sealed.",
    "Clause": "A numbered passage of the rules. Every payment and every refusal names one.",
    "Correction": "Entries that correct a settled round, signed by two people. What was stored stays as it was.",
    "Coverage": "How far the player-dealer's wager pays what the rules owe. What it does not pay is the shortfall.",
    "Credit": "Chips taken from a table's tray back to the cage. The opposite of a fill.",
    "Dispute": "The file of a patron's claim on one wager: statements, evidence, the ruling, the appeal.",
    "Drop": "For a collection box, the fees that were dropped into it; for a house-banked table, what was exchanged "
    "for chips there.",
    "Drop box": "The locked box at a table that takes the collection fees.",
    "Expected": "What a box should hold: the fees of the rounds while it was on the table.",
    "Exposure": "What the bank could have to pay in a round, against what it put up.",
    "Fee": "The collection fee of a round that a player-dealer banks. A schedule has tiers: the more action, the "
    "higher the fee.",
    "Fill": "Chips brought from the cage to a table's tray.",
    "Gaming day": "The business day of the property, divided into shifts. It begins in the morning, so that the hours "
    "after midnight belong to the day before; a calendar date does not.",
    "Hold": "The win as a share of the drop.",
    "House-banked": "A table whose bank is the house, with a tray of chips.",
    "Journal": "Double entry: every movement of chips, from which account and to which. Its entries sum to zero.",
    "Late entry": "Something recorded more than a minute after it happened, with the time at which it happened.",
    "Liability": "The most that the bank could have to pay in a round, whatever cards come.",
    "Meter": "A progressive jackpot: what it shows, and its reserve.",
    "Net": "What was won less what was lost; for fees, those taken less those waived.",
    "Player-dealer": "A player who banks the round. The position goes round the table.",
    "Rule set": "One published set of rules of a game, with its version. A round is judged by the version in force "
    "when it was opened.",
    "Session": "A table from opening to closing, under one rule set and one set of terms.",
    "Shortfall": "What the player-dealer's wager did not cover of what the rules owe.",
    "Slip": "A numbered paper for chips that move between cage and table, for the opening and closing count of a tray, "
    "or for a box that is swapped. Two or three people sign it.",
    "Spot": "The place on the layout for one kind of wager: ante, blind, trips.",
    "Terms": "What a table chooses within its rule set: limits, pay table, schedule of fees.",
    "Tier": "A step of a schedule of fees, by action.",
    "Toke": "A bet made as a tip for the dealer.",
    "Tolerance": "By how much a count may differ from what is expected without an explanation.",
    "Tray": "The chips of a house-banked table, counted when it opens and closes.",
    "Variance": "What was counted less what was expected. Below zero a box is short, above it is over.",
    "Void": "A round that was ended without a settlement: every wager is returned.",
    "Waiver": "A fee that is not charged, with the reason.",
    "What-if": "The round settled again with another card, bet or decision. Nothing is stored.",
    "Win": "What a house-banked table won: closing + credits − opening − fills + drop.",
}


@router.get(PATH)
async def show_glossary(
    request: Request, caller: Annotated[Caller, Security(plain_caller, scopes=roles.ANYBODY)]
) -> Response:
    terms = [{"term": term, "id": anchor(term), "meaning": meaning} for term, meaning in TERMS.items()]
    return await render(request, "glossary.html", {"terms": terms}, title="Glossary", section="glossary")


def anchor(term: str) -> str:
    return term.lower().replace(" ", "-")

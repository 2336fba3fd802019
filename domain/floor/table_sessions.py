"""A table session: its terms, who sits where, who may bank next, the deck in play, its drop box.

A session's terms never change: to use others, a table closes its session and opens the next one, which takes over who
banked last and which deck comes next."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, get_args

from msgspec import Struct
from msgspec.structs import replace

from domain.books.cash import Means
from domain.errors import BadChoice, Conflict, OutOfTurn, Rotation
from domain.event import Event
from domain.round.dealing import clockwise
from domain.rules.ruleset import RuleSet
from domain.rules.terms import Terms

DeckColour = Literal["blue", "red"]
DECK_COLOURS: tuple[DeckColour, ...] = get_args(DeckColour)
NOBODY = "nobody"  # the dealer of a round in reports, if none was tapped in

MOST_ENDED = 4  # finished rounds that are remembered, because their chips may still have to be paid

TrayCount = Literal["opening", "closing"]


class BankRun(Event, frozen=True):
    """Who banked last, where, and how many rounds in a row; a voided round does not count."""

    bettor: str
    seat: int
    rounds: int


class SessionOpened(Event, frozen=True):
    table: str
    session: int
    ruleset: str
    ruleset_hash: str
    terms: dict[str, Any]
    box: str | None
    deck: str | None
    run: BankRun | None = None
    dealer: str | None = None


class SeatTaken(Event, frozen=True):
    seat: int
    bettor: str


class SeatLeft(Event, frozen=True):
    seat: int
    bettor: str


class ChipsMovedV1(Event, frozen=True):
    """A buy-in or a cash-out as it was stored before the means were marked."""

    bettor: str
    amount: int

    def bought(self) -> ChipsBought:
        return ChipsBought(self.bettor, self.amount)

    def cashed(self) -> ChipsCashed:
        return ChipsCashed(self.bettor, self.amount)


class ChipsBought(Event, frozen=True):
    """`means` is what the patron gave for the chips."""

    bettor: str
    amount: int
    means: Means = "unknown"


class ChipsCashed(Event, frozen=True):
    """`means` is what the patron got for the chips."""

    bettor: str
    amount: int
    means: Means = "unknown"


class TrayFilled(Event, frozen=True):
    amount: int
    slip: str


class TrayCredited(Event, frozen=True):
    amount: int
    slip: str


class TrayCounted(Event, frozen=True):
    """What is in the tray between rounds: an opening count begins a stretch of play, a closing one ends it."""

    amount: int
    when: TrayCount


class BankOffered(Event, frozen=True):
    seat: int
    bettor: str


class BankDeclined(Event, frozen=True):
    seat: int
    bettor: str


class DealerTappedIn(Event, frozen=True):
    """Who deals from now on, until they tap out or somebody else taps in."""

    dealer: str


class DealerTappedOut(Event, frozen=True):
    dealer: str


class RoundBegun(Event, frozen=True):
    round: str
    bank_seat: int | None
    bank_bettor: str | None
    turn: int | None
    deck: str | None


class RoundEnded(Event, frozen=True):
    round: str
    status: str


class BoxChanged(Event, frozen=True):
    box: str | None


class SessionClosed(Event, frozen=True):
    rounds: int


class SessionNoted(Event, frozen=True):
    """A snapshot of the session, stored now and then so that it need not be read from its beginning."""

    box: str | None
    deck: str | None
    run: BankRun | None
    seats: dict[int, str]
    playing: RoundBegun | None
    rounds: int
    tray: TrayCount | None = None
    dealer: str | None = None


class SessionNumbered(Event, frozen=True):
    """In the table's own list: its latest session from now on."""

    session: int


TableEvent = (
    SessionOpened
    | SeatTaken
    | SeatLeft
    | ChipsBought
    | ChipsCashed
    | TrayFilled
    | TrayCredited
    | TrayCounted
    | BankOffered
    | BankDeclined
    | DealerTappedIn
    | DealerTappedOut
    | RoundBegun
    | RoundEnded
    | BoxChanged
    | SessionClosed
    | SessionNoted
    | SessionNumbered
)

# Events with an order at a table. Seats and chips have none: a late buy-in concerns no round.
IN_ORDER = (
    SessionOpened,
    BankOffered,
    BankDeclined,
    DealerTappedIn,
    DealerTappedOut,
    RoundBegun,
    RoundEnded,
    BoxChanged,
    TrayCounted,
    SessionClosed,
)

TABLE_TOPICS: dict[str, type[TableEvent]] = {
    "table.session_opened.v1": SessionOpened,
    "table.seat_taken.v1": SeatTaken,
    "table.seat_left.v1": SeatLeft,
    "table.chips_bought.v2": ChipsBought,
    "table.chips_cashed.v2": ChipsCashed,
    "table.tray_filled.v1": TrayFilled,
    "table.tray_credited.v1": TrayCredited,
    "table.tray_counted.v1": TrayCounted,
    "table.bank_offered.v1": BankOffered,
    "table.bank_declined.v1": BankDeclined,
    "table.dealer_tapped_in.v1": DealerTappedIn,
    "table.dealer_tapped_out.v1": DealerTappedOut,
    "table.round_begun.v1": RoundBegun,
    "table.round_ended.v1": RoundEnded,
    "table.box_changed.v1": BoxChanged,
    "table.session_closed.v1": SessionClosed,
    "table.session_noted.v1": SessionNoted,
    "table.session_numbered.v1": SessionNumbered,
}
# No longer written, and still read: the shape of the old rows, the topic that follows, and the way there.
RETIRED_TABLE_TOPICS: dict[str, tuple[type[ChipsMovedV1], str, Callable[[ChipsMovedV1], TableEvent]]] = {
    "table.chips_bought.v1": (ChipsMovedV1, "table.chips_bought.v2", ChipsMovedV1.bought),
    "table.chips_cashed.v1": (ChipsMovedV1, "table.chips_cashed.v2", ChipsMovedV1.cashed),
}


class TableSession(Struct, frozen=True):
    rules: RuleSet
    terms: Terms
    opened: SessionOpened
    box: str | None
    deck: str | None  # of the next round
    run: BankRun | None
    seats: Mapping[int, str] = {}
    playing: RoundBegun | None = None
    rounds: int = 0
    closed: bool = False
    tray: TrayCount | None = None  # the last count of it
    dealer: str | None = None  # who is tapped in
    ended: tuple[str, ...] = ()  # the table's last finished rounds, for screens; not in snapshots

    @property
    def table(self) -> str:
        return self.opened.table


def start(rules: RuleSet, terms: Terms, opened: SessionOpened, ended: tuple[str, ...] = ()) -> TableSession:
    """Start a session. `ended` are the last rounds of the previous one, whose chips may still have to be paid."""
    return TableSession(
        rules=rules,
        terms=terms,
        opened=opened,
        box=opened.box,
        deck=opened.deck,
        run=opened.run,
        dealer=opened.dealer,
        ended=ended,
    )


# ---- evolving


def evolve(session: TableSession, event: TableEvent) -> TableSession:
    remember = _REMEMBER.get(type(event))
    return session if remember is None else remember(session, event)


def fold(session: TableSession, events: Iterable[TableEvent]) -> TableSession:
    for event in events:
        session = evolve(session, event)
    return session


def _round_ended(session: TableSession, event: RoundEnded) -> TableSession:
    begun, run, deck = session.playing, session.run, session.deck
    if begun is not None and begun.deck is not None:
        deck = DECK_COLOURS[1 - DECK_COLOURS.index(begun.deck)]
    if begun is not None and begun.bank_seat is not None and event.status == "settled":
        run = BankRun(begun.bank_bettor or "", begun.bank_seat, begun.turn or 1)
    return replace(session, playing=None, run=run, deck=deck, ended=(*session.ended, event.round)[-MOST_ENDED:])


def _session_noted(session: TableSession, event: SessionNoted) -> TableSession:
    return replace(session, **{name: getattr(event, name) for name in event.__struct_fields__})


def _without_seat(seats: Mapping[int, str], seat: int) -> dict[int, str]:
    return {other: bettor for other, bettor in seats.items() if other != seat}


_REMEMBER: Mapping[type[TableEvent], Callable[[TableSession, Any], TableSession]] = {
    SeatTaken: lambda session, event: replace(session, seats={**session.seats, event.seat: event.bettor}),
    SeatLeft: lambda session, event: replace(session, seats=_without_seat(session.seats, event.seat)),
    DealerTappedIn: lambda session, event: replace(session, dealer=event.dealer),
    DealerTappedOut: lambda session, event: replace(session, dealer=None),
    RoundBegun: lambda session, event: replace(session, playing=event, rounds=session.rounds + 1),
    RoundEnded: _round_ended,
    BoxChanged: lambda session, event: replace(session, box=event.box),
    TrayCounted: lambda session, event: replace(session, tray=event.when),
    SessionClosed: lambda session, event: replace(session, closed=True),
    SessionNoted: _session_noted,
}


# ---- deciding


def open_session(
    rules: RuleSet, terms: Terms, table: str, before: TableSession | None, box: str | None
) -> SessionOpened:
    """Open a table's first or next session, which takes over who banked last, the deck and the dealer."""
    if before is not None and not before.closed:
        raise Conflict(f"Table {table} has a session open.")
    last_deck = None if before is None else before.deck
    return SessionOpened(
        table=table,
        session=1 if before is None else before.opened.session + 1,
        ruleset=rules.id,
        ruleset_hash=rules.content_hash,
        terms=terms.document,
        box=box,
        deck=(last_deck or DECK_COLOURS[0]) if rules.alternating_decks else None,
        run=None if before is None else before.run,
        dealer=None if before is None else before.dealer,
    )


def close_session(session: TableSession) -> SessionClosed:
    _check_open(session)
    if session.playing is not None:
        # Without the round's id, from which a counter could tell how many rounds there were.
        raise OutOfTurn(f"A round is still open at table {session.table}.")
    return SessionClosed(session.rounds)


def seat_players(session: TableSession, players: Mapping[int, str]) -> list[TableEvent]:
    """Return who must leave and who must sit down so that exactly these players sit at the table."""
    events: list[TableEvent] = []
    for seat, bettor in sorted(session.seats.items()):
        if players.get(seat) != bettor:
            events.append(SeatLeft(seat, bettor))
    for seat, bettor in sorted(players.items()):
        if session.seats.get(seat) != bettor:
            events.append(SeatTaken(seat, bettor))
    return events


def take_seat(session: TableSession, seat: int, bettor: str) -> SeatTaken:
    _check_open(session)
    if seat in session.seats:
        raise Conflict(f"{session.seats[seat]} sits at seat {seat}.")
    return SeatTaken(seat, bettor)


def leave_seat(session: TableSession, seat: int) -> SeatLeft:
    _check_open(session)
    if seat not in session.seats:
        raise OutOfTurn(f"Nobody sits at seat {seat}.")
    return SeatLeft(seat, session.seats[seat])


def move_chips(session: TableSession, event: ChipsBought | ChipsCashed | TrayFilled | TrayCredited) -> TableEvent:
    """Record chips: buy-ins and cash-outs at any table; fills and credits only at a table with a tray."""
    _check_open(session)
    if isinstance(event, TrayFilled | TrayCredited) and session.rules.player_banked:
        raise BadChoice("Only a house-banked table has a tray to fill.", session.rules.clause("bank"))
    return event


def count_tray(session: TableSession, amount: int, when: TrayCount) -> TrayCounted:
    """Count the tray between rounds, opening and closing in turn, only at a table with a tray."""
    _check_open(session)
    if session.rules.player_banked:
        raise BadChoice("Only a house-banked table has a tray to count.", session.rules.clause("bank"))
    if session.playing is not None:
        raise OutOfTurn("The tray is counted between rounds.")
    if amount < 0:
        raise BadChoice("The amount in a tray cannot be negative.")
    if when == "opening" and session.tray == "opening":
        raise OutOfTurn(f"The tray of table {session.table} has its opening count: the closing one comes next.")
    if when == "closing" and session.tray != "opening":
        raise OutOfTurn(f"The tray of table {session.table} has no opening count yet.")
    return TrayCounted(amount, when)


def tap_in(session: TableSession, dealer: str | None) -> list[TableEvent]:
    """Change the dealer, or leave the table without one; between rounds, so that a round has one dealer."""
    _check_open(session)
    if session.playing is not None:
        raise OutOfTurn("Dealers change between rounds.")
    if dealer == NOBODY:
        raise BadChoice(f"{NOBODY} is not a dealer: reports use the word for rounds without one.")
    if dealer == session.dealer:
        who = "Nobody is" if dealer is None else f"{dealer} is already"
        raise Conflict(f"{who} dealing at table {session.table}.")
    events: list[TableEvent] = [] if session.dealer is None else [DealerTappedOut(session.dealer)]
    return events if dealer is None else [*events, DealerTappedIn(dealer)]


def change_box(session: TableSession, box: str | None) -> BoxChanged:
    _check_open(session)
    if session.playing is not None:
        raise OutOfTurn("The box is changed between rounds.")
    return BoxChanged(box)


def _check_open(session: TableSession) -> None:
    if session.closed:
        raise OutOfTurn(f"The session of table {session.table} is closed.")


def begin_round(
    session: TableSession,
    round_id: str,
    bank: tuple[int, str] | None,
    declined: tuple[int, ...] = (),
    occupied: Iterable[int] = (),
) -> list[TableEvent]:
    """Record offers and refusals of the bank, then the round; `occupied` are the seats that could be offered it."""
    _check_open(session)
    if session.playing is not None:
        raise Conflict(f"Round {session.playing.round} is open at table {session.table}.")
    if bank is None:
        return [RoundBegun(round=round_id, bank_seat=None, bank_bettor=None, turn=None, deck=session.deck)]
    events: list[TableEvent] = []
    seat, bettor = bank
    for other in declined:
        who = session.seats.get(other) or f"seat-{other}"
        events += [BankOffered(other, who), BankDeclined(other, who)]
    turn = _turn(session, seat, bettor, declined, frozenset(occupied) - {seat})
    return [*events, RoundBegun(round=round_id, bank_seat=seat, bank_bettor=bettor, turn=turn, deck=session.deck)]


def _turn(session: TableSession, seat: int, bettor: str, declined: tuple[int, ...], others: frozenset[int]) -> int:
    """Return which of the player-dealer's consecutive rounds this is. Raises Rotation if they may not bank it."""
    run = session.run
    if run is None or run.bettor != bettor:
        return 1
    most = session.rules.rotation_rounds
    if run.rounds < most:
        return run.rounds + 1
    clause = session.rules.clause("rotation")
    if session.rules.rotation == "strict":
        raise Rotation(f"{bettor} has banked {most} rounds in a row: somebody else must bank.", clause)
    if tuple(other for other in declined if other in others) != clockwise(others, run.seat):
        offered = ", ".join(str(other) for other in clockwise(others, run.seat))
        raise Rotation(
            f"{bettor} has banked {most} rounds in a row: the bank must first be offered to the seats"
            f" {offered}, in this order, and all of them decline.",
            clause,
        )
    return 1


def noted(session: TableSession) -> SessionNoted:
    return SessionNoted(**{name: getattr(session, name) for name in SessionNoted.__struct_fields__})

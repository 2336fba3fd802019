"""Round documents in short words, and what the ledger says of them.

A `Play` never changes: each step returns a longer one, so that several ways to go on can be tried from the same point.

    Play.at("tcp-casino-club", banker=7, schedule=1).bet(1, ante=10, pair_plus=5).close_bets().deal(1, "AsAdKc")

A line of a result is written as one sentence that leaves out what is zero:

    1 blind 10.00: win 3:2, paid 15.00
    2/b-1 ante 10.00: lose, collected 4.00, short 6.00
    3#2 game 10.00: no_action, short 10.00                (the second hand of seat 3)
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Self

from domain.documents.document import adjudicate, read_document
from domain.documents.result import result_of
from domain.floor import table_sessions
from domain.round.decide import expects
from domain.round.events import RoundEvent
from domain.round.replay import play
from domain.rules import rulesets
from domain.rules.terms import TermsDocument, resolve

Dollars = int | str  # 25 is "25.00"; cents are written out
Place = int | str


def money(amount: Dollars) -> str:
    return f"{amount}.00" if isinstance(amount, int) else amount


def cards(text: str) -> list[str | None]:
    """The cards of "As??": the ace of spades, and one that nobody has seen."""
    each = [text[at : at + 2] for at in range(0, len(text), 2)]
    return [None if card == "??" else card for card in each]


@dataclass(frozen=True)
class Play:
    """A round document so far."""

    envelope: Mapping[str, Any]
    actions: tuple[Mapping[str, Any], ...] = ()

    @classmethod
    def at(
        cls,
        ruleset: str,
        *,
        banker: int | None = None,
        wager: Dollars = 100_000,
        players: Mapping[int, str] | None = None,
        declined: list[int] | None = None,
        **terms: Any,
    ) -> Self:
        """A table at which nobody has bet yet; `banker` is the seat of the player-dealer, `wager` what they put up."""
        envelope: dict[str, Any] = {"round": "r-1", "ruleset": ruleset, "terms": terms}
        if banker is not None:
            envelope["player_dealer"] = {"seat": banker, "wager": money(wager)}
            if declined is not None:
                envelope["player_dealer"]["declined"] = declined
        if players is not None:
            envelope["players"] = {str(seat): bettor for seat, bettor in players.items()}
        return cls(envelope)

    # ---- one action each, apart from `bet`, which is one for each spot

    def do(self, do: str, **fields: Any) -> Self:
        """An action with those of its fields that are not None."""
        action = {"do": do} | {name: value for name, value in fields.items() if value is not None}
        return replace(self, actions=(*self.actions, action))

    def bet(self, seat: int, bettor: str | None = None, kind: str | None = None, **spots: Dollars) -> Self:
        play = self
        for spot, amount in spots.items():
            play = play.do("bet", seat=seat, spot=spot, amount=money(amount), bettor=bettor, kind=kind)
        return play

    def withdraw(self, seat: int, spot: str, amount: Dollars | None = None, bettor: str | None = None) -> Self:
        text = None if amount is None else money(amount)
        return self.do("withdraw", seat=seat, spot=spot, amount=text, bettor=bettor)

    def close_bets(self) -> Self:
        return self.do("close_bets")

    def deal(self, to: Place, text: str, hand: int | None = None) -> Self:
        return self.do("deal", to=to, cards=cards(text), hand=hand)

    def decide(
        self,
        seat: int,
        choice: str,
        *,
        times: int | None = None,
        amount: Dollars | None = None,
        hand: int | None = None,
        bettor: str | None = None,
    ) -> Self:
        text = None if amount is None else money(amount)
        return self.do("decide", seat=seat, choice=choice, times=times, amount=text, hand=hand, bettor=bettor)

    def reveal(self, of: Place, text: str | None = None) -> Self:
        return self.do("reveal", of=of, cards=None if text is None else cards(text))

    def peek(self, pure: bool | None = None) -> Self:
        return self.do("peek", pure=pure)

    def settle(self) -> Self:
        return self.do("settle")

    def void(self, reason: str, detail: str | None = None) -> Self:
        return self.do("void", reason=reason, detail=detail)

    # ---- what comes of it

    def adjudicated(self) -> dict[str, Any]:
        return adjudicate(json.dumps({**self.envelope, "actions": self.actions}).encode())

    def result(self) -> Result:
        """The result of a document that is in order, finished or not."""
        fields = self.adjudicated()
        assert fields["error"] is None, fields["error"]
        return Result(fields)

    def result_under(self, version: int) -> Result:
        """The result by an earlier version of the rule set; a refusal is raised."""
        document = {**self.envelope, "actions": list(self.actions)}
        read = read_document(document, lambda ruleset: rulesets.load(ruleset, version))
        return Result(result_of(play(read.opening, read.actions)[0]))

    def events(self) -> list[RoundEvent]:
        """What the ledger stores of it after the opening; a refusal is raised."""
        document = read_document({**self.envelope, "actions": list(self.actions)})
        return list(play(document.opening, document.actions)[1])

    def expects(self) -> list[dict[str, Any]]:
        """What the ledger offers next; a refusal is raised."""
        document = read_document({**self.envelope, "actions": list(self.actions)})
        return expects(play(document.opening, document.actions)[0])

    @property
    def status(self) -> str:
        return str(self.adjudicated()["status"])

    def last_refused(self) -> tuple[str, str | None]:
        """Code and clause of a refusal that meets the last action and none before it."""
        return self._refused(len(self.actions) - 1)

    def document_refused(self) -> tuple[str, str | None]:
        """Code and clause of a refusal that meets the document itself, before any of its actions."""
        return self._refused(None)

    def _refused(self, action: int | None) -> tuple[str, str | None]:
        fields = self.adjudicated()
        assert fields["status"] == "refused"
        assert fields["error"]["action"] == action, fields["error"]
        assert fields["lines"] == []
        return fields["error"]["code"], fields["error"]["clause"]


@dataclass(frozen=True)
class Result:
    fields: Mapping[str, Any]

    def __getitem__(self, name: str) -> Any:
        return self.fields[name]

    @property
    def lines(self) -> list[str]:
        """All lines, in the order in which they were settled."""
        return [answer(line) for line in self["lines"]]

    def lines_by(self, clause: str) -> list[str]:
        """The lines that a clause has decided, and no others."""
        return [answer(line) for line in self["lines"] if line["clause"] == clause]

    def lines_at(self, seat: int) -> list[str]:
        return [answer(line) for line in self["lines"] if line["seat"] == seat]

    def line(self, seat: int, spot: str, *, bettor: str | None = None, hand: int = 1) -> str:
        """The one line of a wager; `bettor` is the seated player unless another is named."""
        wager = (seat, spot, bettor or f"seat-{seat}", hand)
        (found,) = [
            line for line in self["lines"] if (line["seat"], line["spot"], line["bettor"], line["hand"]) == wager
        ]
        return answer(found)

    def spots(self, seat: int) -> list[str]:
        """The spots of a seat in the order of their lines."""
        return [line["spot"] for line in self["lines"] if line["seat"] == seat]

    def seats(self) -> list[int]:
        """The seats in the order in which they were settled."""
        return list(dict.fromkeys(line["seat"] for line in self["lines"]))


def answer(line: Mapping[str, Any]) -> str:
    """A line as a sentence. What it leaves out follows from the rest, and is held here."""
    _check_sums(line)
    hand = "" if line["hand"] == 1 else f"#{line['hand']}"
    bettor = "" if line["bettor"] == f"seat-{line['seat']}" else f"/{line['bettor']}"
    odds = "" if line["odds"] is None else f" {line['odds']}"
    parts = [f"{line['seat']}{hand}{bettor} {line['spot']} {line['wager']}: {line['outcome']}{odds}"]
    parts += [f"{word} {line[word]}" for word in ("paid", "collected") if line[word] != "0.00"]
    if line["shortfall"] != "0.00":
        parts.append(f"short {line['shortfall']}")
    if line["from"] == "meter":
        parts.append("from the meter")
    return ", ".join(parts)


def _check_sums(line: Mapping[str, Any]) -> None:
    names = ("wager", "owed", "paid", "collected", "returned", "shortfall")
    wager, owed, paid, collected, returned, shortfall = (Decimal(line[name]) for name in names)
    assert wager == collected + returned
    if line["spot"] == "progressive":  # the wager is never returned, so it is collected even from a winner
        assert owed == (paid if line["outcome"] == "win" else wager)
        assert collected == wager
        assert shortfall == 0
    else:
        assert shortfall == owed - paid - collected


def after_rounds(ruleset: str, *ended: tuple[int, str, str], **terms: Any) -> table_sessions.TableSession:
    """A table's session after rounds given as the player-dealer's seat and id, and "settled" or "void"."""
    rules = rulesets.load(ruleset)
    resolved = resolve(rules, TermsDocument(**terms))
    session = table_sessions.start(rules, resolved, table_sessions.open_session(rules, resolved, "t-1", None, None))
    for number, (seat, bettor, status) in enumerate(ended, start=1):
        begun = table_sessions.begin_round(session, f"r-{number}", (seat, bettor))
        session = table_sessions.fold(session, [*begun, table_sessions.RoundEnded(f"r-{number}", status)])
    return session

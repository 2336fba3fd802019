"""Parts of a replay: cards and chips in their places, every step with its reason, every settlement line.

Written in Python and not as template macros, like rows of reports (`api.pages.cells`): a round has some hundred places
on the felt, sixty steps and twenty lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any
from urllib.parse import quote_plus

from markupsafe import Markup

from api.pages.rendering.escaping import safe
from domain.money import cents, money

Shown = Callable[[Any], str]
One = Mapping[str, Any]
TOTALLED = ("wager", "owed", "paid", "collected", "returned", "shortfall")
OTHER_SIDES = {
    "bank": "banked",
    "house": "the house",
    "meter": "the progressive meter",
    "account": "account of a correction",
}
OUTCOMES = {"win": "good", "lose": "bad", "no_action": "warn", "surrender": "warn"}


class Drawing:
    """`shown` are the filters of the templates: money, signed, clock, words, card_name, card_rank, card_suit;
    `card_face` draws a card."""

    def __init__(self, shown: Mapping[str, Shown], card_face: Callable[[str | None, str], Markup]) -> None:
        self._shown = shown
        self._money = shown["money"]
        self._card_face = card_face
        self._card = lru_cache(1024)(self._card_at)

    # ---- the felt

    def dollars(self, name: str, state: One) -> Markup:
        """Return the place of an amount."""
        return Markup(f'<span data-k="{name}" data-kind="money">{self._money(state.get(name))}</span>')  # digits

    def seat(self, seat: One, state: One, marked: Sequence[str]) -> Markup:
        number, bettor, banks = seat["seat"], safe(seat["bettor"] or ""), seat["banks"]
        looks = state.get(f"seat/{number}", "")
        looks += "" if seat["piles"] or banks else " empty"
        looks += " banks" if banks else ""
        spoken = f"Seat {number}, the player-dealer:" if banks else f"Seat {number}:"  # before its cards
        puck = '<span class="puck" title="player-dealer" aria-hidden="true">PD</span>' if banks else ""
        off = "" if state.get(f"button/{number}") else " gone"
        named = f'<a href="/people/{bettor}">{bettor}</a>' if bettor else "empty"
        return Markup(
            f'<li class="seat {safe(looks)}" data-k="seat/{number}" data-kind="looks">\n'
            f'<span class="visually-hidden">{spoken}</span>\n{self._at_seat(seat, state, marked)}\n'
            f'<p class="plate"><span class="seat-number" aria-hidden="true">{number}</span>\n'
            f'{puck}\n<span class="puck on{off}" data-k="button/{number}" data-kind="there" role="img"'
            ' aria-label="action button" title="action button">ON</span>\n'
            f'<span class="bettor">{named}</span></p>\n</li>'
        )

    def _at_seat(self, seat: One, state: One, marked: Sequence[str]) -> str:
        """Return the hands with the wagers on each, the seated player's other wagers, and who bets behind them."""
        own = [pile for pile in seat["piles"] if not pile["kind"]]
        hands = "\n".join([self._on_seat(seat["seat"], hand, own, state, marked) for hand in seat["hands"]])
        at_seat = self.piles([pile for pile in own if pile["hand"] is None], state)
        others: dict[str, list[One]] = {}
        for pile in seat["piles"]:
            if pile["kind"]:
                others.setdefault(pile["bettor"], []).append(pile)
        behind = "\n".join([self._behind(bettor, others[bettor], state) for bettor in sorted(others)])
        return f'<div class="at-seat">\n<div class="hands">{hands}</div>\n{at_seat}</div>\n{behind}'

    def _on_seat(self, seat: int, hand: One, own: Iterable[One], state: One, marked: Sequence[str]) -> str:
        label = f"hand/{seat}/{hand['hand']}"
        words = state.get(label)
        piles = self.piles([pile for pile in own if pile["hand"] == hand["hand"]], state)
        gone = " gone" if words is None else ""
        return (
            f'<div class="hand{gone}" data-k="{safe(label)}" data-kind="hand">\n'
            f'<div class="cards">{self.cards(hand["cards"], state, marked)}</div>\n'
            f'<p class="made-name">{safe(words or "")}</p>\n{piles}</div>'
        )

    def _behind(self, bettor: str, piles: Sequence[One], state: One) -> str:
        who, kind = safe(bettor), safe(piles[0]["kind"])
        named = f'<span class="behind"><a href="/people/{who}">{who}</a> {kind}</span>'
        return f'<div class="others">{named}{self.piles(piles, state)}</div>'

    def cards(self, names: Iterable[str], state: One, marked: Sequence[str]) -> Markup:
        """Return the places of these cards, each empty until a card is there."""
        return Markup("".join([self._card(name, state.get(name), name in marked) for name in names]))

    def _card_at(self, name: str, face: str | None, marked: bool) -> str:
        looks = " gone" if face is None else " back" if face == "" else ""
        looks += " marked" if marked else ""
        said = safe(self._shown["card_name"](face or None))
        label = "" if face is None else f' aria-label="{said}"'
        suit = f' data-suit="{safe(face[1])}"' if face else ""
        rank, sign = (safe(self._shown[part](face)) if face else "" for part in ("card_rank", "card_suit"))
        return (
            f'<span class="card{looks}" data-k="{safe(name)}" data-kind="card" '
            f'role="img"{label}{suit}><span class="rank" aria-hidden="true">{rank}</span>'
            f'<span class="suit" aria-hidden="true">{sign}</span></span>'
        )

    def piles(self, piles: Sequence[One], state: One) -> Markup:
        drawn = "".join(self._pile(pile, state.get(pile["name"])) for pile in piles)
        return Markup(f'<ul class="piles">{drawn}</ul>' if drawn else "")  # escaped in each

    def _pile(self, pile: One, lies: Sequence[str] | None) -> str:
        chips, moved, looks = ("", "", "gone") if lies is None else map(safe, lies)
        name, spot, hand = safe(pile["name"]), safe(self._shown["words"](pile["spot"])), pile["hand"]
        numbered = f" {hand}" if pile["kind"] and hand and hand > 1 else ""
        return (
            f'<li class="pile {looks}" data-k="{name}" data-kind="pile">\n<span class="spot">{spot}{numbered}</span>\n'
            f'<span class="chip">{chips}</span>\n<span class="moved">{moved}</span>\n</li>'
        )

    # ---- what happened, and why

    def timeline(self, steps: Iterable[One], now: int, asked: str, ruleset: str, banker: str) -> Markup:
        rules: dict[Any, str] = {}  # most steps have one of a few clauses
        clocks: dict[str, str] = {}  # all events of an action have one time
        at = _address(asked)
        drawn = []
        for step in steps:
            if step["at"] not in clocks:
                clocks[step["at"]] = self._shown["clock"](step["at"])  # markup
            because = self._because(step, ruleset, banker, rules)
            drawn.append(self._step(step, now, at, clocks[step["at"]], because))
        return Markup("\n".join(drawn))  # escaped in its parts

    def because(self, step: One, ruleset: str, banker: str) -> Markup:
        return Markup(self._because(step, ruleset, banker, {}))  # escaped in its parts

    def headline(self, step: One) -> Markup:
        return Markup(self._headline(step))  # escaped there

    def _headline(self, step: One) -> str:
        text, amount = safe(step["text"]), step["amount"]
        return text if amount is None else f'{text} <span class="amount">{safe(self._money(amount))}</span>'

    def _step(self, step: One, now: int, at: str, clock: str, because: str) -> str:
        number, by, outcome = step["step"], safe(step["by"]), step["outcome"]
        looks = f' class="{safe(outcome)}"' if outcome else ""
        current = ' aria-current="step"' if number == now else ""
        cards = f" {self._hand(step['cards'])}" if step["cards"] else ""
        late = ' <span class="badge warn">entered late</span>' if step["late"] else ""
        return (
            f'<li id="step-{number}"{looks}>\n<a href="{at}{number}" data-step="{number}"{current}>\n'
            f'<span class="number-of">{number}</span>\n<span class="what">{self._headline(step)}{cards}</span>\n'
            f'<span class="when">{clock} · {by}{late}</span>\n</a>\n<div class="because">{because}</div>\n</li>'
        )

    def _because(self, step: One, ruleset: str, banker: str, rules: dict[Any, str]) -> str:
        why = step["why"]
        sentence = why["sentence"]
        parts = [f'<p class="sentence">{safe(sentence)}</p>'] if sentence else []
        for hand in why["made"]:
            made = f"<p><strong>{safe(hand['who'])}</strong> {safe(hand['text'])}</p>{self._hand(hand['cards'])}"
            parts.append(f'<div class="made">{made}</div>')
        if step["left"]:
            parts.append(f'<p class="left">{safe(banker.capitalize())}\'s wager: {safe(step["left"])}</p>')
        if why["clause"]:
            key = (why["clause"], why["says"], why["decided"])
            if key not in rules:
                rules[key] = self._rule(*key, ruleset)
            parts.append(rules[key])
        return "\n".join(parts)

    def _rule(self, clause: str, says: str | None, decided: bool, ruleset: str) -> str:
        ours = ' <span class="badge warn">decided where the source is silent</span>' if decided else ""
        return (
            f'<blockquote class="rule"><p>{safe(says or "")}</p><footer>{_clause(clause, ruleset)}{ours}</footer>'
            "</blockquote>"
        )

    def _hand(self, cards: Iterable[str | None]) -> str:
        return f'<span class="cards">{"".join([self._card_face(card, "small") for card in cards])}</span>'

    # ---- settlement lines

    def lines(
        self, lines: Iterable[One], now: int, asked: str, round_: str, ruleset: str, banked: bool, may_dispute: bool
    ) -> Markup:
        at = _address(asked)
        rows = [
            row
            for line in lines
            for row in self._line(line, now, at, ruleset, banked, _claim(line, round_) if may_dispute else None)
        ]
        return Markup("\n".join(rows))  # escaped in each

    def totals(self, lines: Sequence[One], banked: bool) -> Markup:
        sums = {name: money(sum([cents(line[name]) for line in lines])) for name in TOTALLED}
        amounts = self._amounts(sums, "owed", "paid", "collected", "returned", "shortfall")
        left = "<td></td>" if banked else ""
        return Markup(
            f'<tr><th scope="row" colspan="3">Total</th>{self._amounts(sums, "wager")}<td></td>{amounts}{left}'
            '<td></td><td class="no-print"></td></tr>'
        )

    def nets(self, nets: Iterable[One], corrected: bool) -> Markup:
        """Return who won and who lost in this round, on either side of the wagers."""
        rows = []
        for row in nets:
            name = safe(row["name"])
            who = OTHER_SIDES[row["part"]] if row["part"] != "bettor" else f"seat {', '.join(map(str, row['seats']))}"
            named = f'<a href="/people/{name}">{name}</a> ' if row["part"] in ("bettor", "bank") and name else name
            net = f'<td class="number">{self._shown["signed"](row["net"])}</td>'
            put_right = f'<td class="number">{self._shown["signed"](row["corrected"])}</td>' if corrected else ""
            wagered = self._amounts(row, "wagered") if row["part"] == "bettor" else '<td class="number">–</td>'
            rows.append(
                f'<tr><th scope="row">{named} <span class="muted">{who}</span></th>{wagered}'
                f"{self._amounts(row, 'won', 'lost')}{put_right}{net}</tr>"
            )
        return Markup("\n".join(rows))  # escaped in each

    def net_of_all(self, nets: Iterable[One]) -> Markup:
        return Markup(self._shown["signed"](money(sum([cents(row["net"]) for row in nets]))))  # digits

    def _line(self, line: One, now: int, at: str, ruleset: str, banked: bool, claim: str | None) -> Iterable[str]:
        words = self._shown["words"]
        number, seat, hand = line["step"], line["seat"], line["hand"]
        bettor, spot = safe(line["bettor"]), safe(words(line["spot"]))
        numbered = f", hand {hand}" if hand > 1 else ""
        kind = OUTCOMES.get(line["outcome"], "")
        outcome = safe(words(f"{line['outcome']} {line['odds']}" if line["odds"] else line["outcome"]))
        current = ' aria-current="true"' if number == now else ""
        short = "" if line["shortfall"] == "0.00" else " loss"
        disputes = "".join([f'<a href="/disputes/{safe(one)}">{safe(one)}</a> ' for one in line["disputes"]])
        if claim is not None:
            disputes += (
                f'<a href="{claim}">Dispute<span class="visually-hidden"> {bettor}\'s {spot}{numbered}</span></a>'
            )
        yield (
            f'<tr data-line="{number}"{current}>\n<td>{seat}</td><td><a href="/people/{bettor}">{bettor}</a></td>\n'
            f'<td><a href="{at}{number}" data-step="{number}">{spot}{numbered}</a></td>\n'
            f'{self._amounts(line, "wager")}\n<td><span class="badge {kind}">{outcome}</span></td>\n'
            f"{self._amounts(line, 'owed', 'paid', 'collected', 'returned')}\n"
            f"{self._amounts(line, 'shortfall', looks=short)}\n{self._left(line) if banked else ''}"
            f'<td>{_clause(line["clause"], ruleset)}</td>\n<td class="no-print">{disputes}</td>\n</tr>'
        )
        yield from self._later_rows(line)

    def _amounts(self, of: One, *names: str, looks: str = "") -> str:
        return "".join([f'<td class="number{looks}">{safe(self._money(of[name]))}</td>' for name in names])

    def _left(self, line: One) -> str:
        to_pay, to_collect = (safe(self._money(line["left"][name])) for name in ("to_pay", "to_collect"))
        return f'<td class="number">{to_pay if to_collect == to_pay else f"{to_pay} / {to_collect}"}</td>'

    def _later_rows(self, line: One) -> Iterable[str]:
        """Return what was added later: reported payments that differ, and corrections."""
        begins = '<tr class="posted"><td></td><td colspan="5">'
        for said in line["reported"]:
            if (said["paid"], said["collected"]) == (line["paid"], line["collected"]):
                continue
            amounts = self._amounts(said, "paid", "collected")
            yield f'{begins}The dealer reported otherwise</td>{amounts}<td colspan="5"></td></tr>'
        for posted in line["corrections"]:
            reason, account = safe(posted["reason"]), safe(posted["account"])
            amount = safe(self._shown["signed"](posted["amount"]))
            yield (
                f'{begins}{reason}</td><td class="number" colspan="3">{amount}</td>'
                f'<td colspan="4">against {account}</td></tr>'
            )


def _address(asked: str) -> str:
    """Return the address of a step of this round, without its number."""
    return f"?{safe(asked)}&amp;step=" if asked else "?step="


def _claim(line: One, round_: str) -> str:
    """Return where a dispute on this wager is opened."""
    bettor, spot = quote_plus(line["bettor"]), quote_plus(line["spot"])
    return safe(f"/disputes/new?round={round_}&seat={line['seat']}&bettor={bettor}&hand={line['hand']}&spot={spot}")


def _clause(clause: str, ruleset: str) -> str:
    return f'<a class="clause" href="/rules/{safe(ruleset)}#{safe(clause)}">{safe(clause)}</a>'

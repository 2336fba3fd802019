"""Templates and their filters: money, cards, times in the property's zone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from math import ceil, floor, log10
from typing import Any

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from api.pages.rendering.assets import Asset
from api.pages.rendering.cells import Cells
from api.pages.rendering.drawing import Drawing
from api.pages.rendering.escaping import safe
from api.pages.rendering.icons import icon
from domain.cards import RANKS, SUITS
from infra.store.cache import Cache
from projections.calendar.live_clock import LiveClock
from projections.calendar.property_clock import STORED_MOMENT
from projections.reports.report import total_of

RANK_NAMES = dict(
    zip(
        RANKS,
        ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace"),
        strict=True,
    )
)
METHODS = frozenset(dir(dict))
SUIT_NAMES = {"c": "clubs", "d": "diamonds", "h": "hearts", "s": "spades"}
SUIT_SIGNS = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
FRAGMENTS_REMEMBERED = 64  # parts of pages, some 100 KB each at most


class PageEnvironment(Environment):
    """Rows are dicts, so `row.name` is looked up among the keys first: the other way round, every name costs an
    exception. The methods of a dict stay available, whatever its keys are called."""

    def getattr(self, obj: Any, attribute: str) -> Any:
        if obj.__class__ is dict and attribute in obj and attribute not in METHODS:
            return obj[attribute]
        return super().getattr(obj, attribute)


def environment(assets: Mapping[str, Asset], clock: Clock) -> Environment:
    made = PageEnvironment(
        loader=PackageLoader("api.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.globals["asset"] = lambda name: assets[name].address
    made.globals["icon"] = icon
    fragments: Cache[Markup] = Cache(FRAGMENTS_REMEMBERED)
    # {% call remembered(…) %}…{% endcall %}: its content depends only on what is named.
    made.globals["remembered"] = lambda *key, caller: fragments.get(key, caller)
    made.filters.update(money=shown_money, signed=signed_money, count=count, words=words)
    made.filters.update(card_name=card_name, card_rank=card_rank, card_suit=card_suit, cards=cards, options=options)
    made.filters.update(ticks=ticks, in_script=in_script, some=some, total=total, compared=compared)
    made.filters.update(moment=clock.moment, minute=clock.minute, moments=clock.moments, clock=clock.clock)
    made.filters.update(day=shown_day, short_day=short_day, in_words=in_words)
    shown: dict[str, Callable[[Any], str]] = {
        "money": shown_money,
        "signed": signed_money,
        "count": count,
        "words": words,
        "moment": clock.moment,
        "day": shown_day,
        "card": lambda card: card_face(card, "small"),
    }
    made.globals["report_table"] = Cells(shown).table
    of_a_replay: dict[str, Callable[[Any], str]] = {
        "money": shown_money,
        "signed": signed_money,
        "clock": clock.clock,
        "words": words,
        "card_name": card_name,
        "card_rank": card_rank,
        "card_suit": card_suit,
    }
    made.globals["drawn"] = Drawing(of_a_replay, card_face)
    return made


# ---- money: text with two decimals, as in every answer


@lru_cache(4096)  # every page has the same few amounts
def shown_money(amount: str | None) -> str:
    """Return $1,234.50 for "1234.50"; a dash if there is no amount."""
    if amount is None:
        return "–"
    sign, digits = ("−", amount[1:]) if amount.startswith("-") else ("", amount)
    whole, _, decimals = digits.partition(".")
    return f"{sign}${int(whole):,}.{decimals}"


def signed_money(amount: str | None) -> Markup | str:
    """Return the same with its sign, in the colour of a gain or a loss."""
    if amount is None or float(amount) == 0:
        return shown_money(amount)
    sign, kind = ("", "loss") if amount.startswith("-") else ("+", "gain")
    return Markup(f'<span class="{kind}">{sign}{escape(shown_money(amount))}</span>')  # escaped


def compared(value: int | str, before: int | str) -> Markup:
    """Return whether a figure is above or below an earlier one, and by what percentage, if that makes sense."""
    now, then = Decimal(value), Decimal(before)
    if now == then:
        return Markup('<span class="change">=</span>')
    words, arrow = ("more", "▲") if now > then else ("less", "▼")
    share = f" {abs(now - then) / then * 100:,.1f} %" if then > 0 and now >= 0 else ""
    return Markup(
        f'<span class="change"><span aria-hidden="true">{arrow}</span>{share}'
        f'<span class="visually-hidden"> {words} since</span></span>'
    )  # digits


def count(number: int) -> str:
    return f"{number:,}"


def words(name: str) -> str:
    """Return `pair_plus` as people say it."""
    return name.replace("_", " ")


def some(rows: Iterable[Mapping[str, Any]], name: str) -> bool:
    """Return whether any of them has a value there."""
    return any(row[name] for row in rows)


def total(rows: Iterable[Mapping[str, Any]], name: str) -> Any:
    """Return the total of a column: counts, or money as text."""
    return total_of(row[name] for row in rows)


def ticks(values: Sequence[float]) -> list[float]:
    """Return about four round numbers from zero to at least the largest of these: the ticks of a chart."""
    most = max([*values, 0.0])
    if most <= 0:
        return [0.0, 1.0]
    power: float = 10.0 ** floor(log10(most / 4))
    step = next(power * part for part in (1, 2, 2.5, 5, 10) if power * part * 4 >= most * 0.999)
    return [step * number for number in range(ceil(most / step - 1e-9) + 1)]


def options(choices: Iterable[str | tuple[str, str]], chosen: str) -> Markup:
    """Return the options of a list, each a word or a value with its words; a form has hundreds."""
    pairs = [(choice, choice) if isinstance(choice, str) else choice for choice in choices]
    return Markup(
        "\n".join(
            f'<option value="{safe(str(value))}"{" selected" if value == chosen else ""}>{safe(words)}</option>'
            for value, words in pairs
        )
    )  # escaped


def in_script(value: Any) -> Markup:
    """Return JSON for a script element, as `tojson` does, in a tenth of the time: nothing in it ends the element."""
    text = msgspec.json.encode(value).decode()
    return Markup(text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"))


# ---- cards: rank and suit, or null for a face-down one


def card_name(card: str | None) -> str:
    if card is None:
        return "face-down card"
    return f"{RANK_NAMES[card[0]]} of {SUIT_NAMES[card[1]]}"


def card_rank(card: str) -> str:
    return "10" if card[0] == "T" else card[0]


def card_suit(card: str) -> str:
    return SUIT_SIGNS[card[1]]


@lru_cache  # a replay has hundreds, of at most fifty-three kinds and two sizes
def card_face(card: str | None, size: str) -> Markup:
    """Return a card as a page shows it."""
    if card is None:
        return Markup('<span class="card back {}" role="img" aria-label="face-down card"></span>').format(size)
    return Markup(
        '<span class="card {}" role="img" aria-label="{}" data-suit="{}">'
        '<span class="rank" aria-hidden="true">{}</span><span class="suit" aria-hidden="true">{}</span></span>'
    ).format(size, card_name(card), card[1], card_rank(card), card_suit(card))


def cards(held: Sequence[str | None], size: str = "") -> Markup:
    """Return cards in order, none for one that is face down."""
    return _cards(tuple(held), size)


@lru_cache(1024)
def _cards(held: tuple[str | None, ...], size: str) -> Markup:
    return Markup('<span class="cards">{}</span>').format(Markup("").join([card_face(card, size) for card in held]))


assert set(SUIT_SIGNS) == set(SUITS)


# ---- times


class Clock(LiveClock):
    """The property's time, as pages show it."""

    def moment(self, text: str | None) -> Markup | str:
        """Return day and time to the second, with the zone as a tooltip."""
        if text is None:
            return "–"
        local = self.local(text)
        return _time(local, f"{_day(local.date())} ")

    def minute(self, text: str) -> Markup:
        """Return day and time to the minute."""
        local = self.local(text)
        return _time(local, f"{_day(local.date())} ", MINUTES)

    def moments(self, text: str) -> Markup:
        """Return a text of the ledger, with the property's time in place of each stored moment."""
        parts = STORED_MOMENT.split(text)
        return Markup("").join(self.moment(part) if at % 2 else part for at, part in enumerate(parts))

    def clock(self, text: str | None) -> Markup | str:
        if text is None:
            return "–"
        return _time(self.local(text))


FIELD = re.compile(r"`(?:[a-z0-9_]+(?:\[[0-9]+\])?\.)*([a-z][a-z0-9_]*)`")


def in_words(detail: str) -> str:
    """Return a refusal for people, in which it names a `field_of_theirs` for programs."""
    return FIELD.sub(lambda found: f"“{found[1].replace('_', ' ')}”", detail)


def short_day(text: str) -> str:
    return f"{date.fromisoformat(text):%a %d %b}"


MINUTES, SECONDS = slice(11, 16), slice(11, 19)  # of an ISO text


def _time(local: datetime, day: str = "", precision: slice = SECONDS) -> Markup:
    exact = local.isoformat(timespec="milliseconds")
    clock = exact[precision]  # strftime takes five times as long as all of this
    full = f"{_weekday(local.date())} {exact[SECONDS]} {local.tzname()}"
    # Digits, names of days and months, and of a zone: a page has hundreds, and Markup.format is slow.
    return Markup(f'<time datetime="{exact}" title="{safe(full)}">{day}{clock}</time>')


@lru_cache
def _weekday(day: date) -> str:
    return f"{day:%A %d %B %Y}"


@lru_cache
def _day(day: date) -> str:
    return f"{day:%d %b %Y}"


def shown_day(text: str) -> Markup:
    day = date.fromisoformat(text)
    return Markup(f'<time datetime="{day.isoformat()}">{day:%a %d %b %Y}</time>')  # it is a date

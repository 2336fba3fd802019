"""Reports as SVG charts: a bankroll over time, exposure against the player-dealer's wager, fees by hour and tier, the
win and hold of house-banked tables by gaming day.

Colours are attributes, for files and paper, with classes by which a page applies its theme. Every mark has its figures:
as a title for pointing at, and as attributes from which a page makes a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from html import escape
from itertools import pairwise
from math import ceil, floor, log10
from typing import Any

from msgspec import Struct

from projections.models.registry import ALL
from projections.reports.accounting_reports import EXPOSURE, INVENTORY
from projections.reports.report import BY_DAY, BY_TABLE, OF_BETTOR, BadFilter, Filters, Report, total_of
from projections.reports.report_query import report_rows

WIDTH, HEIGHT = 900, 460
LEFT, RIGHT, TOP, BOTTOM = 96, 24, 64, 64
INK, FAINT, PAPER = "#1f2933", "#d9dee4", "#ffffff"
# readable without distinguishing red and green
COLOURS = ("#1f6feb", "#c2410c", "#15803d", "#7c3aed", "#b45309", "#0e7490")
MOST_TICKS = 8
LETTER = 7  # how wide one is, at most
MOST_POINTS = 2_000  # points of a line: more than there are pixels adds nothing
MOST_MARKED = 100  # points of a line that show their figures
MOST_ROUNDS = 100  # drawn one by one: more would be unreadable
BUCKETS = 60
CONTROLS = dict.fromkeys(range(32), " ")
HOUR_S, DAY_S = 3600, 86_400
TIME_STEPS_S = (60, 300, 900, HOUR_S, 3 * HOUR_S, 6 * HOUR_S, 12 * HOUR_S, DAY_S, 2 * DAY_S, 7 * DAY_S, 28 * DAY_S)

PROJECTIONS = {
    "bankroll": ("journal",),
    "exposure": ("exposure",),
    "collections": ("drops", "hands"),
    "inventory": ("inventory",),
}

MOVES = Report(
    name="moves",
    projection=ALL["journal"],
    # What was won and lost at the tables: chips bought and cashed are the same money in another place.
    select="""
        at: local
        change = debit - credit
    """,
    source="{schema}.journal",
    filters={**BY_TABLE, **BY_DAY, "bettor": OF_BETTOR + " AND what NOT IN ('buy-in', 'cash-out')"},
    order="at, position, line",
    windowed="at",
)
FEES = Report(
    name="fees",
    projection=ALL["drops"],
    select="""
        at: local = f.at
        net = CASE WHEN f.waived IS NULL THEN f.amount ELSE 0 END
        tier = f.tier
    """,
    source="{schema}.hands h JOIN {schema}.drop_fees f USING (round)",
    filters={"table": "h.table_id = %(table)s", **BY_DAY},
    order="f.at",
    windowed="h.opened_at",
)
CHARTS = {"bankroll": MOVES, "exposure": EXPOSURE, "collections": FEES, "inventory": INVENTORY}


class Line(Struct, frozen=True):
    """`stepped`: the value holds until the next point, as a balance does. `across` says where a point is, in words."""

    name: str
    points: Sequence[tuple[float, float]]
    across: Callable[[float], str]
    stepped: bool = False
    dots: bool = False


class Bar(Struct, frozen=True):
    """Its parts are stacked; `note` is written above it."""

    label: str
    parts: Sequence[tuple[str, float]]
    note: str = ""


def draw(database_url: str, name: str, filters: Filters) -> bytes:
    """Return the chart of a report in CHARTS."""
    if name == "bankroll" and filters.bettor is None:
        raise BadFilter("The chart of a bankroll is of one bettor.")
    report = CHARTS[name]
    filters.check(report.filters, f"The chart of {name}")
    found = report_rows(database_url, report, filters, [ALL[projection] for projection in PROJECTIONS[name]])
    match name:
        case "bankroll":
            return bankroll(filters.bettor or "", [(row["at"], row["change"]) for row in found])
        case "exposure":
            return exposure(found)
        case "inventory":
            return win_by_day(found)
    return fees_by_hour([(row["at"], row["net"], row["tier"]) for row in found])


# ---- charts


def bankroll(bettor: str, moves: Sequence[tuple[datetime, int]], held: int = 0) -> bytes:
    """Draw a bankroll. `held` is what the bettor was up before the first move, in cents, negative if down."""
    points: list[tuple[float, float]] = []
    if moves:
        points.append((moves[0][0].timestamp(), held / 100))
    for at, change in moves:
        held += change
        points.append((at.timestamp(), held / 100))
    zone = moves[0][0].tzinfo if moves else None
    ticks = _times([at for at, _ in points], zone)
    line = Line(
        "net of wins, losses and fees",
        _thinned(points),
        lambda at: f"{datetime.fromtimestamp(at, zone):%d %b %Y %H:%M:%S}",
        stepped=True,
    )
    return _chart(f"Bankroll of {bettor}", "dollars", "time at the property", [line], ticks)


def exposure(rows: Sequence[dict[str, Any]]) -> bytes:
    """Draw, round by round, what the player-dealer put up, could have had to pay, and paid. Many rounds are put into
    buckets: the least put up, and the most of the others, so that no uncovered round is lost.

    The liability is often a thousand times what is paid, so the scale is linear up to a dollar and logarithmic above:
    zero has its place on it."""
    banked = [row for row in rows if row["player_dealer"] is not None]
    size = 1 if len(banked) <= MOST_ROUNDS else ceil(_nice(len(banked) / BUCKETS))
    lines = [
        Line(
            name=name,
            points=_bucketed([float(Decimal(row[column] or "0")) for row in banked], size, of),
            across=lambda at: _rounds(banked, int(at), size),
            stepped=size > 1,
            dots=size == 1,
        )
        for name, column, of in (("wager put up", "wager", min), ("liability", "liability", max), ("paid", "paid", max))
    ]
    step = max(1, ceil(_nice(len(banked) / MOST_TICKS))) if banked else 1
    ticks = [(float(at), str(at)) for at in range(step, len(banked) + 1, step)]
    heading = "Exposure against the player-dealer's wager"
    across = "round, in order"
    if size > 1:
        across += f"; of every {size} the least put up, the most that could be owed, the most paid"
    return _chart(heading, "dollars, by powers of ten above 1", across, lines, ticks, True)


def _rounds(banked: Sequence[Mapping[str, Any]], at: int, size: int) -> str:
    if size == 1:
        return str(banked[at - 1].get("round") or f"round {at}")
    last = at + size - 1
    return f"rounds {at} to {last if len(banked) - last >= size / 2 else len(banked)}"


def _bucketed(values: Sequence[float], size: int, of: Callable[..., float]) -> list[tuple[float, float]]:
    """Return one value per `size` rounds, numbered from 1; the last bucket reaches to the last round, and takes in the
    few rounds that would not fill half of one more."""
    starts = list(range(0, len(values), size))
    if len(starts) > 1 and len(values) - starts[-1] < size / 2:
        del starts[-1]
    points = [(start + 1.0, of(values[start:end])) for start, end in pairwise([*starts, len(values)])]
    return [*points, (float(len(values)), points[-1][1])] if size > 1 else points


def fees_by_hour(fees: Sequence[tuple[datetime, int, int]]) -> bytes:
    """Draw bars by hour and tier for up to three days; by calendar date for more. The repeated hour in autumn is two
    bars."""
    by_date = bool(fees) and fees[-1][0].timestamp() - fees[0][0].timestamp() > 72 * HOUR_S
    sums: dict[str, dict[int, int]] = {}
    if fees:
        moment, zone, step = fees[0][0].astimezone(UTC), fees[0][0].tzinfo, timedelta(hours=1)
        while moment <= fees[-1][0]:  # hours without a fee are empty bars
            sums[_bar(moment.astimezone(zone), by_date)] = {}
            moment += step
        for at, amount, tier in fees:
            of_bar = sums.setdefault(_bar(at.astimezone(zone), by_date), {})
            of_bar[tier] = of_bar.get(tier, 0) + amount
    bars = [
        Bar(_bar_label(key, by_date), [(f"tier {tier}", cents / 100) for tier, cents in sorted(of_bar.items())])
        for key, of_bar in sums.items()
    ]
    by = "calendar date" if by_date else "hour"
    return _bars(f"Fees by {by} and tier, less those waived", "dollars", f"{by}, by the property's clock", bars)


def _bar(at: datetime, by_date: bool) -> str:
    return at.date().isoformat() if by_date else at.replace(minute=0, second=0, microsecond=0).isoformat()


def _bar_label(key: str, by_date: bool) -> str:
    return f"{datetime.fromisoformat(key):{'%a %d %b' if by_date else '%d %b %H:%M'}}"


def win_by_day(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Draw what house-banked tables won by gaming day, and the hold if something was dropped and the trays counted."""
    by_day: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        by_day.setdefault(row["gaming_day"], []).append(row)
    bars = []
    for day, of_day in sorted(by_day.items()):
        counted = [row for row in of_day if row["win"] is not None]
        dropped = Decimal(total_of(row["drop"] for row in counted) or 0)
        won = Decimal(total_of(row["win"] for row in counted) or 0)
        note = f"hold {won / dropped * 100:.1f} %" if dropped > 0 else ""
        parts = [("the ledger's win", float(Decimal(total_of(row["ledger_win"] for row in of_day) or 0)))]
        bars.append(Bar(f"{date.fromisoformat(day):%a %d %b}", parts, note))
    return _bars("Win and hold of house-banked tables", "dollars", "gaming day", bars)


# ---- scales


class _Scale(Struct, frozen=True):
    low: float
    high: float
    start: float
    end: float
    by_powers: bool = False  # linear up to 1, logarithmic above

    def __call__(self, value: float) -> float:
        if self.by_powers:
            value = _power(value)
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)


def _power(value: float) -> float:
    return value if value < 1 else 1 + log10(value)


def _nice(step: float) -> float:
    """Return the next of 1, 2, 5 times a power of ten."""
    if step <= 0:
        return 1.0
    power = 10.0 ** floor(log10(step))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= step * 0.999999)


def _upright(values: Sequence[float], by_powers: bool = False) -> tuple[_Scale, list[float]]:
    """Return the scale of dollars, always with zero on it."""
    if by_powers:
        powers = max(1, ceil(log10(max([10.0, *values]))))
        return _Scale(low=0.0, high=1.0 + powers, start=HEIGHT - BOTTOM, end=TOP, by_powers=True), [
            0.0,
            *(10.0**power for power in range(powers + 1)),
        ]
    low, high = min([0.0, *values]), max([0.0, *values])
    if low == high:
        high = low + 1
    step = _nice((high - low) / 6)
    first, last = floor(low / step), ceil(high / step)
    ticks = [number * step for number in range(first, last + 1)]
    return _Scale(low=ticks[0], high=ticks[-1], start=HEIGHT - BOTTOM, end=TOP), ticks


def _times(moments: Sequence[float], zone: Any) -> list[tuple[float, str]]:
    """Return ticks at whole minutes, hours or days of the property's clock, as far apart as there is room for."""
    if not moments:
        return []
    first, last = moments[0], moments[-1]
    step = next((step for step in TIME_STEPS_S if (last - first) / step <= MOST_TICKS), None)
    if step is None:
        step = ceil((last - first) / MOST_TICKS / TIME_STEPS_S[-1]) * TIME_STEPS_S[-1]
    start = datetime.fromtimestamp(first, zone).replace(hour=0, minute=0, second=0, microsecond=0).timestamp()
    spots = [start + step * number for number in range(int((last - start) // step) + 1)]
    form = "%H:%M" if step < 3 * HOUR_S and last - first < DAY_S else "%d %b %H:%M" if step < DAY_S else "%d %b %Y"
    found = [(spot, f"{datetime.fromtimestamp(spot, zone):{form}}") for spot in spots if spot >= first]
    return found or [(first, f"{datetime.fromtimestamp(first, zone):%d %b %H:%M}")]


def _thinned(points: Sequence[tuple[float, float]]) -> Sequence[tuple[float, float]]:
    """Return the lowest and the highest point of each bucket, so that no peak is lost, and the last point."""
    if len(points) <= MOST_POINTS:
        return points
    size = ceil(len(points) * 2 / MOST_POINTS)
    kept = []
    for start in range(0, len(points), size):
        bucket = points[start : start + size]
        kept += sorted({min(bucket, key=lambda point: point[1]), max(bucket, key=lambda point: point[1])})
    return [*kept, points[-1]]


# ---- drawing


def _frame(title: str, upright: str, across: str, scale: _Scale, ticks: Sequence[float]) -> list[str]:
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
        f' font-family="Inter, Helvetica, Arial, sans-serif" font-size="12" role="img" data-across="{_safe(across)}">',
        f"<title>{_safe(title)}</title>",
        f'<rect class="paper" width="{WIDTH}" height="{HEIGHT}" fill="{PAPER}"/>',
        _text(LEFT, 26, title, "start", 'font-size="17" font-weight="bold"'),
        _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14, across, "middle"),
        _text(0, 0, upright, "middle", f'transform="translate(18 {(TOP + HEIGHT - BOTTOM) / 2:.0f}) rotate(-90)"'),
    ]
    for tick in ticks:
        y = scale(tick)
        kind, colour = ("axis", INK) if tick == 0 else ("faint", FAINT)
        x2 = WIDTH - RIGHT
        parts.append(f'<line class="{kind}" x1="{LEFT}" x2="{x2}" y1="{y:.1f}" y2="{y:.1f}" stroke="{colour}"/>')
        parts.append(_text(LEFT - 8, y + 4, _dollars(tick, ticks), "end"))
    return parts


def _dollars(value: float, ticks: Sequence[float]) -> str:
    whole = all(abs(tick - round(tick)) < 1e-9 for tick in ticks)
    return f"{value:,.0f}".replace("-", "−") if whole else f"{value:,.2f}".replace("-", "−")


def _amount(value: float) -> str:
    return f"{'−' if value < 0 else ''}${abs(value):,.2f}"


def _figures(across: str, name: str, value: float) -> tuple[str, str]:
    """Return the attributes and the title of a mark."""
    attributes = f'data-x="{_safe(across)}" data-name="{_safe(name)}" data-y="{_amount(value)}"'
    return attributes, f"<title>{_safe(across)}, {_safe(name)}: {_amount(value)}</title>"


def _chart(
    title: str,
    upright: str,
    across: str,
    lines: Sequence[Line],
    across_ticks: Sequence[tuple[float, str]],
    by_powers: bool = False,
) -> bytes:
    points = [point for line in lines for point in line.points]
    scale, ticks = _upright([y for _, y in points], by_powers)
    parts = _frame(title, upright, across, scale, ticks)
    if not points:
        return _closed([*parts, _nothing()])
    low, high = min(x for x, _ in points), max(x for x, _ in points)
    if low == high:
        low, high = low - 1, high + 1
    flat = _Scale(low=low, high=high, start=LEFT + 6, end=WIDTH - RIGHT - 6)
    taken = 0.0  # up to where there are labels
    for spot, label in across_ticks:
        x = flat(spot)
        y = HEIGHT - BOTTOM
        parts.append(f'<line class="axis" x1="{x:.1f}" x2="{x:.1f}" y1="{y}" y2="{y + 5}" stroke="{INK}"/>')
        anchor, wide = ("end" if x > WIDTH - RIGHT - 40 else "middle"), LETTER * len(label)
        begins = x - (wide if anchor == "end" else wide / 2)
        if begins >= taken:
            parts.append(_text(x, HEIGHT - BOTTOM + 20, label, anchor))
            taken = begins + wide + LETTER
    for number, line in enumerate(lines):
        placed = [(flat(x), scale(y)) for x, y in line.points]
        path = _path(placed, line.stepped)
        parts.append(f'<path class="s{number}" d="{path}" fill="none" stroke="{COLOURS[number]}" stroke-width="1.8"/>')
        parts += _marks(line, number, placed)
    return _closed([*parts, *_legend([line.name for line in lines])])


def _marks(line: Line, number: int, placed: Sequence[tuple[float, float]]) -> list[str]:
    """Return dots, or invisible places to point at; for a long line only some."""
    points = list(zip(line.points, placed, strict=True))
    if len(points) > MOST_MARKED:
        every = ceil(len(points) / MOST_MARKED)
        points = points[::every] + ([] if (len(points) - 1) % every == 0 else points[-1:])
    marks = []
    for (x, y), (at_x, at_y) in points:
        attributes, title = _figures(line.across(x), line.name, y)
        looks = f'class="s{number}" r="2.6"' if line.dots else 'class="point" r="7" fill-opacity="0"'
        marks.append(
            f'<circle {looks} cx="{at_x:.1f}" cy="{at_y:.1f}" fill="{COLOURS[number]}" {attributes}>{title}</circle>'
        )
    return marks


def _legend(names: Iterable[str]) -> list[str]:
    parts, x = [], LEFT
    for number, name in enumerate(names):
        colour = COLOURS[number % len(COLOURS)]
        parts.append(f'<rect class="s{number % len(COLOURS)}" x="{x}" y="40" width="14" height="6" fill="{colour}"/>')
        parts.append(_text(x + 20, 47, name, "start"))
        x += 40 + 7 * len(name)
    return parts


def _path(placed: Sequence[tuple[float, float]], stepped: bool) -> str:
    (x, y), *others = placed
    steps = [f"M{x:.1f} {y:.1f}"]
    steps += [f"H{x:.1f}V{y:.1f}" if stepped else f"L{x:.1f} {y:.1f}" for x, y in others]
    return "".join(steps)


def _bars(title: str, upright: str, across: str, bars: Sequence[Bar]) -> bytes:
    names = sorted({name for bar in bars for name, _ in bar.parts})
    sums = [sum(value for _, value in bar.parts) for bar in bars]
    scale, ticks = _upright(sums)
    parts = _frame(title, upright, across, scale, ticks)
    if not bars:
        return _closed([*parts, _nothing()])
    wide = (WIDTH - LEFT - RIGHT) / len(bars)
    every = ceil(len(bars) / MOST_TICKS)
    thick = min(wide * 0.8, 60)
    for number, (bar, total) in enumerate(zip(bars, sums, strict=True)):
        middle = LEFT + number * wide + wide / 2
        below = 0.0
        for name, value in bar.parts or [("none", 0.0)]:
            top, foot = sorted((scale(below), scale(below + value)))
            below += value
            series = names.index(name) % len(COLOURS) if name in names else 0
            attributes, figures = _figures(bar.label, name, value)
            parts.append(
                f'<rect class="s{series}" x="{middle - thick / 2:.1f}" y="{top:.1f}" width="{thick:.1f}"'
                f' height="{foot - top:.1f}" fill="{COLOURS[series]}" {attributes}>{figures}</rect>'
            )
        if wide >= 44:
            words = bar.note or (f"{total:,.0f}" if total == int(total) else f"{total:,.2f}").replace("-", "−")
            parts.append(_text(middle, scale(max(total, 0.0)) - 5, words, "middle"))
        if number % every == 0:
            parts.append(_text(middle, HEIGHT - BOTTOM + 20, bar.label, "middle"))
    return _closed([*parts, *(_legend(names) if len(names) > 1 else [])])


def _nothing() -> str:
    return _text(WIDTH / 2, HEIGHT / 2, "There is nothing to show.", "middle")


def _text(x: float, y: float, words: str, anchor: str, more: str = "") -> str:
    return f'<text class="ink" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{INK}" {more}>{_safe(words)}</text>'


def _safe(words: str) -> str:
    """Remove characters that XML does not allow."""
    return escape(words.translate(CONTROLS))


def _closed(parts: Sequence[str]) -> bytes:
    return ("\n".join([*parts, "</svg>"]) + "\n").encode()

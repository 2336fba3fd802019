"""Reports as pictures: a bankroll over time, exposure against the player-dealer's wager, fees by hour. Plain SVG."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from html import escape
from math import ceil, floor, log10
from typing import Any

from msgspec import Struct

from projections.models.registry import ALL
from projections.reports.accounting_reports import EXPOSURE
from projections.reports.report import BY_DAY, BY_TABLE, OF_BETTOR, BadFilter, Filters, Report
from projections.reports.report_query import report_rows

WIDTH, HEIGHT = 900, 460
LEFT, RIGHT, TOP, BOTTOM = 90, 24, 64, 64
INK, FAINT, PAPER = "#1f2933", "#d9dee4", "#ffffff"
COLOURS = ("#1f6feb", "#c2410c", "#15803d")  # also distinct for those who do not see red and green
MOST_TICKS = 8
MOST_POINTS = 2_000  # of a line: more than there are pixels says no more
MOST_ROUNDS = 100  # that are drawn one by one: more would be a thicket
BUCKETS = 60
CONTROLS = dict.fromkeys(range(32), " ")

PROJECTIONS = {"bankroll": ("journal",), "exposure": ("exposure",), "collections": ("drops", "hands")}

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
    """,
    source="{schema}.hands h JOIN {schema}.drop_fees f USING (round)",
    filters={"table": "h.table_id = %(table)s", **BY_DAY},
    order="f.at",
    windowed="h.opened_at",
)
CHARTS = {"bankroll": MOVES, "exposure": EXPOSURE, "collections": FEES}


class Line(Struct, frozen=True):
    """`stepped`: holds until the next point, as a balance does."""

    name: str
    points: Sequence[tuple[float, float]]
    stepped: bool = False
    dots: bool = False


def draw(database_url: str, name: str, filters: Filters) -> bytes:
    """The picture of a report that is in CHARTS."""
    if name == "bankroll" and filters.bettor is None:
        raise BadFilter("The picture of a bankroll is of one bettor.")
    report = CHARTS[name]
    filters.check(report.filters, f"The picture of {name}")
    found = report_rows(database_url, report, filters, [ALL[projection] for projection in PROJECTIONS[name]])
    if name == "bankroll":
        return bankroll(filters.bettor or "", [(row["at"], row["change"]) for row in found])
    if name == "exposure":
        return exposure(found)
    return fees_by_hour([(row["at"], row["net"]) for row in found])


# ---- the three pictures


def bankroll(bettor: str, moves: Sequence[tuple[datetime, int]], held: int = 0) -> bytes:
    """`held`: cents that the bettor was up before the first of the moves, or down where negative."""
    points: list[tuple[float, float]] = []
    if moves:
        points.append((moves[0][0].timestamp(), held / 100))
    for at, change in moves:
        held += change
        points.append((at.timestamp(), held / 100))
    zone = moves[0][0].tzinfo if moves else None
    ticks = _times([at for at, _ in points], zone)
    lines = [Line("net of wins, losses and fees", _thinned(points), stepped=True)]
    return _chart(f"Bankroll of {bettor}", "dollars", "time", lines, ticks)


def exposure(rows: Sequence[dict[str, Any]]) -> bytes:
    """Round after round: what the player-dealer put up, what they could have had to pay, and what they paid. Many
    rounds are put into buckets: the least put up, and the most of the others, so that no uncovered round is lost.

    The most that may have to be paid is often a thousand times what is paid, so the scale goes by powers of ten.
    """
    banked = [row for row in rows if row["player_dealer"] is not None]
    size = 1 if len(banked) <= MOST_ROUNDS else ceil(_nice(len(banked) / BUCKETS))
    lines = [
        Line(
            name=name,
            points=_bucketed([float(Decimal(row[column] or "0")) for row in banked], size, of),
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
    return _chart(heading, "dollars, by powers of ten; zero is drawn at 1", across, lines, ticks, True)


def _bucketed(values: Sequence[float], size: int, of: Callable[..., float]) -> list[tuple[float, float]]:
    """One value for each `size` rounds, numbered from 1; the last bucket reaches to the last round."""
    points = [(start + 1.0, of(values[start : start + size])) for start in range(0, len(values), size)]
    return [*points, (float(len(values)), points[-1][1])] if size > 1 else points


def fees_by_hour(fees: Sequence[tuple[datetime, int]]) -> bytes:
    """Bars by hour over three days at most; by date for more. The hour that is repeated in autumn is two bars."""
    by_date = bool(fees) and fees[-1][0].timestamp() - fees[0][0].timestamp() > 72 * 3600
    sums: dict[str, int] = {}
    if fees:
        moment, zone, step = fees[0][0].astimezone(UTC), fees[0][0].tzinfo, timedelta(hours=1)
        while moment <= fees[-1][0]:  # hours without a fee are empty bars
            sums[_bar(moment.astimezone(zone), by_date)] = 0
            moment += step
        for at, amount in fees:
            key = _bar(at.astimezone(zone), by_date)
            sums[key] = sums.get(key, 0) + amount
    bars = [(key[5:16].replace("T", " "), amount / 100) for key, amount in sums.items()]
    by = "date" if by_date else "hour"
    return _bars(f"Fees by {by}, less those waived", "dollars", by, bars)


def _bar(at: datetime, by_date: bool) -> str:
    return at.date().isoformat() if by_date else at.replace(minute=0, second=0, microsecond=0).isoformat()


# ---- drawing


class _Scale(Struct, frozen=True):
    low: float
    high: float
    start: float
    end: float
    by_powers: bool = False  # each power of ten as far from the next; from 1 on, and what is less is drawn at 1

    def __call__(self, value: float) -> float:
        if self.by_powers:
            value = log10(max(value, 1.0))
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)


def _nice(step: float) -> float:
    """The next of 1, 2, 5 times a power of ten."""
    if step <= 0:
        return 1.0
    power = 10.0 ** floor(log10(step))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= step * 0.999999)


def _upright(values: Sequence[float], by_powers: bool = False) -> tuple[_Scale, list[float]]:
    """The scale of dollars, always with zero on it; by powers of ten with one dollar as the least."""
    if by_powers:
        powers = max(1, ceil(log10(max([10.0, *values]))))
        return _Scale(low=0.0, high=powers, start=HEIGHT - BOTTOM, end=TOP, by_powers=True), [
            10.0**power for power in range(powers + 1)
        ]
    low, high = min([0.0, *values]), max([0.0, *values])
    if low == high:
        high = low + 1
    step = _nice((high - low) / 6)
    first, last = floor(low / step), ceil(high / step)
    ticks = [number * step for number in range(first, last + 1)]
    return _Scale(low=ticks[0], high=ticks[-1], start=HEIGHT - BOTTOM, end=TOP), ticks


def _times(moments: Sequence[float], zone: Any) -> list[tuple[float, str]]:
    if not moments:
        return []
    span = max(moments[-1] - moments[0], 1.0)
    form = "%m-%d %H:%M" if span < 30 * 86_400 else "%Y-%m-%d"
    count = 5
    spots = [moments[0] + span * number / (count - 1) for number in range(count)] if span > 1 else [moments[0]]
    return [(spot, datetime.fromtimestamp(spot, zone).strftime(form)) for spot in spots]


def _thinned(points: Sequence[tuple[float, float]]) -> Sequence[tuple[float, float]]:
    """The lowest and the highest point of each bucket, so that no peak is lost, and the very last point."""
    if len(points) <= MOST_POINTS:
        return points
    size = ceil(len(points) * 2 / MOST_POINTS)
    kept = []
    for start in range(0, len(points), size):
        bucket = points[start : start + size]
        kept += sorted({min(bucket, key=lambda point: point[1]), max(bucket, key=lambda point: point[1])})
    return [*kept, points[-1]]


def _frame(title: str, upright: str, across: str, scale: _Scale, ticks: Sequence[float]) -> list[str]:
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
        ' font-family="Helvetica, Arial, sans-serif" font-size="12" role="img">',
        f"<title>{_safe(title)}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{PAPER}"/>',
        _text(LEFT, 26, title, "start", 'font-size="17" font-weight="bold"'),
        _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14, across, "middle"),
        _text(0, 0, upright, "middle", f'transform="translate(18 {(TOP + HEIGHT - BOTTOM) / 2:.0f}) rotate(-90)"'),
    ]
    for tick in ticks:
        y = scale(tick)
        colour = INK if y == scale(0) else FAINT
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="{colour}"/>')
        parts.append(_text(LEFT - 8, y + 4, _dollars(tick, ticks), "end"))
    return parts


def _dollars(value: float, ticks: Sequence[float]) -> str:
    whole = all(abs(tick - round(tick)) < 1e-9 for tick in ticks)
    return f"{value:,.0f}" if whole else f"{value:,.2f}"


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
    for spot, label in across_ticks:
        x = flat(spot)
        y = HEIGHT - BOTTOM
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{y}" y2="{y + 5}" stroke="{INK}"/>')
        anchor = "end" if x > WIDTH - RIGHT - 40 else "middle"
        parts.append(_text(x, HEIGHT - BOTTOM + 20, label, anchor))
    legend_x = LEFT
    for line, colour in zip(lines, COLOURS, strict=False):
        placed = [(flat(x), scale(y)) for x, y in line.points]
        parts.append(f'<path d="{_path(placed, line.stepped)}" fill="none" stroke="{colour}" stroke-width="1.8"/>')
        if line.dots:
            parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.6" fill="{colour}"/>' for x, y in placed]
        parts.append(f'<rect x="{legend_x}" y="40" width="14" height="4" fill="{colour}"/>')
        parts.append(_text(legend_x + 20, 46, line.name, "start"))
        legend_x += 40 + 7 * len(line.name)
    return _closed(parts)


def _path(placed: Sequence[tuple[float, float]], stepped: bool) -> str:
    (x, y), *others = placed
    steps = [f"M{x:.1f} {y:.1f}"]
    steps += [f"H{x:.1f}V{y:.1f}" if stepped else f"L{x:.1f} {y:.1f}" for x, y in others]
    return "".join(steps)


def _bars(title: str, upright: str, across: str, bars: Sequence[tuple[str, float]]) -> bytes:
    scale, ticks = _upright([value for _, value in bars])
    parts = _frame(title, upright, across, scale, ticks)
    if not bars:
        return _closed([*parts, _nothing()])
    wide = (WIDTH - LEFT - RIGHT) / len(bars)
    every = ceil(len(bars) / MOST_TICKS)
    for number, (label, value) in enumerate(bars):
        x, y = LEFT + number * wide, scale(value)
        thick = min(wide * 0.8, 60)
        middle = x + wide / 2
        parts.append(
            f'<rect x="{middle - thick / 2:.1f}" y="{y:.1f}" width="{thick:.1f}" height="{scale(0) - y:.1f}"'
            f' fill="{COLOURS[0]}"><title>{_safe(label)}: {value:,.2f}</title></rect>'
        )
        if wide >= 34:
            parts.append(_text(middle, y - 5, f"{value:,.0f}" if value == int(value) else f"{value:,.2f}", "middle"))
        if number % every == 0:
            parts.append(_text(middle, HEIGHT - BOTTOM + 20, label, "middle"))
    return _closed(parts)


def _nothing() -> str:
    return _text(WIDTH / 2, HEIGHT / 2, "There is nothing to show.", "middle")


def _text(x: float, y: float, words: str, anchor: str, more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{INK}" {more}>{_safe(words)}</text>'


def _safe(words: str) -> str:
    """Without the characters that XML does not allow."""
    return escape(words.translate(CONTROLS))


def _closed(parts: Sequence[str]) -> bytes:
    return ("\n".join([*parts, "</svg>"]) + "\n").encode()

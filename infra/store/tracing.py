"""OpenTelemetry traces from a request to its append and the projections; off unless a process turns them on.

Spans contain counts, positions and names of operations: never a card, an amount, a bettor or a person."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # comes with the extra `tracing`
    from opentelemetry.trace import Link, Span, SpanContext, SpanKind, Tracer, TracerProvider

REMEMBERED = 4_096  # appends of this process that a projection may link to

_tracer: Tracer | None = None
_off = nullcontext()
_appends: deque[tuple[int, int, SpanContext]] = deque(maxlen=REMEMBERED)  # first and last position of each


def use(provider: TracerProvider | None) -> None:
    """Trace everything in this process from now on; None turns it off."""
    global _tracer
    _tracer = None if provider is None else provider.get_tracer("roundledger")
    _appends.clear()


def is_on() -> bool:
    return _tracer is not None


def span(
    name: str, *, kind: SpanKind | None = None, links: Sequence[Link] = (), context: Any = None, **attributes: Any
) -> AbstractContextManager[Span | None]:
    if _tracer is None:
        return _off
    from opentelemetry.trace import SpanKind

    described = {f"roundledger.{key}": value for key, value in attributes.items()}
    return _tracer.start_as_current_span(name, context, kind or SpanKind.INTERNAL, described, links)


def appended(positions: Sequence[int]) -> None:
    """Note the positions of the current append, so that projections can link to it."""
    if _tracer is not None and positions:
        from opentelemetry.trace import get_current_span

        get_current_span().set_attribute("roundledger.last_position", positions[-1])
        _appends.append((positions[0], positions[-1], get_current_span().get_span_context()))


def links_to(after: int, upto: int) -> list[Link]:
    """Return links to the appends of this process with events between two positions."""
    if _tracer is None:
        return []
    from opentelemetry.trace import Link

    return [Link(context) for first, last, context in _appends if first <= upto and last > after]

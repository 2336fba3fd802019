"""Turns traces on if the settings say so; OTEL_EXPORTER_OTLP_ENDPOINT and related variables say where they go."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from api.service.settings import BadSetting, Settings
from infra.store import tracing

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractContextManager

    from opentelemetry.trace import Span


def start(settings: Settings) -> None:
    if not settings.tracing:
        return
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        raise BadSetting("ROUNDLEDGER_TRACING needs the extra: pip install 'roundledger[tracing]'") from None
    provider = TracerProvider(resource=Resource.create({"service.name": "roundledger"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    tracing.use(provider)


def of_request(scope: Mapping[str, Any]) -> AbstractContextManager[Span | None]:
    """Start a span within the caller's own trace, if the request has one (W3C Trace Context)."""
    if not tracing.is_on():
        return nullcontext()
    from opentelemetry.propagate import extract
    from opentelemetry.trace import SpanKind

    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
    return tracing.span("request", kind=SpanKind.SERVER, context=extract(headers))


def end(span: Span | None, operation: str, method: str, status: int) -> None:
    if span is not None:
        span.update_name(operation)
        span.set_attribute("http.request.method", method)
        span.set_attribute("http.response.status_code", status)

"""Traces lead from a request to its append and on to the projections, and are off unless somebody wants them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from api.service import traces
from api.service.settings import BadSetting, Settings
from infra.store import tracing
from projections.engine.runner import Runner
from tests.api.service import open_service

SESSION = {"ruleset": "uth-house", "terms": {"trips": "UTH-04"}}
TRACE = "0af7651916cd43dd8448eb211c80319c"


@pytest.fixture
def exported() -> Iterator[InMemorySpanExporter]:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracing.use(provider)
    try:
        yield exporter
    finally:
        tracing.use(None)
        provider.shutdown()


def named(exporter: InMemorySpanExporter, name: str) -> list[ReadableSpan]:
    return [span for span in exporter.get_finished_spans() if span.name == name]


def attributes(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


def test_from_request_to_append_to_projection(ledger_url: str, exported: InMemorySpanExporter):
    with open_service(ledger_url) as client:
        headers = {"traceparent": f"00-{TRACE}-b7ad6b7169203331-01"}
        assert client.post("/v1/tables/t1/sessions", json=SESSION, headers=headers).status_code == 201
    (append,) = named(exported, "append")
    assert append.parent is not None
    (request,) = [span for span in exported.get_finished_spans() if span.context.span_id == append.parent.span_id]
    assert f"{request.context.trace_id:032x}" == TRACE, "a part of the caller's trace"
    assert attributes(request)["http.response.status_code"] == 201
    assert attributes(request)["http.request.method"] == "POST"
    assert attributes(append)["roundledger.events"] > 1
    with Runner(ledger_url) as runner:
        runner.catch_up()
    (projected,) = named(exported, "project")
    assert [link.context.span_id for link in projected.links] == [append.context.span_id]


def test_nothing_of_what_was_sent_is_in_a_trace(ledger_url: str, exported: InMemorySpanExporter):
    with open_service(ledger_url) as client:
        client.post("/v1/tables/t-secret/sessions", json=SESSION)
        client.get("/v1/rounds/r-secret")
    said = "".join(span.to_json() for span in exported.get_finished_spans())
    assert said
    assert "secret" not in said
    assert "uth-house" not in said


def test_a_refused_request_is_traced_with_its_status(ledger_url: str, exported: InMemorySpanExporter):
    with open_service(ledger_url) as client:
        assert client.get("/v1/rounds/r-none").status_code == 404
    (request,) = exported.get_finished_spans()
    assert attributes(request)["http.response.status_code"] == 404


def test_off_by_default(ledger_url: str):
    assert not Settings().tracing
    traces.start(Settings())
    assert not tracing.is_on()
    with open_service(ledger_url) as client:
        assert client.post("/v1/tables/t3/sessions", json=SESSION).status_code == 201
    assert tracing.links_to(0, 1 << 60) == []


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(__import__("sys").modules, "opentelemetry.sdk.resources", None)
    with pytest.raises(BadSetting, match="tracing"):
        traces.start(Settings(tracing=True))
    assert not tracing.is_on()

"""The live feed: server-sent events of one table or of the whole floor, resumable, without gaps.

Every listener reads the events itself, by position, from where it was; they share only the notification that there may
be something new. So nothing is lost between two connections, and a slow reader delays nobody."""

import asyncio
import time
from collections.abc import AsyncIterable
from typing import Annotated, Any

import msgspec
from fastapi import Depends, Header, Query, Request, Security
from fastapi.sse import EventSourceResponse, ServerSentEvent
from pydantic import Field

from api.http import dependencies
from api.http.dependencies import table_caller
from api.http.examples import EXAMPLES
from api.http.problems import answers
from api.http.resource import resource
from api.service import roles
from api.service.admission import EVERY_TABLE, About, ServiceOf, TableId, check_tables
from api.service.callers import is_still_admitted
from api.service.fields import Omittable
from api.service.state import Service
from infra.access.callers import Caller, Forbidden
from infra.store.errors import StoreError
from projections.views.floor.floor_views import listen

router = resource("feed")
PAGE = 500
POLL_SECONDS = 1.0
ADMITTED_SECONDS = 1.0  # how long somebody listens before their rights are checked again
Position = Annotated[int, Field(ge=0, le=10**15)]
FEED = answers(
    200,
    "Events as they are stored, without end.",
    content={"text/event-stream": {"examples": {"wager": {"value": EXAMPLES["feed"]}}}},
)


async def resumed(
    service: ServiceOf,
    last_event_id: Annotated[
        Omittable[Position], Header(description="Go on after this event; without it, from now on.")
    ] = None,
    after: Annotated[
        Omittable[Position], Query(description="The same, for readers that cannot set the header.")
    ] = None,
) -> int:
    """Return where to resume. The header wins if both are given, because a reconnecting browser uses the same
    address."""
    if last_event_id is not None:
        return last_event_id
    if after is not None:
        return after
    return await service.run(service.ledger.events.recorder.max_notification_id) or 0


After = Annotated[int, Depends(resumed)]


async def own_table(
    table: TableId, caller: Annotated[Caller, Security(table_caller, scopes=roles.LISTENING)]
) -> Caller:
    """Check the table before the stream begins, so that a refusal is a normal answer."""
    caller.check_table(table)
    return caller


@router.get("/tables/{table}/feed", response_class=EventSourceResponse, responses=FEED)
async def table_feed(
    request: Request, service: ServiceOf, caller: Annotated[Caller, Depends(own_table)], table: TableId, after: After
) -> AsyncIterable[ServerSentEvent]:
    """What happens at a table, as it happens."""
    async for event in _events(service, request, caller, table, after, About(lambda *_: (table,))):
        yield event


@router.get("/feed", response_class=EventSourceResponse, responses=FEED)
async def floor_feed(
    request: Request,
    service: ServiceOf,
    caller: Annotated[Caller, Security(dependencies.caller, scopes=roles.LISTENING_TO_ALL)],
    after: After,
) -> AsyncIterable[ServerSentEvent]:
    """What happens on the whole floor, as it happens."""
    async for event in _events(service, request, caller, None, after, EVERY_TABLE):
        yield event


async def _events(
    service: Service,
    request: Request,
    caller: Caller,
    table: str | None,
    after: int,
    about: About,
) -> AsyncIterable[ServerSentEvent]:
    reader = await service.run(listen, service.read_side, caller, table, after)
    waiting = service.listener.join()
    _, bell = waiting
    look_again = time.monotonic() + ADMITTED_SECONDS
    try:
        yield ServerSentEvent(comment="roundledger")
        while not service.stopping.is_set():
            bell.clear()
            if time.monotonic() >= look_again:
                if not await is_still_admitted(service, request, caller):
                    return  # the reconnecting client learns why
                look_again = time.monotonic() + ADMITTED_SECONDS
            try:
                page, last = await service.run(reader.read, after, PAGE, table)
                # Checked after every page is read: a box may have been put on the table since the listener connected,
                # or the listener may count boxes by now.
                await check_tables(request, caller, about)
            except (StoreError, Forbidden):
                return  # the listener reconnects with the id of the last event that it saw
            for item in page:
                yield _event(item)
            if last > after:
                after = last
                continue
            try:
                async with asyncio.timeout(POLL_SECONDS):
                    await bell.wait()
            except TimeoutError:
                pass
    finally:
        service.listener.leave(waiting)


def _event(item: dict[str, Any]) -> ServerSentEvent:
    return ServerSentEvent(id=str(item["position"]), event=item["event"], raw_data=msgspec.json.encode(item).decode())

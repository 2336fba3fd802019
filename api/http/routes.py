"""The routers of the HTTP interface in the order in which they are tried, the busiest first."""

from api.http.routers import (
    access,
    adjudications,
    audits,
    bettors,
    boxes,
    disputes,
    feed,
    health,
    holds,
    log,
    regulation,
    reports,
    rounds,
    rules,
    tables,
)
from api.http.routers.books import cash, closings, journals, machines, slips
from api.http.routers.search import round_search, saved_searches

ROUTERS = (
    adjudications.router,
    rounds.router,
    round_search.router,
    saved_searches.router,
    rules.router,
    tables.router,
    regulation.router,
    reports.router,
    bettors.router,
    boxes.router,
    closings.router,
    journals.router,
    slips.router,
    machines.router,
    cash.router,
    disputes.router,
    audits.router,
    holds.router,
    log.router,
    feed.router,
    access.router,
    health.router,
)

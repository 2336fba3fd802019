"""Hearing that there are new events: the notice that `Bell` gives makes listeners quick, looking by themselves sure."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator

import psycopg

logger = logging.getLogger(__name__)

CHANNEL = "roundledger_events"


def notices(database_url: str, stopped: Callable[[], bool], poll_seconds: float) -> Iterator[bool]:
    """Until `stopped`: True for a notice, False where none came for so long, or where one may have been missed.

    A connection that breaks, because the database was restarted or somebody closed it, is made anew.
    """
    while not stopped():
        try:
            with psycopg.connect(database_url, autocommit=True) as connection:
                connection.execute(f"LISTEN {CHANNEL}")
                yield False
                while not stopped():
                    came = list(connection.notifies(timeout=poll_seconds, stop_after=1))
                    yield bool(came)
        except psycopg.Error as error:
            logger.info("Listening again: %s", error)
            time.sleep(poll_seconds)
            yield False

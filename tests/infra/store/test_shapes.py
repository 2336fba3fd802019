"""msgspec meets every class that threads decode before there are threads; two that meet one at once end the process."""

from __future__ import annotations

import subprocess
import sys

from api.service.idempotency import _Kept
from domain.games.registry import GAMES
from infra.store.encoding.shapes import prepare_decoders

TWELVE_AT_ONCE = """
import sys, threading
import api.app
from domain.rules import rulesets
from infra.store.encoding.shapes import prepare_decoders

sys.setswitchinterval(1e-6)
together = threading.Barrier(12)

def load():
    together.wait()
    prepare_decoders()  # as somebody does who opens a ledger in each thread
    for name in rulesets.ids():
        rulesets.load(name)

threads = [threading.Thread(target=load) for _ in range(12)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


def test_what_requests_decode_first_is_among_them():
    assert {type(game).file for game in GAMES.values()} | {_Kept} <= prepare_decoders()


def test_many_threads_may_read_rule_sets_first():
    subprocess.run([sys.executable, "-c", TWELVE_AT_ONCE], check=True)

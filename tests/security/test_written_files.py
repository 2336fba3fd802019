"""Promise: whatever somebody writes into a file that the service reads (a rule set, a chart of accounts, a count
machine's description, the rule set in a bundle) is refused as a mistake of theirs, and takes little memory and time."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

from domain.books.chart_of_accounts import read_chart
from domain.books.count_machines import read_machine
from domain.errors import BadChoice, BadDocument
from domain.rules import loader
from domain.rules.adoption import read_file
from domain.rules.loader import RuleSetError
from domain.rules.mistakes.report import mistakes
from domain.rules.toml_reader import read_toml
from projections.evidence import bundle
from projections.evidence.bundle import files_of
from projections.evidence.sources import gather
from projections.evidence.verification import verify
from tests.sealed_ledger import RULESETS, SEED, log_of
from tests.security.forged_bundles import with_manifest

LENGTH = 400_000  # the service takes rule sets up to 500,000 characters
MOST_BYTES = 32 << 20
PARTS = ".a" * 8_000  # enough for a third of a gigabyte
WRITTEN = {
    "a key of many parts": f"a{PARTS} = 1",
    "a section of many parts": f"[a{PARTS}]",
    "quoted parts": '"a"' + ' . "a"' * 8_000 + " = 1",
    "brackets in brackets": "a = " + "[" * 300 + "]" * 300,
    "brackets that are not closed": "a = " + "[" * 100_000,
    "tables in tables": "a = " + "{b = " * 20_000,
    "a number without end": "a = " + "9" * 100_000,
    "a number of sixteen": "a = 0x" + "f" * 100_000,
    "spaces": "a" + " " * LENGTH + "b",
    "quotes": '"' * LENGTH,
    "dots": "." * LENGTH,
    "the same key again": "k = 1\n" * 2_000,
    "the same section again": "[a]\n" * 2_000,
    "nothing said": "k =\n" * 20_000,
    "keys that nobody knows": "\n".join(f"schedul{number} = 1" for number in range(10_000)),
    "half a character": "a = '\ud800'",
}
READERS: dict[str, Callable[[str], Any]] = {
    "machine": read_machine,
    "chart": read_chart,
    "rule set": lambda text: loader.parse(text, "mine.toml"),
    "adoption": lambda text: read_file(text, "mine"),
}


@pytest.mark.parametrize("what", WRITTEN)
def test_it_is_refused_with_little_memory(what: str):
    for read in READERS.values():
        tracemalloc.start()
        with pytest.raises((BadDocument, BadChoice, RuleSetError)) as refused:
            read(WRITTEN[what])
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert most < MOST_BYTES
        assert len(str(refused.value)) < 50_000


def test_the_whole_is_not_read_again_for_each_mistake(monkeypatch: pytest.MonkeyPatch):
    lengths: list[int] = []

    def counted(text: str) -> Any:
        lengths.append(len(text))
        return read_toml(text)

    monkeypatch.setattr("domain.rules.mistakes.syntax.read_toml", counted)
    for what in ("the same key again", "the same section again", "nothing said"):
        lengths.clear()
        assert mistakes(WRITTEN[what], "mine.toml")
        assert sum(lengths) < 30 * len(WRITTEN[what]), what


@pytest.mark.parametrize("what", ["a key of many parts", "brackets in brackets", "a number without end"])
def test_in_a_bundle_it_is_a_finding(sealed_url: str, what: str):
    with log_of(sealed_url) as log:
        evidence = gather(log, f"{RULESETS[0]}-s{SEED}-t1-000003")
    tracemalloc.start()
    verdict = verify(with_manifest({**files_of(evidence), bundle.RULESET: WRITTEN[what].encode()}), [evidence.key])
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert not verdict.good
    assert most < 2 * MOST_BYTES

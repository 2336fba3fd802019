"""Promise: whatever somebody forges, `verify` names what is wrong with it, and takes no more memory than it needs."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from infra.log.leaves import row_of
from projections.evidence import bundle
from projections.evidence.bundle import Evidence, files_of
from projections.evidence.sources import gather
from projections.evidence.verification import MOST_TEXT_BYTES, verify
from projections.evidence.zip_file import MOST_BYTES, MOST_FILES, Damaged, pack, unpack
from tests.sealed_ledger import RULESETS, SEED, log_of
from tests.security.forged_bundles import forged_bundles, with_manifest

FORGERIES = 40  # of each rule set; `python -m tests.security.forged_bundles` makes as many as one likes


@pytest.fixture(scope="module", params=RULESETS)
def evidence(request: pytest.FixtureRequest, sealed_url: str) -> Evidence:
    with log_of(sealed_url) as log:
        return gather(log, f"{request.param}-s{SEED}-t1-000003")


def test_every_forged_bundle_gets_a_finding(evidence: Evidence, seed: int):
    for done, data in forged_bundles(evidence, Random(seed), FORGERIES):
        try:
            verdict = verify(data, [evidence.key])
        except Exception as error:
            raise AssertionError(done) from error
        assert not verdict.good or unchanged(data, evidence), done


def unchanged(data: bytes, evidence: Evidence) -> bool:
    """Whether chance has put in what was there already."""
    files, made = unpack(data), files_of(evidence)
    return {**files, bundle.MANIFEST: b""} == {**made, bundle.MANIFEST: b""}


def with_event(evidence: Evidence, topic: str, change: Callable[[list[Any]], object]) -> bytes:
    """The first event of that kind changed, under hashes that are right."""
    files = files_of(evidence)
    for name, content in files.items():
        if name.endswith(".entry") and row_of(content).topic == topic:
            row = row_of(content)
            entry = msgspec.json.decode(row.state)
            change(entry)
            head = content[: len(content) - len(row.state)]
            return with_manifest({**files, name: head + msgspec.json.encode(entry)})
    raise AssertionError(f"no {topic}")


# What broke the program before, in verifying, poker, picture and others.
BREAKING: dict[str, tuple[str, Callable[[list[Any]], object]]] = {
    "a year that no calendar has": ("round.wager_placed.v1", lambda entry: entry.__setitem__(2, 10**15)),
    "a time that no machine has": ("round.wager_placed.v1", lambda entry: entry.__setitem__(2, 10**30)),
    "a time before all times": ("round.opened.v2", lambda entry: entry.__setitem__(2, -(10**17))),
    "a card that there is not": ("round.cards_turned.v1", lambda entry: entry[0][1].__setitem__(0, "game")),
    "a card without a suit": ("round.cards_turned.v1", lambda entry: entry[0][1].__setitem__(0, "A")),
    "no cards": ("round.cards_turned.v1", lambda entry: entry[0].__setitem__(1, [])),
    "a wager on a spot that there is not": ("round.wager_placed.v1", lambda entry: entry[0].__setitem__(1, "As")),
    "a wager at a seat that there is not": ("round.wager_placed.v1", lambda entry: entry[0].__setitem__(0, 2**31)),
    "a line at a seat below the first": ("round.line_settled.v1", lambda entry: entry[0].__setitem__(0, -1)),
    "a bank without an amount": ("round.opened.v2", lambda entry: entry[0].__setitem__(8, None)),
    "terms of another shape": ("round.opened.v2", lambda entry: entry[0].__setitem__(4, {"decks": 10**18})),
}


@pytest.mark.parametrize("what", BREAKING)
def test_what_broke_the_program_is_a_finding(evidence: Evidence, what: str):
    verdict = verify(with_event(evidence, *BREAKING[what]), [evidence.key])
    assert not verdict.good


def test_a_story_with_an_event_too_few_is_a_finding(evidence: Evidence):
    """One left out, and those after it numbered as if it had never been."""
    files = files_of(evidence)
    entries = [name for name in files if name.endswith(".entry") and row_of(files[name]).topic != bundle.RULES_TOPIC]
    for left_out in entries[::4]:
        made = {name: content for name, content in files.items() if not name.startswith(left_out[:-5])}
        for version, name in enumerate([name for name in entries if name != left_out], start=1):
            made[name] = made[name][:33] + version.to_bytes(4, "big") + made[name][37:]
        assert not verify(with_manifest(made), [evidence.key]).good


# ---- memory


def test_a_bundle_of_too_many_or_too_long_files_is_refused_unread():
    with pytest.raises(Damaged, match="more than 10,000 files"):
        unpack(pack({f"log/{number:09}.entry": b"" for number in range(MOST_FILES + 1)}))
    (fault,) = verify(pack({bundle.RULESET: bytes(MOST_TEXT_BYTES + 1)})).faults
    assert fault.file == bundle.RULESET


SMALL = """
import resource, sys, typer
resource.setrlimit(resource.RLIMIT_DATA, (%d, %d))
from api.cli.evidence import verify
typer.run(verify)
"""


def test_no_more_of_a_file_is_read_than_a_bundle_may_have(tmp_path: Path):
    """A file of eight gigabytes that begins as a bundle does, and a program with room for a twentieth of it."""
    file, room = tmp_path / "round.zip", 400 << 20
    assert room > 2 * MOST_BYTES
    with file.open("wb") as written:
        written.write(pack({"manifest.json": b"{}"}))
        written.truncate(8 << 30)
    command = [sys.executable, "-c", SMALL % (room, room), str(file)]
    done = subprocess.run(command, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"}, capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    assert "more than 64 MiB" in done.stdout


@pytest.mark.parametrize("option", ["--key", "--checkpoint"])
def test_a_key_or_a_checkpoint_of_any_length_is_not_read_whole(tmp_path: Path, option: str, evidence: Evidence):
    bundle_file, long = tmp_path / "round.zip", tmp_path / "long"
    bundle_file.write_bytes(pack(files_of(evidence)))
    with long.open("wb") as written:
        written.truncate(8 << 30)
    room = 400 << 20
    command = [sys.executable, "-c", SMALL % (room, room), str(bundle_file), option, str(long)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2, done.stdout
    assert "more than 1,048,576 bytes" in done.stderr

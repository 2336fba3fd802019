"""Forged evidence bundles: the hashes in the manifest are right, what the files say is not.

    python -m tests.security.forged_bundles SEED COUNT

makes as many as one likes and prints those that break the program.
"""

from __future__ import annotations

import re
import sys
import traceback
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from domain.floor.drop_boxes import BOX_TOPICS
from domain.round.events import ROUND_TOPICS
from infra.log.leaves import row_of
from projections.evidence import bundle
from projections.evidence.bundle import Evidence
from projections.evidence.verification import verify
from projections.evidence.zip_file import pack

Files = dict[str, bytes]

ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2, 9, 53, 2**31, 2**63 - 1, -(2**63), 2**64, 10**30, 0.5, 1e308, 10**15),
    *("", "x", "As", "as", "Zz", "??", "10h", "dealer", "board", "burn", "flop", "turn_river", "seat-1", "win", "lose"),
    *("fold", "raise", "ante", "play", "game", "envy", "progressive", "999999999999.99", "-1.00", "\u0000"),
    *("é" * 3, "<b>x</b>", "x" * 3000, [], [None], [[]], {}, {"a": 1}, {"1": "x"}, ["As", "As"], ["As", None], [0, 0]),
)
SCALARS = re.compile(rb'"[^"\n]*"|-?\b\d+(?:\.\d+)?\b|\btrue\b|\bfalse\b')


def forged_bundles(evidence: Evidence, dice: Random, count: int) -> Iterator[tuple[str, bytes]]:
    """What was done, and the bundle after it."""
    files = bundle.files_of(evidence)
    kinds = [*[_changed_state] * 8, _other_topic, _other_head, _fewer, _twice, _exchanged, _changed_text, _other_round]
    for _ in range(count):
        change = dice.choice(kinds)
        made = dict(files)
        done = change(made, dice)
        yield f"{change.__name__}: {done}", with_manifest(made)


def with_manifest(files: Files) -> bytes:
    """The same files under hashes that are right."""
    manifest = msgspec.json.decode(files[bundle.MANIFEST])
    others = {name: content for name, content in files.items() if name != bundle.MANIFEST}
    listed = {name: {"bytes": len(content), "sha256": sha256(content).hexdigest()} for name, content in others.items()}
    return pack({bundle.MANIFEST: msgspec.json.encode({**manifest, "files": listed}), **others})


def _entries(files: Files) -> list[str]:
    return [name for name in files if name.endswith(".entry")]


def _head_and_state(entry: bytes) -> tuple[bytes, bytes]:
    state = row_of(entry).state
    return entry[: len(entry) - len(state)], state


def _changed_state(files: Files, dice: Random) -> str:
    name = dice.choice(_entries(files)[1:])
    head, state = _head_and_state(files[name])
    value = msgspec.json.decode(state)
    path, changed = _changed(value, dice)
    files[name] = head + msgspec.json.encode(changed)
    return f"{row_of(files[name]).topic} {path}"


def _changed(value: Any, dice: Random) -> tuple[str, Any]:
    """A copy with one thing in it changed: something replaced, left out, doubled or put between."""
    inside = list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
    if not inside or dice.random() < 0.08:
        odd = dice.choice(ODD)
        return f"= {odd!r:.40}", odd
    at = dice.choice(inside)
    copy = value.copy()
    what = dice.random()
    if what < 0.75:
        path, copy[at] = _changed(value[at], dice)
        return f"[{at!r}] {path}", copy
    if what < 0.85 or isinstance(value, dict):
        del copy[at]
        return f"[{at!r}] left out", copy
    odd = value[at] if what < 0.92 else dice.choice(ODD)
    copy.insert(at, odd)
    return f"[{at!r}] inserted {odd!r:.40}", copy


def _other_topic(files: Files, dice: Random) -> str:
    """The event passes for one of another kind, with or without a state that such a one could have."""
    topics = [*ROUND_TOPICS, *BOX_TOPICS, "round.unknown.v1", "", "round.opened.v9", "x" * 255]
    name, topic = dice.choice(_entries(files)), dice.choice(topics)
    entry = files[name]
    row = row_of(entry)
    state = row.state if dice.random() < 0.5 else b'[[%s],"x",0]' % b",".join([b"1"] * dice.randrange(14))
    encoded = topic.encode()
    files[name] = entry[:37] + bytes([len(encoded)]) + encoded + state
    return f"{row.topic} as {topic:.40} {state[:60]!r}"


def _other_head(files: Files, dice: Random) -> str:
    """Form, position, time, id or version."""
    name, at = dice.choice(_entries(files)), dice.randrange(38)
    entry = bytearray(files[name])
    entry[at] = dice.choice([0, 1, 2, 127, 128, 255])
    files[name] = bytes(entry)
    return f"{name} byte {at} = {entry[at]}"


def _renumbered(files: Files) -> None:
    """So that a story with events too many or too few still counts from 1."""
    of_round = [name for name in _entries(files) if row_of(files[name]).topic != bundle.RULES_TOPIC]
    for version, name in enumerate(of_round, start=1):
        entry = files[name]
        files[name] = entry[:33] + version.to_bytes(4, "big") + entry[37:]


def _fewer(files: Files, dice: Random) -> str:
    names = dice.sample(_entries(files), dice.choice([1, 1, 2, 5]))
    for name in names:
        del files[name], files[name.replace(".entry", ".tlog-proof")]
    if dice.random() < 0.8:
        _renumbered(files)
    return f"without {names}"


def _twice(files: Files, dice: Random) -> str:
    """One event in the place of another."""
    one, other = dice.sample(_entries(files), 2)
    files[one] = files[other]
    _renumbered(files)
    return f"{row_of(files[other]).topic} of {other} as {one} too"


def _exchanged(files: Files, dice: Random) -> str:
    names = _entries(files)
    at = dice.randrange(len(names) - 1)
    one, other = names[at], names[dice.choice([at + 1, dice.randrange(len(names))])]
    files[one], files[other] = files[other], files[one]
    _renumbered(files)
    return f"{one} and {other}"


def _changed_text(files: Files, dice: Random) -> str:
    """A value in a file of text: the rule set, terms, result, key, checkpoint, a proof."""
    texts = [name for name in files if name.endswith((".toml", ".json", ".jsonl", ".txt", ".tlog-proof", ".body"))]
    rare = [bundle.RULESET] * len(texts) + texts
    name = dice.choice(rare)
    values = list(SCALARS.finditer(files[name]))
    if not values or dice.random() < 0.2:
        at = dice.randrange(len(files[name]))
        files[name] = files[name][:at] + bytes([dice.randrange(256)]) + files[name][at + dice.randrange(4) :]
        return f"{name} byte {at}"
    found, odd = dice.choice(values), msgspec.json.encode(dice.choice(ODD))
    files[name] = files[name][: found.start()] + odd + files[name][found.end() :]
    return f"{name} {found[0][:40]!r} = {odd[:40]!r}"


def _other_round(files: Files, dice: Random) -> str:
    manifest = msgspec.json.decode(files[bundle.MANIFEST])
    path, changed = _changed({name: value for name, value in manifest.items() if name != "files"}, dice)
    files[bundle.MANIFEST] = msgspec.json.encode(changed if isinstance(changed, dict) else {})
    return path


# ---- in numbers


def _broken(data: bytes, evidence: Evidence) -> str | None:
    """Where the program failed over a bundle, if it did."""
    try:
        verify(data, [evidence.key])
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__} in {Path(place.filename).name}, line {place.lineno}"
    return None


def main(seed: int, count: int) -> int:
    from infra.embedded import embedded_postgres
    from infra.schema.migrator import migrate
    from projections.evidence.sources import gather
    from tests.sealed_ledger import RULESETS, log_of, record_rounds, seal

    dice, broken = Random(seed), Counter[str]()
    with TemporaryDirectory() as folder, embedded_postgres(Path(folder) / "data") as url:
        migrate(url)
        ids = [record_rounds(url, ruleset, 4) for ruleset in (*RULESETS, "uth-sd", "uth-house")]
        seal(url, Path(folder) / "keys")
        with log_of(url) as log:
            stories = [gather(log, one) for found in ids for one in found]
    for number in range(count):
        evidence = stories[number % len(stories)]
        for done, data in forged_bundles(evidence, dice, 1):
            if (place := _broken(data, evidence)) is not None:
                broken[place] += 1
                print(f"{place}: {done}", flush=True)
    print(f"{broken.total()} of {count} broke the program")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))

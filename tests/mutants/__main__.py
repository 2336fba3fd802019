"""`make mutants`: faults put into domain/ one at a time, and how many of them the tests notice.

Each fault is put into a copy of the project, whose tests run until one fails. A seed chooses the faults, so that the
same seed asks the same of the same code. Exits with 1 where fewer than the wanted share are noticed.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

from tests.mutants.mutations import Mutation, sites

ROOT = Path(__file__).resolve().parents[2]
NOT_COPIED = shutil.ignore_patterns(".venv", ".git", ".*_cache", "__pycache__", ".hypothesis")
# The quick ones first; those that need a database only where nothing else has failed.
QUICK = (("tests/rules",), ("tests/domain", "tests/infra/simulation"))
SLOW = (("tests/infra", "tests/projections"), ("tests/api/http", "tests/security"))
# Longer than all tests of a stage take; a fault that makes them run for ever has been noticed.
LIMIT_SECONDS = 1800


class Fault(NamedTuple):
    module: str
    mutation: Mutation

    def __str__(self) -> str:
        return f"{self.module}:{self.mutation.line}: {self.mutation}"


def faults(root: Path, names: Sequence[str], sample: int, seed: int) -> list[Fault]:
    paths = [
        path for name in names for path in ([root / name] if name.endswith(".py") else (root / name).rglob("*.py"))
    ]
    every = [Fault(*site) for site in sites({str(path.relative_to(root)): path.read_bytes() for path in paths})]
    return sorted(random.Random(seed).sample(every, min(sample, len(every))))


def is_noticed(fault: Fault, copy: Path, quick: bool) -> bool:
    module = copy / fault.module
    source = module.read_bytes()
    _write(module, fault.mutation.applied(source))
    try:
        return any(not passes(copy, tests) for tests in (own_tests(fault), *QUICK, *(() if quick else SLOW)) if tests)
    finally:
        _write(module, source)


def _write(module: Path, source: bytes) -> None:
    """With a time of its own: bytecode is kept by the time and the size of a module, and both could be those of the
    fault before."""
    before = module.stat().st_mtime
    module.write_bytes(source)
    os.utime(module, (before + 10, before + 10))


def own_tests(fault: Fault) -> tuple[str, ...]:
    """Those of the module's own folder, and of the folder above where a game has none of its own."""
    folder = Path("tests", fault.module).parent
    while not (ROOT / folder).is_dir():
        folder = folder.parent
    return () if folder == Path("tests/domain") else (str(folder),)


def passes(copy: Path, tests: Sequence[str]) -> bool:
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--no-header", *tests]
    environment = {**os.environ, "PYTHONPATH": str(copy), "PYTHONPYCACHEPREFIX": str(copy / ".bytecode")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    try:
        done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, timeout=LIMIT_SECONDS)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--sample", type=int, default=100, help="how many faults (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="which ones (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="at once (default: one for each core)")
    parser.add_argument("--quick", action="store_true", help="without the tests that need a database")
    parser.add_argument("--wanted", type=float, default=0.95, help="share to be noticed (default: %(default)s)")
    parser.add_argument("modules", nargs="*", default=["domain"], help="folders or files (default: domain)")
    asked = parser.parse_args()
    chosen = faults(ROOT, asked.modules, asked.sample, asked.seed)
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        copies: SimpleQueue[Path] = SimpleQueue()
        folders = [Path(folder) / str(number) for number in range(asked.jobs)]
        for copy in folders:
            copies.put(Path(shutil.copytree(ROOT, copy, ignore=NOT_COPIED)))

        if not all(passes(folders[0], tests) for tests in (*QUICK, *(() if asked.quick else SLOW))):
            print("The tests fail without a fault; run make test first.")
            return 2

        def run(fault: Fault) -> bool:
            copy = copies.get()
            try:
                noticed = is_noticed(fault, copy, asked.quick)
            finally:
                copies.put(copy)
            print(f"{'killed  ' if noticed else 'SURVIVED'} {fault}", flush=True)
            return noticed

        with ThreadPoolExecutor(asked.jobs) as pool:
            noticed = list(pool.map(run, chosen))
    survivors = [fault for fault, killed in zip(chosen, noticed, strict=True) if not killed]
    print(f"\n{len(chosen) - len(survivors)} of {len(chosen)} killed in {time.monotonic() - began:.0f} s")
    for fault in survivors:
        print(f"survived: {fault}")
    return 0 if len(survivors) <= (1 - asked.wanted) * len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())

"""`roundledger upgrade` killed at random moments, with all that it started; then it is run to its end.

python -m tests.infra.embedded.upgrade_kills --kills 20
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

from infra.embedded import as_service, embedded_postgres
from infra.embedded.major_upgrade import upgrade, written_by
from infra.ledger.ledger import Ledger
from tests.infra.embedded.postgres_16 import fill_with_16

ROOT = Path(__file__).resolve().parents[3]
UPGRADE = """
import sys
from pathlib import Path
from infra.embedded.major_upgrade import upgrade
print("ready", flush=True)
upgrade(Path(sys.argv[1]))
"""


class Figures(NamedTuple):
    kills: int
    finished: int  # which were done before they were to be killed
    lost: int


class Original(NamedTuple):
    """A folder that PostgreSQL 16 wrote, and the rounds in it."""

    home: Path
    rounds: list[str]


def kill_upgrades(root: Path, original: Original, moments: list[float]) -> Figures:
    """Each after so many seconds."""
    finished = lost = 0
    for number, moment in enumerate(moments):
        home = copied(original.home, root / f"killed-{number}")
        finished += not _killed(home, moment)
        if written_by(home) != 18:
            upgrade(home)
        with embedded_postgres(home) as url, closing(Ledger(as_service(url))) as ledger:
            lost += sum(len(ledger.entries(round_id)) == 0 for round_id in original.rounds)
        shutil.rmtree(home)
    return Figures(len(moments), finished, lost)


def copied(original: Path, home: Path) -> Path:
    subprocess.run(["cp", "-a", str(original), str(home)], check=True)
    return home


def _seconds(home: Path) -> float:
    began = time.monotonic()
    upgrade(home)
    shutil.rmtree(home)
    return time.monotonic() - began


def _killed(home: Path, after_seconds: float) -> bool:
    """False if it was done before."""
    command = [sys.executable, "-c", UPGRADE, str(home)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        with suppress(subprocess.TimeoutExpired):
            assert process.wait(after_seconds) == 0
            return False
        for one in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                words = (one / "cmdline").read_bytes()
                place = os.readlink(one / "cwd")
                if os.fsencode(home) in words or place.startswith(str(home)):
                    os.kill(int(one.name), signal.SIGKILL)
        process.wait()
    return True


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o711)
        original = Original(Path(folder) / "original", fill_with_16(Path(folder) / "original"))
        longest = _seconds(copied(original.home, Path(folder) / "timed"))
        dice = random.Random(given.seed)
        print(kill_upgrades(Path(folder), original, [dice.random() * longest for _ in range(given.kills)]))


if __name__ == "__main__":
    main()

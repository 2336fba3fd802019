"""Changes single bytes of an evidence bundle, as many as one likes, and demands that each is found.

python -m tests.projections.evidence.byte_changes BUNDLE --changes 10000 --seed 1
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from pathlib import Path

from projections.evidence.verification import verify


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("bundle", type=Path)
    parser.add_argument("--changes", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    data, dice = asked.bundle.read_bytes(), random.Random(asked.seed)
    if not verify(data).good:
        print("The bundle does not hold as it is.")
        return 2
    named, missed, began = Counter[str](), 0, time.monotonic()
    for _ in range(asked.changes):
        at, change = dice.randrange(len(data)), dice.randrange(1, 256)
        changed = bytearray(data)
        changed[at] ^= change
        verdict = verify(bytes(changed))
        if verdict.good:
            missed += 1
            print(f"missed: byte {at} changed by {change:#x}")
        else:
            named[verdict.faults[0].file] += 1
    print(f"{asked.changes} changes, {missed} missed, {len(named)} parts named, {time.monotonic() - began:.0f} s")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

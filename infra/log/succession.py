"""A log that continues another under a new name, after a restore that lost published events.

Every checkpoint under the new name has four lines after the root that say so:

    succeeds roundledger/5f0c9a12b3d4
    restored 1200
    published 1290
    reason The disk of the old server failed."""

from __future__ import annotations

import re
from typing import NamedTuple

from infra.log.checkpoints import Checkpoint

_LINES = re.compile(r"succeeds (\S+)\nrestored (0|[1-9][0-9]{0,18})\npublished (0|[1-9][0-9]{0,18})\nreason ([^\n]+)")
_NUMBERED = re.compile(r"(.+)/succession-([1-9][0-9]*)")


class Succession(NamedTuple):
    old_name: str
    restored_size: int  # sealed events that the restored ledger had
    published_size: int
    reason: str

    def lines(self) -> tuple[str, ...]:
        return (
            f"succeeds {self.old_name}",
            f"restored {self.restored_size}",
            f"published {self.published_size}",
            f"reason {self.reason}",
        )

    @property
    def new_name(self) -> str:
        numbered = _NUMBERED.fullmatch(self.old_name)
        first, number = (self.old_name, 0) if numbered is None else (numbered[1], int(numbered[2]))
        return f"{first}/succession-{number + 1}"


def succession_of(checkpoint: Checkpoint) -> Succession | None:
    found = _LINES.fullmatch("\n".join(checkpoint.extensions))
    return (
        None
        if found is None
        else Succession(old_name=found[1], restored_size=int(found[2]), published_size=int(found[3]), reason=found[4])
    )

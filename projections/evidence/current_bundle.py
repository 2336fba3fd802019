"""The bundle of a round as it is now: unsealed events are sealed first, here or by the sealer."""

from __future__ import annotations

from pathlib import Path

from infra.log.checkpoints import Checkpoint
from infra.log.keys import KeyProblem
from infra.log.sealer import BrokenLog, seal_now
from infra.log.stored_log import LogReader
from infra.store.database import Patience
from projections.evidence.bundle import Evidence, files_of
from projections.evidence.sources import NoEvidence, NotSealed, gather
from projections.evidence.zip_file import pack

WAIT_SECONDS = 10.0  # for another process that seals


def make(log: LogReader, round_id: str, key_folder: Path, checkpoint: Checkpoint | None = None) -> bytes:
    return pack(files_of(sealed_evidence(log, round_id, key_folder, checkpoint)))


def sealed_evidence(
    log: LogReader,
    round_id: str,
    key_folder: Path,
    checkpoint: Checkpoint | None = None,
    wait_seconds: float = WAIT_SECONDS,
) -> Evidence:
    patience = Patience(wait_seconds)
    while True:
        try:
            return gather(log, round_id, checkpoint)
        except NotSealed:
            if checkpoint is not None or not patience.wait():
                raise
        try:
            seal_now(log.database_url, key_folder)
        except (KeyProblem, BrokenLog) as error:
            raise NoEvidence(str(error)) from None

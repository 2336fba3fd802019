"""The transparency log and proofs."""

from __future__ import annotations

from pydantic import Field

from api.service.fields import Model


class LogEntry(Model):
    """`entry` is what the leaf is the hash of. `path` leads from it to the root, as indexes into `hashes`, from 0; null
    if the event is not sealed yet."""

    version: int
    index: int | None
    entry: str
    path: list[int] | None


class RoundLogOut(Model):
    round: str
    checkpoint: str | None
    sealed_at: str | None
    keys: list[str]
    hashes: list[str]
    entries: list[LogEntry]


class LogKeysOut(Model):
    """Keys as a verifier reads them (signed notes); `pem` is the current one for openssl."""

    log: str
    key: str
    pem: str
    earlier: list[str]


class ConsistencyOut(Model):
    """The hashes that prove that the larger tree begins with the smaller one (RFC 6962, 2.1.2), in base64."""

    old_size: int = Field(alias="from")
    size: int = Field(alias="to")
    hashes: list[str]


class EventProof(Model):
    """The place of an event of a round in the log, the hash of its leaf, and its path to the root, in base64."""

    version: int
    position: int
    index: int
    leaf: str
    hashes: list[str]


class RoundProofsOut(Model):
    round: str
    checkpoint: str
    proofs: list[EventProof]

"""A checkpoint (C2SP tlog-checkpoint): the log's name, its size and its root, as the text of a signed note."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable
from typing import NamedTuple

from infra.log.signed_notes import COSIGNED_BYTES, BadNote, Note, Signature, Signer, Verifier, decode_base64, parse_note

_BODY = re.compile(r"([^\n]+)\n(0|[1-9][0-9]{0,18})\n([A-Za-z0-9+/]{43}=)\n((?:[^\n]+\n)*)")


class Checkpoint(NamedTuple):
    origin: str
    size: int
    root: bytes
    note: Note

    def text(self) -> str:
        return self.note.text()

    @property
    def extensions(self) -> tuple[str, ...]:
        """The lines after the root, which other readers of checkpoints skip."""
        return tuple(self.note.body.splitlines()[3:])

    def with_signature(self, signature: Signature) -> Checkpoint:
        return self._replace(note=self.note._replace(signatures=(*self.note.signatures, signature)))

    def cosigned_at(self) -> int | None:
        """Return when it was first cosigned, in seconds, as its cosignatures say."""
        times = [
            int.from_bytes(one.value[:8], "big") for one in self.note.signatures if len(one.value) == COSIGNED_BYTES
        ]
        return min(times, default=None)

    def trusted_by(self, keys: Iterable[Verifier]) -> list[Verifier]:
        """Return the log's own keys that have signed it. A key under another name proves nothing for the log."""
        return self.note.signed_by(key for key in keys if key.name == self.origin)


def sign(origin: str, size: int, root: bytes, signers: Iterable[Signer], extensions: Iterable[str] = ()) -> Checkpoint:
    body = "".join(f"{line}\n" for line in (origin, size, b64encode(root).decode(), *extensions))
    return Checkpoint(
        origin=origin, size=size, root=root, note=Note(body, tuple(signer.sign(body) for signer in signers))
    )


def parse_checkpoint(text: str) -> Checkpoint:
    """Parse a checkpoint without checking its signatures; see `trusted_by`."""
    note = parse_note(text)
    found = _BODY.fullmatch(note.body)
    if found is None:
        raise BadNote("the text of a checkpoint is the log's name, its size and its root, a line each")
    return Checkpoint(origin=found[1], size=int(found[2]), root=decode_base64(found[3]), note=note)

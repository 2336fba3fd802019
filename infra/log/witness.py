"""A witness: keeps the checkpoints of a log that it has seen, on its own machine, accepts only growth, and cosigns
(C2SP tlog-cosignature).

A folder holds the witness's own key and, for each log, the known keys and every cosigned checkpoint, named by its
size."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path

from infra.log.checkpoints import Checkpoint, parse_checkpoint
from infra.log.keys import KeyFile, new_signer
from infra.log.merkle import is_consistent
from infra.log.signed_notes import COSIGNATURE, BadNote, Signer, Verifier, parse_verifier
from infra.log.succession import Succession, succession_of

Prove = Callable[[int, int], Sequence[bytes]]  # the hashes that lead from one size to another


class Refused(Exception):
    """`kind` is shorter, fork, unproved, unknown_key, other_log or unreadable."""

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind = kind
        self.detail = detail


class Witness:
    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder
        file = KeyFile(folder / "witness.key")
        signer = file.load()
        if signer is None:
            signer = new_signer(name, COSIGNATURE)
            file.save(signer)
        self._signer: Signer = signer

    @property
    def key(self) -> Verifier:
        return self._signer.verifier

    # ---- what it has seen

    def _of_log(self, origin: str) -> Path:
        """Return a log's folder, named in letters that every file system accepts."""
        plain = "".join(letter if letter.isalnum() and letter.isascii() else "-" for letter in origin)[:40]
        return self._folder / f"{plain}-{sha256(origin.encode()).hexdigest()[:8]}"

    def keys_of(self, origin: str) -> list[Verifier]:
        try:
            return [parse_verifier(line) for line in (self._of_log(origin) / "keys").read_text("utf-8").splitlines()]
        except FileNotFoundError:
            return []

    def last_of(self, origin: str, most: float = float("inf")) -> Checkpoint | None:
        """Return the largest checkpoint seen with at most this many events."""
        files = self._of_log(origin).glob("*.checkpoint")
        sizes = [int(file.stem) for file in files if file.stem.isdecimal() and int(file.stem) <= most]
        if not sizes:
            return None
        kept = parse_checkpoint((self._of_log(origin) / f"{max(sizes)}.checkpoint").read_text("utf-8"))
        if not kept.note.signed_by([self.key]):
            raise Refused("unreadable", f"the checkpoint of {kept.size} events in {self._folder} is not cosigned by us")
        return kept

    # ---- new checkpoints

    def look(
        self,
        text: str,
        prove: Prove,
        at_seconds: int,
        *,
        trusted: Sequence[Verifier] = (),
        offered: Sequence[Verifier] = (),
    ) -> Checkpoint:
        """Return the checkpoint with our cosignature, or raise Refused.

        `trusted` are keys that the auditor vouches for. `offered` are those that the log itself names; they are
        accepted for an unknown log, and later only together with a known one."""
        try:
            checkpoint = parse_checkpoint(text)
        except BadNote as error:
            raise Refused("unreadable", str(error)) from None
        known = list(dict.fromkeys([*self.keys_of(checkpoint.origin), *trusted]))
        succession = self._new_succession(checkpoint)
        if succession is not None:
            known += [key._replace(name=checkpoint.origin) for key in self.keys_of(succession.old_name)]
        elif not known and (self.last_of(checkpoint.origin) is None):
            known = list(offered)
        if not checkpoint.trusted_by(known):
            raise Refused("unknown_key", _unknown(checkpoint, known))
        if succession is None:
            self._compare(checkpoint, self.last_of(checkpoint.origin), prove)
        else:
            self._compare(checkpoint, self.last_of(succession.old_name, succession.restored_size), prove)
        cosigned = checkpoint.with_signature(self._signer.cosign(checkpoint.note.body, at_seconds))
        self._keep(cosigned, list(dict.fromkeys([*known, *checkpoint.trusted_by(offered)])))
        return cosigned

    def _new_succession(self, checkpoint: Checkpoint) -> Succession | None:
        """Return the succession if this log continues one that we know and is new to us."""
        succession = succession_of(checkpoint)
        if succession is None or self.last_of(checkpoint.origin) is not None or not self.keys_of(succession.old_name):
            return None
        if succession.restored_size > checkpoint.size:
            raise Refused("unreadable", "the log has fewer events than it says it was restored with")
        return succession

    def accepted_succession(self, checkpoint: Checkpoint) -> str | None:
        """Return, for a checkpoint that continues another log, what was lost as far as we saw it, and why."""
        succession = succession_of(checkpoint)
        last = None if succession is None else self.last_of(succession.old_name)
        if succession is None or last is None:
            return None
        lost = max(0, last.size - succession.restored_size)
        return (
            f"{checkpoint.origin} continues {succession.old_name} from {succession.restored_size} events; of those "
            f"that we saw, {lost} are lost or no longer proven. The reason given: {succession.reason}"
        )

    def _compare(self, checkpoint: Checkpoint, last: Checkpoint | None, prove: Prove) -> None:
        if last is None:
            return
        if checkpoint.size < last.size:
            raise Refused("shorter", f"the log has {checkpoint.size} events, and it has had {last.size}")
        if checkpoint.size == last.size:
            if checkpoint.root != last.root:
                raise Refused("fork", f"at {last.size} events the log has another root than it had")
            return
        proof = prove(last.size, checkpoint.size)
        if not is_consistent(last.size, last.root, checkpoint.size, checkpoint.root, proof):
            raise Refused(
                "fork", f"the log of {checkpoint.size} events does not begin with the {last.size} that we saw"
            )

    def _keep(self, cosigned: Checkpoint, keys: Sequence[Verifier]) -> None:
        folder = self._of_log(cosigned.origin)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _write(folder / "keys", "".join(f"{key.text()}\n" for key in keys))
        _write(folder / f"{cosigned.size}.checkpoint", cosigned.text())


def _unknown(checkpoint: Checkpoint, known: Sequence[Verifier]) -> str:
    if not known:
        return f"no key is known of the log {checkpoint.origin}"
    return f"the checkpoint is signed with none of the keys that are known: {', '.join(key.text() for key in known)}"


def _write(path: Path, text: str) -> None:
    """Write a file atomically."""
    new = path.with_name(f"{path.name}.new")
    with new.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)

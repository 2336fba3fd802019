"""The private key that signs checkpoints: one line in a file that only its owner can read, outside the database.

People who can change the database must not be able to sign for it, so only the public half is stored there."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from uuid import UUID

from infra.embedded import default_data_dir
from infra.log.signed_notes import SIGNATURE, BadNote, Signer, check_name, parse_signer

FOLDER_VARIABLE = "ROUNDLEDGER_LOG_KEYS"
ORIGIN_VARIABLE = "ROUNDLEDGER_LOG_ORIGIN"


class KeyProblem(Exception):
    """The signing key is missing or must not be used; the message says what to do."""


def default_folder(data_dir: Path | None = None) -> Path:
    """Return ROUNDLEDGER_LOG_KEYS, or `keys` in the data folder, whichever database is used."""
    if chosen := os.environ.get(FOLDER_VARIABLE):
        return Path(chosen).expanduser()
    return (data_dir or default_data_dir()) / "keys"


def origin_of(log_id: UUID) -> str:
    """Return the log's name: ROUNDLEDGER_LOG_ORIGIN, or one that no other log has."""
    return check_name(os.environ.get(ORIGIN_VARIABLE) or f"roundledger/{log_id.hex[:12]}")


def new_signer(name: str, kind: int = SIGNATURE) -> Signer:
    return Signer(check_name(name), kind, os.urandom(32))


class KeyFile:
    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def of_log(cls, folder: Path, log_id: UUID) -> KeyFile:
        """Return the key file of a log. Each log has its own: two logs under one name would look like a fork."""
        return cls(folder / f"log-{log_id.hex[:12]}.key")

    def load(self) -> Signer | None:
        """Load the key; None if the file does not exist."""
        try:
            with self.path.open(encoding="utf-8") as file:
                mode = os.fstat(file.fileno()).st_mode
                text = file.read(4096)
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise KeyProblem(f"The key {self.path} cannot be read: {error}.") from None
        if stat.S_IMODE(mode) & 0o077:
            raise KeyProblem(f"The key {self.path} can be read by people other than its owner: run `chmod 600` on it.")
        try:
            return parse_signer(text)
        except BadNote as error:
            raise KeyProblem(f"{self.path} contains no key: {error}.") from None

    def save(self, signer: Signer) -> None:
        """Save the key in a new file; never overwrites."""
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(signer.text() + "\n")
                file.flush()
                os.fsync(descriptor)
        except FileExistsError:
            raise KeyProblem(f"There is already a key at {self.path}.") from None
        except OSError as error:
            raise KeyProblem(f"The key {self.path} cannot be written: {error.strerror}.") from None

    @property
    def successor(self) -> KeyFile:
        """Return the file of the next key during a rotation."""
        return KeyFile(self.path.with_name(f"{self.path.name}.next"))

    def succeed(self) -> Path | None:
        """Put the successor in this key's place, and rename this key after its id."""
        signer, aside = self.load(), None
        try:
            if signer is not None:
                aside = self.path.with_name(f"{self.path.name}.{signer.verifier.id.hex()}.retired")
                self.path.rename(aside)
            self.successor.path.rename(self.path)
        except OSError as error:
            raise KeyProblem(f"The key {self.path} cannot be set aside: {error.strerror}.") from None
        return aside

"""The log's private keys in a backup: one file, encrypted with a passphrase."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

NAME = "keys.encrypted"
HEADER = b"roundledger keys 1\n"
SALT_BYTES, NONCE_BYTES = 16, 12
SHORTEST_PASSPHRASE = 12


class WrongPassphrase(Exception):
    """The keys cannot be decrypted with this passphrase, or the file was changed."""


def check_passphrase(passphrase: str) -> None:
    if len(passphrase) < SHORTEST_PASSPHRASE:
        raise WrongPassphrase(f"A passphrase has at least {SHORTEST_PASSPHRASE} characters.")


def lock(keys: dict[str, str], passphrase: str) -> bytes:
    check_passphrase(passphrase)
    salt, nonce = os.urandom(SALT_BYTES), os.urandom(NONCE_BYTES)
    sealed = AESGCM(_key(passphrase, salt)).encrypt(nonce, msgspec.json.encode(keys), HEADER)
    return HEADER + salt + nonce + sealed


def unlock(content: bytes, passphrase: str) -> dict[str, str]:
    body = content.removeprefix(HEADER)
    salt, nonce, sealed = body[:SALT_BYTES], body[SALT_BYTES:][:NONCE_BYTES], body[SALT_BYTES + NONCE_BYTES :]
    try:
        decrypted = AESGCM(_key(passphrase, salt)).decrypt(nonce, sealed, HEADER)
        return msgspec.json.decode(decrypted, type=dict[str, str])
    except (InvalidTag, ValueError):
        raise WrongPassphrase("The keys in the backup cannot be decrypted with this passphrase.") from None


def read_keys(folder: Path) -> dict[str, str]:
    """Return the key files of a folder by name; empty if there is no folder."""
    return {file.name: file.read_text(encoding="utf-8") for file in sorted(folder.glob("*.key*")) if file.is_file()}


def write_keys(keys: dict[str, str], folder: Path) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for name, text in keys.items():
        descriptor = os.open(folder / Path(name).name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(descriptor)


def _key(passphrase: str, salt: bytes) -> bytes:
    return Scrypt(salt=salt, length=32, n=1 << 15, r=8, p=1).derive(passphrase.encode())

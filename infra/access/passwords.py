"""Hashes of passwords (Argon2id with salt and parameters) and of session cookies."""

from __future__ import annotations

import hashlib
import os
from base64 import b64decode, b64encode

from argon2 import Type, extract_parameters
from argon2.low_level import ARGON2_VERSION, hash_secret

SHORTEST = 10
LONGEST = 200
MEMORY_KIB, PASSES, LANES = 46 * 1024, 1, 1  # 46 MiB and some hundredths of a second for each guess
SALT_BYTES = 16
HASH_BYTES = 32
CURRENT = f"$argon2id$v={ARGON2_VERSION}$m={MEMORY_KIB},t={PASSES},p={LANES}$"  # prefix of current hashes


class WeakPassword(ValueError):
    """A password that is refused; the message says why."""


def check(password: str, staff_id: str) -> None:
    if not SHORTEST <= len(password) <= LONGEST:
        raise WeakPassword(f"A password has {SHORTEST} to {LONGEST} characters.")
    if len(set(password)) < 4 or staff_id == password.lower():
        raise WeakPassword("That password is too easy to guess.")


def hashed(password: str) -> str:
    return _argon2(password, os.urandom(SALT_BYTES), MEMORY_KIB, PASSES, LANES)


def checked_hash(password: str, staff_id: str) -> str:
    check(password, staff_id)
    return hashed(password)


def is_outdated(beginning: str) -> bool:
    """Return whether a hash was not made in the current way."""
    return not beginning.startswith(CURRENT)


def derived(password: str, beginning: str) -> str:
    """Return the hash of a password with the parameters and salt of a stored hash, which may be older than the current
    ones."""
    password = password[:LONGEST]
    if beginning.startswith("scrypt$"):
        return _scrypt(password, beginning)
    salt = beginning.split("$")[4]
    settings = extract_parameters(f"{beginning}{'A' * 43}")
    return _argon2(password, b64decode(salt + "=="), settings.memory_cost, settings.time_cost, settings.parallelism)


def cookie_hash(cookie: str) -> bytes:
    return hashlib.sha256(cookie.encode()).digest()


def _argon2(password: str, salt: bytes, memory_kib: int, passes: int, lanes: int) -> str:
    return hash_secret(password.encode(), salt, passes, memory_kib, lanes, HASH_BYTES, Type.ID).decode()


def _scrypt(password: str, beginning: str) -> str:
    """Hash as versions up to 0.2 did."""
    _, cost, block, parallel, salt, _ = beginning.split("$")
    n, r, p = int(cost), int(block), int(parallel)
    memory = 2 * 128 * n * r * p
    key = hashlib.scrypt(password.encode(), salt=b64decode(salt), n=n, r=r, p=p, maxmem=memory, dklen=HASH_BYTES)
    return beginning + b64encode(key).decode()

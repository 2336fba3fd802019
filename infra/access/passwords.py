"""What is kept of passwords (scrypt with a salt and its parameters) and of the cookies of sessions (a digest)."""

from __future__ import annotations

import hashlib
import os
from base64 import b64decode, b64encode

SHORTEST = 10
LONGEST = 200
COST, BLOCK, PARALLEL = 1 << 15, 8, 1  # 32 MiB and some hundredths of a second for each guess
SALT_BYTES = 16
HASH_BYTES = 32


class WeakPassword(ValueError):
    """One that is not taken, and why."""


def check(password: str, staff_id: str) -> None:
    if not SHORTEST <= len(password) <= LONGEST:
        raise WeakPassword(f"A password has {SHORTEST} to {LONGEST} characters.")
    if len(set(password)) < 4 or staff_id == password.lower():
        raise WeakPassword("That password is guessed too easily.")


def hashed(password: str) -> str:
    salt = os.urandom(SALT_BYTES)
    key = _key(password, salt, COST, BLOCK, PARALLEL)
    return f"scrypt${COST}${BLOCK}${PARALLEL}${b64encode(salt).decode()}${b64encode(key).decode()}"


def checked_hash(password: str, staff_id: str) -> str:
    check(password, staff_id)
    return hashed(password)


def derived(password: str, beginning: str) -> str:
    """What is kept of a password, if it is the right one. The beginning has the parameters and the salt, which may be
    older than those that new hashes are made with."""
    _, cost, block, parallel, salt, _ = beginning.split("$")
    key = _key(password[:LONGEST], b64decode(salt), int(cost), int(block), int(parallel))
    return beginning.rpartition("$")[0] + "$" + b64encode(key).decode()


def cookie_hash(cookie: str) -> bytes:
    return hashlib.sha256(cookie.encode()).digest()


def _key(password: str, salt: bytes, cost: int, block: int, parallel: int) -> bytes:
    memory = 2 * 128 * cost * block * parallel
    return hashlib.scrypt(password.encode(), salt=salt, n=cost, r=block, p=parallel, maxmem=memory, dklen=HASH_BYTES)

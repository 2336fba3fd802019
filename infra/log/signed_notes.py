"""Signed notes (C2SP signed-note): a text, followed by one line per signature. Keys are Ed25519.

A verifier's key is one line of text, `name+id+key`, and so is a signer's, `PRIVATE+KEY+name+id+seed`, as Go's
sumdb/note reads them. A cosignature (tlog-cosignature) includes the time at which it was made."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Iterable
from hashlib import sha256
from typing import NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

SIGNATURE, COSIGNATURE = 0x01, 0x04  # the types of key, part of a key's id
COSIGNED_BYTES = 72  # of a cosignature: a time and an Ed25519 signature
DASH = "— "
MOST_SIGNATURES = 100
_NAME = re.compile(r"[^\s+\x00-\x1f\x7f]{1,200}")
_SIGNATURE_LINE = re.compile(r"— (\S+) ([A-Za-z0-9+/]+={0,2})")
_ID = re.compile(r"[0-9a-f]{8}")


class BadNote(ValueError):
    """Text that is not a signed note, or not a key."""


class Verifier(NamedTuple):
    name: str
    kind: int
    public: bytes

    @property
    def id(self) -> bytes:
        return sha256(self.name.encode() + b"\n" + bytes([self.kind]) + self.public).digest()[:4]

    def text(self) -> str:
        key = b64encode(bytes([self.kind]) + self.public).decode()
        return f"{self.name}+{self.id.hex()}+{key}"

    def pem(self) -> str:
        """Return the key for openssl and other programs that do not know notes."""
        key = Ed25519PublicKey.from_public_bytes(self.public)
        return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()

    def accepts(self, body: str, signature: Signature) -> bool:
        """Return whether the signature is by this key and over this text."""
        if signature.name != self.name or signature.id != self.id:
            return False
        message, signed = body.encode(), signature.value
        if self.kind == COSIGNATURE:
            if len(signed) != COSIGNED_BYTES:
                return False
            message, signed = cosigned_message(body, int.from_bytes(signed[:8], "big")), signed[8:]
        try:
            Ed25519PublicKey.from_public_bytes(self.public).verify(signed, message)
        except (InvalidSignature, ValueError):
            return False
        return True


class Signature(NamedTuple):
    name: str
    id: bytes
    value: bytes

    def line(self) -> str:
        return f"{DASH}{self.name} {b64encode(self.id + self.value).decode()}\n"


class Signer(NamedTuple):
    name: str
    kind: int
    seed: bytes

    @property
    def verifier(self) -> Verifier:
        public = Ed25519PrivateKey.from_private_bytes(self.seed).public_key()
        return Verifier(self.name, self.kind, public.public_bytes(Encoding.Raw, PublicFormat.Raw))

    def sign(self, body: str) -> Signature:
        assert self.kind == SIGNATURE
        value = Ed25519PrivateKey.from_private_bytes(self.seed).sign(body.encode())
        return Signature(self.name, self.verifier.id, value)

    def cosign(self, body: str, at_seconds: int) -> Signature:
        assert self.kind == COSIGNATURE
        value = Ed25519PrivateKey.from_private_bytes(self.seed).sign(cosigned_message(body, at_seconds))
        return Signature(self.name, self.verifier.id, at_seconds.to_bytes(8, "big") + value)

    def text(self) -> str:
        """Return the private key, for the file that keeps it."""
        seed = b64encode(bytes([self.kind]) + self.seed).decode()
        return f"PRIVATE+KEY+{self.name}+{self.verifier.id.hex()}+{seed}"


class Note(NamedTuple):
    body: str  # ends with a newline
    signatures: tuple[Signature, ...]

    def text(self) -> str:
        return f"{self.body}\n{''.join(signature.line() for signature in self.signatures)}"

    def signed_by(self, verifiers: Iterable[Verifier]) -> list[Verifier]:
        """Return those of the keys that have signed it."""
        return [key for key in verifiers if any(key.accepts(self.body, signature) for signature in self.signatures)]


def cosigned_message(body: str, at_seconds: int) -> bytes:
    return f"cosignature/v1\ntime {at_seconds}\n{body}".encode()


def parse_note(text: str) -> Note:
    """Parse a note strictly: any other spelling is refused."""
    body, blank, lines = text.rpartition("\n\n")
    if not blank or not body or not lines.endswith("\n") or any(letter < " " and letter != "\n" for letter in text):
        raise BadNote("a signed note has a text, an empty line and signatures")
    signatures: list[Signature] = []
    for line in lines[:-1].split("\n"):
        found = _SIGNATURE_LINE.fullmatch(line)
        if found is None:
            raise BadNote("a line below the text of a note is not a signature")
        value = decode_base64(found[2])
        if len(value) < 5 or len(signatures) == MOST_SIGNATURES:
            raise BadNote("a signature that is too short, or too many of them")
        signatures.append(Signature(found[1], value[:4], value[4:]))
    return Note(body + "\n", tuple(signatures))


def parse_verifier(text: str) -> Verifier:
    name, id_, key = _parts(text.strip().split("+", 2), "a verifier's key is name+id+key")
    verifier = Verifier(name, key[0], key[1:])
    _check(verifier, id_)
    return verifier


def parse_signer(text: str) -> Signer:
    parts = text.strip().split("+", 4)
    if parts[:2] != ["PRIVATE", "KEY"]:
        raise BadNote("a signer's key begins with PRIVATE+KEY+")
    name, id_, key = _parts(parts[2:], "a signer's key is PRIVATE+KEY+name+id+key")
    if key[0] not in (SIGNATURE, COSIGNATURE) or len(key) != 33:
        raise BadNote("a key that is not an Ed25519 key")
    signer = Signer(name, key[0], key[1:])
    _check(signer.verifier, id_)
    return signer


def check_name(name: str) -> str:
    if not _NAME.fullmatch(name) or not name.isprintable():
        raise BadNote("a name has no spaces and no plus sign")
    return name


def _parts(parts: list[str], what: str) -> tuple[str, str, bytes]:
    if len(parts) != 3 or not _ID.fullmatch(parts[1]):
        raise BadNote(what)
    key = decode_base64(parts[2])
    if not key:
        raise BadNote(what)
    return check_name(parts[0]), parts[1], key


def _check(verifier: Verifier, id_: str) -> None:
    if verifier.kind not in (SIGNATURE, COSIGNATURE) or len(verifier.public) != 32:
        raise BadNote("a key that is not an Ed25519 key")
    if verifier.id.hex() != id_:
        raise BadNote("a key whose id does not belong to it")


def decode_base64(text: str) -> bytes:
    """Decode base64. Refuses what an encoder would write differently, so that a value has one text."""
    try:
        value = b64decode(text, validate=True)
    except ValueError:
        raise BadNote("what should be base64 is not") from None
    if b64encode(value).decode() != text:
        raise BadNote("base64 that is not in its canonical form")
    return value

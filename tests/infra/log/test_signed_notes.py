"""Signed notes, checkpoints, keys and proofs as text: written, read, and refused where they are not to the letter."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from infra.log.checkpoints import parse_checkpoint, sign
from infra.log.keys import KeyFile, KeyProblem, new_signer
from infra.log.merkle import leaf_hash
from infra.log.proofs import Proof, parse_proof
from infra.log.signed_notes import (
    COSIGNATURE,
    SIGNATURE,
    BadNote,
    Signer,
    Verifier,
    parse_note,
    parse_signer,
    parse_verifier,
)

SIGNER = Signer("casino.example/log", SIGNATURE, bytes(range(32)))
WITNESS = Signer("auditor.example/w1", COSIGNATURE, bytes(range(1, 33)))
ROOT = leaf_hash(b"the only entry")


def test_the_worked_example_of_the_specification():
    """A checkpoint and a cosignature as C2SP prints them can be read, and are written again as they were."""
    text = (
        "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n"
        "— example.com/behind-the-sofa "
        "Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+"
        "xeMcTOAYQ8=\n"
        "— witness.example.com/w1 "
        "jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xU"
        "e+mbIUBkBIfZ+qnA==\n"
    )
    checkpoint = parse_checkpoint(text)
    assert (checkpoint.origin, checkpoint.size) == ("example.com/behind-the-sofa", 20852163)
    assert [signature.id.hex() for signature in checkpoint.note.signatures] == ["033de0ae", "8d66cf3f"]
    assert checkpoint.text() == text


def test_the_worked_example_of_gos_note_package():
    verifier = parse_verifier("PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW")
    text = (
        "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n\n"
        "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
    )
    assert parse_note(text).signed_by([verifier]) == [verifier]
    signer = parse_signer("PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz")
    assert signer.verifier == verifier
    assert signer.text() == "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"


def test_a_checkpoint_is_believed_by_whoever_has_the_key_and_by_nobody_else():
    checkpoint = parse_checkpoint(sign(SIGNER.name, 1, ROOT, [SIGNER]).text())
    other = Signer(SIGNER.name, SIGNATURE, bytes(32)).verifier
    assert checkpoint.trusted_by([other, SIGNER.verifier]) == [SIGNER.verifier]
    assert not checkpoint.trusted_by([other])
    forged = checkpoint.text().replace("\n1\n", "\n2\n")
    assert not parse_checkpoint(forged).trusted_by([SIGNER.verifier])
    renamed = SIGNER.verifier._replace(name="another.example/log")
    assert not checkpoint.trusted_by([renamed])


def test_a_cosignature_holds_for_its_time_only():
    checkpoint = sign(SIGNER.name, 1, ROOT, [SIGNER])
    cosigned = parse_checkpoint(checkpoint.with_signature(WITNESS.cosign(checkpoint.note.body, 1_790_000_000)).text())
    assert cosigned.note.signed_by([WITNESS.verifier]) == [WITNESS.verifier]
    line = cosigned.note.signatures[1]
    later = line._replace(value=(1_790_000_001).to_bytes(8, "big") + line.value[8:])
    assert not WITNESS.verifier.accepts(checkpoint.note.body, later)
    assert not cosigned.trusted_by([WITNESS.verifier]), "a witness does not speak for the log"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "text without signatures\n",
        "text\n\n",
        "text\n\nno signature\n",
        "text\n\n— name AAAA\n",
        "text\n\n— name AAAAAAAA",
        "text\n\n— na me AAAAAAAA\n",
        "text\n\n- name AAAAAAAA\n",
        "text\n\n— name AAAAAAB=\n",
        "te\x01xt\n\n— name AAAAAAAA\n",
    ],
)
def test_what_is_no_note_is_refused(text: str):
    with pytest.raises(BadNote):
        parse_note(text)


@pytest.mark.parametrize(
    "body", ["log\n01\n{root}\n", "log\n-1\n{root}\n", "log\n1\nAAAA\n", "log\n1\n", "\n1\n{root}\n"]
)
def test_what_is_no_checkpoint_is_refused(body: str):
    root = sign("log", 1, ROOT, []).note.body.splitlines()[2]
    with pytest.raises(BadNote):
        parse_checkpoint(body.format(root=root) + "\n— log AAAAAAAA\n")


@pytest.mark.parametrize("text", ["", "name", "name+12345678+AAAA", "name+c74f20a3+ARpc", "a b+c74f20a3+AR=="])
def test_what_is_no_key_is_refused(text: str):
    with pytest.raises(BadNote):
        parse_verifier(text)
    with pytest.raises(BadNote):
        parse_signer(f"PRIVATE+KEY+{text}")


def test_a_proof_is_written_and_read():
    proof = Proof(0, (), sign(SIGNER.name, 1, ROOT, [SIGNER]))
    assert parse_proof(proof.text()) == proof
    assert proof.text().startswith("c2sp.org/tlog-proof@v1\nindex 0\n\ncasino.example/log\n1\n")
    assert proof.proves(ROOT)
    assert not proof.proves(leaf_hash(b"another entry"))
    with_extra = proof.text().replace("index 0", "extra YWJj\nindex 0")
    assert parse_proof(with_extra) == proof
    for wrong in ("index 00", "index 0\nAAAA", "index -1"):
        with pytest.raises(BadNote):
            parse_proof(proof.text().replace("index 0", wrong))


def test_a_key_lies_in_a_file_of_its_owners_alone(tmp_path: Path):
    file = KeyFile(tmp_path / "keys" / "log.key")
    assert file.load() is None
    signer = new_signer("casino.example/log")
    file.save(signer)
    assert file.path.stat().st_mode & 0o777 == 0o600
    assert file.path.parent.stat().st_mode & 0o777 == 0o700
    assert file.load() == signer
    with pytest.raises(KeyProblem, match="already"):
        file.save(signer)
    os.chmod(file.path, 0o644)
    with pytest.raises(KeyProblem, match="chmod 600"):
        file.load()
    os.chmod(file.path, 0o600)
    file.path.write_text("nonsense")
    with pytest.raises(KeyProblem, match="contains no key"):
        file.load()


def test_a_key_in_pem_is_the_same_key():
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    key = load_pem_public_key(SIGNER.verifier.pem().encode())
    assert isinstance(key, Ed25519PublicKey)
    assert Verifier(SIGNER.name, SIGNATURE, key.public_bytes_raw()) == SIGNER.verifier

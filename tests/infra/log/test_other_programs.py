"""Programs that we did not write accept what we sign and prove, and refuse it when it is changed: openssl and Go."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from infra.log.proofs import Nodes, consistency, hash_lines
from projections.evidence.bundle import files_of
from projections.evidence.sources import gather
from tests.sealed_ledger import SEED, log_of

GOPATH = Path("/usr/share/gocode")
ROUND = f"p215-casino-club-s{SEED}-t1-000002"


@pytest.fixture(scope="module")
def unpacked(sealed_url: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle's files, an older checkpoint, and the proof that leads from it."""
    folder = tmp_path_factory.mktemp("bundle")
    with log_of(sealed_url) as log:
        for name, content in files_of(gather(log, ROUND)).items():
            if name.startswith("log/"):
                (folder / name.removeprefix("log/")).write_bytes(content)
        older, latest = next(log.checkpoints()), log.latest()
        assert latest is not None
        (folder / "older.txt").write_text(older.note)
        (folder / "consistency").write_text(hash_lines(consistency(Nodes(log, latest.size), older.size, latest.size)))
    return folder


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
def test_openssl_accepts_the_signature_and_refuses_another_text(unpacked: Path, tmp_path: Path):
    def accepted(body: Path) -> bool:
        command = ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", str(unpacked / "key.pem"), "-rawin"]
        command += ["-in", str(body), "-sigfile", str(unpacked / "checkpoint.sig")]
        return subprocess.run(command, capture_output=True).returncode == 0

    assert accepted(unpacked / "checkpoint.body")
    other = tmp_path / "other"
    other.write_bytes((unpacked / "checkpoint.body").read_bytes().replace(b"\n", b"\n1", 1))
    assert not accepted(other)


@pytest.fixture(scope="module")
def go_program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("go") is None or not (GOPATH / "src/golang.org/x/mod/sumdb/tlog").is_dir():
        pytest.skip("Go and golang.org/x/mod (Debian: golang-go, golang-golang-x-mod-dev) are not installed")
    folder = tmp_path_factory.mktemp("go")
    program = folder / "check"
    environment = {
        **os.environ,
        "GO111MODULE": "off",
        "GOPATH": str(GOPATH),
        "GOCACHE": str(folder / "cache"),
        "GOFLAGS": "",
        "GOPROXY": "off",
        "CGO_ENABLED": "0",
    }
    source = Path(__file__).with_name("check.go")
    subprocess.run(["go", "build", "-o", str(program), str(source)], env=environment, check=True, timeout=600)
    return program


def run(go_program: Path, folder: Path) -> str:
    key = (folder / "key.txt").read_text().strip()
    done = subprocess.run([go_program, key, str(folder)], capture_output=True, text=True, timeout=120)
    return done.stdout.strip()


def test_go_accepts_checkpoints_inclusion_and_consistency(go_program: Path, unpacked: Path):
    entries = len(list(unpacked.glob("*.entry")))
    assert entries > 20
    assert run(go_program, unpacked) == f"accepted {entries}"


@pytest.mark.parametrize("file", ["checkpoint.txt", "consistency", "entry", "tlog-proof"])
def test_go_refuses_what_was_changed(go_program: Path, unpacked: Path, tmp_path: Path, file: str):
    folder = tmp_path / "changed"
    shutil.copytree(unpacked, folder)
    path = folder / file if (folder / file).exists() else sorted(folder.glob(f"*.{file}"))[3]
    text = path.read_bytes()
    if file == "entry":
        text = text[:-1] + bytes([text[-1] ^ 1])
    elif file == "checkpoint.txt":
        text = text.replace(b"\n", b"\n1", 1)
    else:
        line = next(line for line in text.split(b"\n") if len(line) == 44)
        text = text.replace(line, (b"B" if line[:1] == b"A" else b"A") + line[1:], 1)
    path.write_bytes(text)
    assert run(go_program, folder).startswith("REFUSED")

"""The wheel has everything that the program needs: installed into an environment of its own, it runs the demo."""

from __future__ import annotations

import signal
import subprocess
import sys
import sysconfig
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.api.processes import PATIENCE_SECONDS, environment, free_port

PACKAGES = ("domain", "projections", "infra", "api")
SMALL = ("--days", "1", "--rounds-a-day", "1")


@pytest.fixture(scope="module")
def wheel(project_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(command, cwd=project_root, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


def test_every_file_of_the_packages_is_in_the_wheel(wheel: Path, project_root: Path):
    command = ["git", "ls-files", "--", *PACKAGES]
    tracked = subprocess.run(command, cwd=project_root, capture_output=True, text=True, check=True).stdout.split()
    with zipfile.ZipFile(wheel) as archive:
        missing = {name for name in tracked if (project_root / name).exists()} - set(archive.namelist())
    assert missing == set()
    assert {Path(name).suffix for name in tracked} >= {".py", ".toml", ".sql", ".html", ".css", ".js"}


@contextmanager
def demo(program: Path, folder: Path, port: int) -> Iterator[subprocess.Popen[bytes]]:
    command = [str(program), "demo", *SMALL, "--port", str(port), "--data-dir", str(folder / "data")]
    with open(folder / "said", "wb") as said:
        process = subprocess.Popen(
            command, cwd=folder, env=environment(HOME=str(folder)), stdout=said, stderr=subprocess.STDOUT
        )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(PATIENCE_SECONDS)


def installing(project_root: Path, venv: Path, wheel: Path) -> list[list[str]]:
    """The commands of the guide that install a release, with this interpreter and into a folder of the test."""
    guide = (project_root / "docs" / "operations.md").read_text(encoding="utf-8")
    make, install, *_ = guide.split("```sh\n")[1].splitlines()
    assert make == "python3 -m venv /opt/roundledger"
    assert install == "/opt/roundledger/bin/pip install ."
    return [[sys.executable, "-m", "venv", str(venv)], [str(venv / "bin" / "pip"), "install", str(wheel)]]


def test_the_installed_wheel_runs_the_demo(wheel: Path, project_root: Path, tmp_path: Path):
    """From an empty folder, in an environment with nothing of ours but the wheel. The libraries that it needs are those
    of this environment: what a .pth names is searched last, and without its own .pth files, so not this checkout."""
    offline = environment(PIP_NO_DEPS="1", PIP_NO_INDEX="1", PIP_QUIET="1", PIP_DISABLE_PIP_VERSION_CHECK="1")
    for command in installing(project_root, tmp_path / "venv", wheel):
        subprocess.run(command, check=True, env=offline)
    python = tmp_path / "venv" / "bin" / "python"
    (site_packages,) = (tmp_path / "venv" / "lib").glob("python*/site-packages")
    (site_packages / "libraries.pth").write_text(sysconfig.get_path("purelib"))
    folder, port = tmp_path / "empty", free_port()
    folder.mkdir()
    where = "import api, domain, infra, projections as p; print(*(it.__path__[0] for it in (api, domain, infra, p)))"
    found = subprocess.run([str(python), "-c", where], cwd=folder, env=environment(), capture_output=True, check=True)
    assert all(Path(path).is_relative_to(site_packages) for path in found.stdout.decode().split())
    with demo(python.with_name("roundledger"), folder, port) as process:
        page = opened(process, f"http://127.0.0.1:{port}/sign-in", folder / "said")
        assert "Harbor Card Club" in page
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_SECONDS) == 0
    assert "The floor is closed." in (folder / "said").read_text()


def opened(process: subprocess.Popen[bytes], address: str, said: Path) -> str:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return httpx.get(address, headers={"Accept": "text/html"}).raise_for_status().text
        except httpx.TransportError:
            assert process.poll() is None, said.read_text()
            assert time.monotonic() < deadline, said.read_text()
            time.sleep(0.1)

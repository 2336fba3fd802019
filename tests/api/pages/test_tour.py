"""The tour in the README: every address opens for the person it is for, and every command runs, next to a demo."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.api.pages.conftest import WAIT_MS, watch
from tests.api.pages.demo_site import roundledger, running_demo, sign_in
from tests.api.pages.screenshots import FOLDER, MOST_BYTES, SHOTS

ADDRESS = re.compile(r"\(http://127\.0\.0\.1:8000(/[^)]*)\)")
SIGN_IN = re.compile(r"[Ss]ign in as `([a-z-]+)`")
COMMAND = re.compile(r"^\s*(roundledger .*)$", re.MULTILINE)
PICTURE = re.compile(r"!\[[^\]]+\]\((docs/screenshots/[a-z-]+\.png)\)")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tour") / "demo"


@pytest.fixture(scope="module")
def demo_url(folder: Path) -> Iterator[str]:
    with running_demo(folder) as url:
        yield url


@pytest.fixture(scope="module")
def readme(project_root: Path) -> str:
    return (project_root / "README.md").read_text(encoding="utf-8")


def stops(readme: str) -> list[tuple[str, str]]:
    """Who goes to which address, in the order of the tour."""
    found, who = [], ""
    for part in re.finditer(rf"{SIGN_IN.pattern}|{ADDRESS.pattern}", readme):
        who = part[1] or who
        if part[2]:
            found.append((who, part[2]))
    return found


def test_every_address_of_the_tour_opens_for_whom_it_is_meant(demo_url: str, readme: str, browser: Browser):
    tour = stops(readme)
    assert len(tour) > 12
    context = browser.new_context()
    context.set_default_timeout(WAIT_MS)
    page = context.new_page()
    watched = watch(page)
    signed_in = ""
    for who, address in tour:
        if who != signed_in:
            sign_in(page, demo_url, who)
            signed_in = who
        answer = page.goto(demo_url + address)
        assert answer is not None
        assert answer.status == 200, f"{who} at {address}"
        expect(page.locator("h1")).to_be_visible()
    context.close()
    watched.check()


def test_the_tour_finds_what_it_says(demo_url: str, browser: Browser):
    context = browser.new_context()
    context.set_default_timeout(WAIT_MS)
    page = context.new_page()
    sign_in(page, demo_url, "acct-nia")
    page.goto(f"{demo_url}/drop/p215-2-box-2")
    expect(page.locator("main")).to_contain_text("5.00")
    expect(page.locator('main a[href*="p215-2-000070"]').first).to_be_visible()
    sign_in(page, demo_url, "audit-oli")
    page.goto(f"{demo_url}/irregular")
    expect(page.locator("main")).to_contain_text("sd-1-000041")
    context.close()


def test_every_command_of_the_tour_runs(demo_url: str, folder: Path, readme: str, tmp_path: Path):
    commands = COMMAND.findall(readme.partition("## Ten minutes")[2].partition("## Where things are")[0])
    assert len(commands) >= 7
    for command in commands:
        done = roundledger(folder, *shlex.split(command)[1:], cwd=tmp_path)
        assert done.returncode == 0, f"{command}: {done.stderr}"


def test_the_pictures_are_there_and_small(project_root: Path, readme: str):
    assert {Path(name).stem for name in PICTURE.findall(readme)} <= {shot.name for shot in SHOTS}
    pictures = [FOLDER / f"{shot.name}.png" for shot in SHOTS]
    assert all(picture.read_bytes().startswith(b"\x89PNG") for picture in pictures)
    assert sum(picture.stat().st_size for picture in pictures) < MOST_BYTES

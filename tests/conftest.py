"""Fixtures for every test. What only one folder needs lives in that folder's own conftest."""

import os
from pathlib import Path
from zlib import crc32

import pytest
from hypothesis import settings

# Where a change is let in or not, the same change must get the same answer; new examples are looked for elsewhere.
settings.register_profile("ci", derandomize=True, deadline=None)
if os.environ.get("CI"):
    settings.load_profile("ci")


@pytest.fixture(scope="session")
def project_root() -> Path:
    return Path(__file__).resolve().parent.parent


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    """For what is simulated: the same in every run, and no other test's."""
    return crc32(request.node.nodeid.encode())

"""Fixtures for every test. What only one folder needs lives in that folder's own conftest."""

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def project_root() -> Path:
    return Path(__file__).resolve().parent.parent

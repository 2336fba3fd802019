"""Fixtures for every test. Fixtures of one folder are in that folder's conftest."""

import os
from pathlib import Path
from zlib import crc32

import pytest
from httpx._config import DEFAULT_TIMEOUT_CONFIG
from hypothesis import HealthCheck, settings

# Fixtures that several folders use, in modules that say what they make.
pytest_plugins = ("tests.databases", "tests.sealed_ledger", "tests.recorded_floor")

# Hypothesis tries the same examples in every run, on slow machines too. ROUNDLEDGER_EXAMPLES makes it look for new
# ones.
settings.register_profile(
    "steady",
    derandomize="ROUNDLEDGER_EXAMPLES" not in os.environ,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("steady")

# The timeout of requests that name none: five seconds are too few for a page on a busy machine.
for part in ("connect", "read", "write", "pool"):
    setattr(DEFAULT_TIMEOUT_CONFIG, part, 60.0)

# Taken first, in this order: if one of these came last, the other workers would wait for it.
LONGEST = (
    "tests/security/test_blind_counts.py",
    "tests/api/pages/test_dealer.py",
    "tests/api/pages/test_every_page.py",
    "tests/api/cli/test_demo.py",
    "tests/api/http/test_process.py",
    "tests/projections/engine/test_runner.py",
    "tests/projections/audit/test_faults.py",
    "tests/security/test_trail.py",
    "tests/security/test_changed_tables.py",
    "tests/api/http/test_roles.py",
    "tests/api/pages/test_tour.py",
    "tests/infra/embedded/test_embedded.py",
    "tests/api/http/test_fuzz.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    places = {module: place for place, module in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.nodeid.partition("::")[0], len(LONGEST)))


@pytest.fixture(scope="session")
def project_root() -> Path:
    return Path(__file__).resolve().parent.parent


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    """A seed for `simulate`, derived from the name of the test: the same in every run."""
    return crc32(request.node.name.encode()) % 10**9

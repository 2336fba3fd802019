"""The packages import under their own names, and the installed command is this version."""

import importlib
import os
import subprocess
import sys
import tomllib
from importlib.metadata import entry_points, version
from pathlib import Path

import pytest

from tests.conftest import LONGEST


@pytest.mark.parametrize("package", ["domain", "projections", "infra", "api"])
def test_package_imports_from_this_checkout(package: str, project_root: Path):
    module = importlib.import_module(package)
    assert module.__file__ is not None
    assert Path(module.__file__).parent == project_root / package
    assert module.__doc__


def test_installed_version_is_that_of_the_project_file(project_root: Path):
    project = tomllib.loads((project_root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert version("roundledger") == project["version"]


def test_console_command_is_main_in_the_cli():
    (command,) = entry_points(group="console_scripts", name="roundledger")
    assert command.value == "api.cli.main:main"


def test_installed_command_prints_its_version():
    command = Path(sys.executable).with_name("roundledger")
    result = subprocess.run([command, "--version"], capture_output=True, text=True, check=True)
    assert result.stdout == f"roundledger {version('roundledger')}\n"


def test_importing_the_cli_loads_no_database_driver_and_no_web_framework():
    heavy = ["eventsourcing", "fastapi", "jinja2", "psycopg", "pydantic", "uvicorn"]
    code = f"import sys, api.cli.main; print([name for name in {heavy} if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ)
    assert result.stdout.strip() == "[]"


@pytest.mark.parametrize("module", LONGEST)
def test_what_is_run_first_is_there(module: str, project_root: Path):
    assert (project_root / module).is_file()

"""`roundledger client`: a typed Python client, generated from the OpenAPI document of a running service."""

import json
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer

from api.cli.terminal.errors import fail

GENERATOR = "openapi_python_client"
PACKAGE = "roundledger_client"
PATIENCE_SECONDS = 60
# The generator does not treat these types as files. It would also run a formatter over its output.
CONTENT_TYPES = dict.fromkeys(("application/pdf", "application/zip"), "application/octet-stream")


def client(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where the package is written.")],
    url: Annotated[str, typer.Option("--url", metavar="URL", help="The service that the client is for.")] = (
        "http://127.0.0.1:8000"
    ),
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an earlier client in that folder.")] = False,
) -> None:
    """Write a typed Python client for a running service, ready for `pip install FOLDER`.

    Needs the extra `client` of roundledger.
    """
    if find_spec(GENERATOR) is None:
        fail("the generator is not installed: pip install 'roundledger[client]'")
    if folder.exists() and not overwrite:
        fail(f"{folder} exists: name another folder, or replace it with --overwrite")
    document = _description(url)
    with tempfile.TemporaryDirectory() as work:
        paths = {name: Path(work, f"{name}.json") for name in ("path", "config")}
        paths["path"].write_text(json.dumps(document), encoding="utf-8")
        paths["config"].write_text(json.dumps(_config(document)), encoding="utf-8")
        generate = [sys.executable, "-m", GENERATOR, "generate", "--meta=pdm", "--fail-on-warning", "--overwrite"]
        options = [*(f"--{name}={path}" for name, path in paths.items()), f"--output-path={folder}"]
        done = subprocess.run([*generate, *options], capture_output=True, text=True)
    if done.returncode:
        fail(f"the client could not be made: {(done.stderr or done.stdout).strip()}")
    typer.echo(f"{folder} has the client for version {document['info']['version']}: pip install {folder}", err=True)


def _config(document: dict[str, Any]) -> dict[str, Any]:
    return {
        "project_name_override": "roundledger-client",
        "package_name_override": PACKAGE,
        "package_version_override": document["info"]["version"],
        "content_type_overrides": CONTENT_TYPES,
        "post_hooks": [],
    }


def _description(url: str) -> dict[str, Any]:
    from http.client import HTTPException
    from urllib.request import urlopen

    if not url.startswith(("http://", "https://")):
        fail("--url is an address like http://127.0.0.1:8000")
    try:
        with urlopen(f"{url.rstrip('/')}/openapi.json", timeout=PATIENCE_SECONDS) as answer:
            document: dict[str, Any] = json.load(answer)
    except (OSError, HTTPException, ValueError) as error:
        fail(f"no service at {url} describes itself: {error}")
    if document.get("info", {}).get("title") != "roundledger":
        fail(f"what answers at {url} is not roundledger")
    return document

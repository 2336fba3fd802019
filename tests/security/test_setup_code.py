"""Promise: only whoever runs the service learns the code that makes the first admin; a log is read by others too."""

from __future__ import annotations

import stat
from pathlib import Path

import httpx

from tests.api.processes import free_port, serving
from tests.api.service import KEY


def test_the_code_is_in_a_file_of_the_service_and_not_in_its_log(ledger_url: str, tmp_path: Path):
    log, keys = tmp_path / "log", tmp_path / "keys"
    made = {"ROUNDLEDGER_TOKEN_KEY": KEY, "ROUNDLEDGER_LOG_KEYS": str(keys), "ROUNDLEDGER_SETUP_CODE": ""}
    port = free_port()
    with serving(ledger_url, port, log=log, **made):
        code = (keys / "setup-code").read_text(encoding="utf-8").strip()
        page = httpx.get(f"http://127.0.0.1:{port}/setup", headers={"Accept": "text/html"})
    assert len(code) >= 16
    assert stat.S_IMODE((keys / "setup-code").stat().st_mode) == 0o600
    said = log.read_text(encoding="utf-8")
    assert "make the first two admins" in said
    assert str(keys / "setup-code") in said
    assert code not in said
    assert page.status_code == 200
    assert code not in page.text


def test_a_code_of_an_earlier_start_is_gone_where_another_is_set(ledger_url: str, tmp_path: Path):
    file = tmp_path / "setup-code"
    file.write_text("old\n", encoding="utf-8")
    made = {"ROUNDLEDGER_TOKEN_KEY": KEY, "ROUNDLEDGER_LOG_KEYS": str(tmp_path), "ROUNDLEDGER_SETUP_CODE": "given"}
    with serving(ledger_url, free_port(), log=tmp_path / "log", **made):
        assert not file.exists()

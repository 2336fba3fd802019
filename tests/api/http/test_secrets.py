"""Neither logs nor metrics tell a card, a token or what was asked for; settings mask secrets; JWKS tokens work."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from typer.testing import CliRunner

from api.cli.operations.serve import config, tokens
from api.service.json_logging import JsonLines
from api.service.settings import BadSetting, Settings, is_loopback, read_settings, secret_of
from tests.api.http import examples
from tests.api.service import KEY, open_service


def test_nothing_of_a_round_is_logged_or_measured(client, caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.DEBUG)
    session = {"ruleset": "uth-casino-club", "terms": examples.TERMS}
    client.post("/v1/tables/t-secret/sessions", json=session)
    body = {**examples.ROUND_BODY, "round": "r-secret", "actions": examples.ACTIONS[:6]}
    assert client.post("/v1/tables/t-secret/rounds", json=body).status_code == 201
    wrong = {"actions": [{"do": "reveal", "of": "flop", "cards": ["2c", "3c", "4c"]}]}
    client.post("/v1/rounds/r-secret/actions", json=wrong, headers={"Authorization": "Bearer hidden-token"})
    client.get("/v1/rounds?bettor=p-1")
    lines = "\n".join(JsonLines().format(record) for record in caplog.records)
    assert '"operation":"act"' in lines
    for secret in ("As", "Ad", "7c", "2d", "Kd", "hidden-token", "bettor=p-1"):
        assert f'"{secret}"' not in lines
        assert f" {secret} " not in lines
        assert secret not in client.get("/metrics").text


def test_log_lines_are_json_with_a_request_id(client, caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.INFO, "roundledger.requests")
    client.get("/v1/rulesets", headers={"X-Request-Id": "here-1"})
    (line,) = [json.loads(JsonLines().format(record)) for record in caplog.records if "fields" in record.__dict__]
    assert (line["request_id"], line["operation"], line["status"]) == ("here-1", "listRulesets", 200)


def test_settings_come_from_the_environment(monkeypatch: pytest.MonkeyPatch):
    for name, value in (("THREADS", "4"), ("FOLLOW", "false"), ("TOKEN_KEY", KEY)):
        monkeypatch.setenv(f"ROUNDLEDGER_{name}", value)
    settings = read_settings()
    assert (settings.threads, settings.follow, settings.authenticated) == (4, False, True)
    assert KEY not in str(settings.shown())
    for name, value, why in (
        ("THREADS", "many", "is a whole number"),
        ("THREADS", "0", "is at least 1"),
        ("TOKEN_KEY", "short", "needs at least 32 characters"),
        ("LOG_FORMAT", "xml", "is one of json, text"),
        ("SEAL", "perhaps", "is true or false"),
        ("OIDC_ROLES", "audit-team", "has to be a JSON object"),
    ):
        with monkeypatch.context() as changed:
            changed.setenv(f"ROUNDLEDGER_{name}", value)
            with pytest.raises(BadSetting, match=f"^ROUNDLEDGER_{name} {why}$"):
                read_settings()


def test_settings_come_from_a_file_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / ".env").write_text(f"ROUNDLEDGER_THREADS=5\nROUNDLEDGER_TOKEN_KEY_FILE={tmp_path / 'key'}\n")
    (tmp_path / "key").write_text(KEY)
    monkeypatch.chdir(tmp_path)
    settings = read_settings()
    assert (settings.threads, secret_of(settings.token_key)) == (5, KEY)
    assert KEY not in repr(settings)


def test_every_setting_is_in_the_documents(project_root: Path):
    documented = (project_root / "docs" / "http.md").read_text()
    assert [name for name in Settings.model_fields if f"`ROUNDLEDGER_{name.upper()}`" not in documented] == []
    assert [name for name, field in Settings.model_fields.items() if not field.description] == []


def test_loopback():
    assert is_loopback("127.0.0.1")
    assert is_loopback("::1")
    assert is_loopback("localhost")
    assert not is_loopback("0.0.0.0")
    assert not is_loopback("example.org")


def test_a_token_from_the_command_line(ledger_url: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ROUNDLEDGER_TOKEN_KEY", KEY)
    monkeypatch.setenv("ROUNDLEDGER_DATABASE_URL", ledger_url)
    made = CliRunner().invoke(tokens, ["create", "--role", "terminal", "--table", "t9", "--days", "1"])
    assert made.exit_code == 0, made.output
    with open_service(ledger_url, token_key=KEY) as client:
        headers = {"Authorization": f"Bearer {made.stdout.split()[0]}"}
        assert client.get("/v1/tables/t9", headers=headers).status_code == 404
        assert client.get("/v1/tables/t8", headers=headers).status_code == 403
        token_id = jwt.decode(made.stdout.split()[0], KEY, algorithms=["HS256"])["jti"]
        revoked = CliRunner().invoke(tokens, ["revoke", token_id])
        assert revoked.exit_code == 0, revoked.output
        time.sleep(1.1)
        assert client.get("/v1/tables/t9", headers=headers).status_code == 401
    assert CliRunner().invoke(tokens, ["create", "--role", "floor", "--table", "t9"]).exit_code == 2
    assert CliRunner().invoke(tokens, ["create", "--role", "terminal"]).exit_code == 2


def test_config_shows_settings_and_masks_secrets(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setenv("ROUNDLEDGER_TOKEN_KEY", KEY)
    monkeypatch.setenv("ROUNDLEDGER_DATABASE_URL", "postgresql://u:password@h/d")
    config()
    out = capsys.readouterr().out
    assert "ROUNDLEDGER_TOKEN_KEY=(set)" in out
    assert "ROUNDLEDGER_THREADS=16" in out
    assert KEY not in out
    assert "password" not in out


@pytest.fixture
def provider() -> Iterator[tuple[str, rsa.RSAPrivateKey]]:
    """An identity provider: its key, and the address where the public part can be had."""
    key = rsa.generate_private_key(65537, 2048)
    public = {**json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key())), "kid": "k1", "alg": "RS256"}

    class Keys(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps({"keys": [public]}).encode())

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Keys)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/keys", key
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_tokens_of_an_identity_provider(ledger_url: str, provider: tuple[str, rsa.RSAPrivateKey]):
    address, key = provider
    claims = {"sub": "floor-1", "role": "floor", "exp": time.time() + 60, "jti": "provider-1", "iss": "casino"}
    with open_service(ledger_url, token_jwks_url=address, token_issuer="casino") as client:

        def status(token: str) -> int:
            found: int = client.get("/v1/rulesets", headers={"Authorization": f"Bearer {token}"}).status_code
            return found

        assert status(jwt.encode(claims, key, "RS256", {"kid": "k1"})) == 200
        assert status(jwt.encode({**claims, "iss": "other"}, key, "RS256", {"kid": "k1"})) == 401
        assert status(jwt.encode(claims, KEY, "HS256", {"kid": "k1"})) == 401
        other = rsa.generate_private_key(65537, 2048)
        assert status(jwt.encode(claims, other, "RS256", {"kid": "k1"})) == 401

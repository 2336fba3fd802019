"""A real identity provider in a process of its own: canaille, with its users in memory and no network.

python identity_provider.py PORT ADDRESS    # of the service that people come back to
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

CLIENT_ID = "ledger"
CLIENT_SECRET = "a secret that the provider and the service share"
PROVIDER_PASSWORD = "known to the provider alone"
PATIENCE_SECONDS = 120.0
# Some of whom are on the staff register, and their groups.
USERS = {"sso-floor": (), "sso-dealer": ("table-7",), "sso-count": ("audit-team",), "sso-stranger": ()}


@contextmanager
def identity_provider(port: int, service: str, log: Path) -> Iterator[str]:
    """Its issuer, once it answers."""
    issuer = f"http://127.0.0.1:{port}"
    with log.open("wb") as said:
        command = [sys.executable, str(Path(__file__)), str(port), service]
        process = subprocess.Popen(command, stdout=said, stderr=said)
    try:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not _answers(issuer):
            assert process.poll() is None, log.read_text(encoding="utf-8")
            assert time.monotonic() < deadline, "the identity provider did not start"
            time.sleep(0.1)
        yield issuer
    finally:
        process.kill()
        process.wait(PATIENCE_SECONDS)


def _answers(issuer: str) -> bool:
    try:
        return httpx.get(f"{issuer}/.well-known/openid-configuration", timeout=5).is_success
    except httpx.TransportError:
        return False


def run(port: int, service: str) -> None:
    from datetime import UTC, datetime

    from canaille import create_app
    from canaille.app import models
    from canaille.backends import Backend
    from joserfc.jwk import RSAKey

    settings = {
        "SECRET_KEY": "of the provider's own sessions, and long",
        "SERVER_NAME": f"127.0.0.1:{port}",
        "PREFERRED_URL_SCHEME": "http",
        "CANAILLE": {"DATABASE": "memory", "JAVASCRIPT": False, "HTMX": False},
        "CANAILLE_OIDC": {
            "ACTIVE_JWKS": [RSAKey.generate_key(2048, auto_kid=True).as_dict(private=True)],
            "TRUSTED_DOMAINS": ["127.0.0.1", "localhost"],
        },
    }
    app = create_app(settings)
    with app.app_context():
        groups: dict[str, list[object]] = {}
        for name, names in USERS.items():
            user = models.User(
                user_name=name,
                formatted_name=name,
                display_name=name,
                family_name=name,
                emails=[f"{name}@casino.example"],
                password=PROVIDER_PASSWORD,
            )
            Backend.instance.save(user)
            for group in names:
                groups.setdefault(group, []).append(user)
        for group, members in groups.items():
            Backend.instance.save(models.Group(display_name=group, members=members))
        client = models.Client(
            client_id=CLIENT_ID,
            client_id_issued_at=datetime.now(UTC),
            client_secret=CLIENT_SECRET,
            client_name="The ledger",
            client_uri=service,
            redirect_uris=[f"{service}/sign-in/provider/back"],
            post_logout_redirect_uris=[f"{service}/sign-in"],
            grant_types=["authorization_code"],
            response_types=["code"],
            scope=["openid", "profile", "groups"],
            token_endpoint_auth_method="client_secret_basic",
        )
        Backend.instance.save(client)
        client.audience = [client]
        Backend.instance.save(client)
    app.run(host="127.0.0.1", port=port, threaded=True)


if __name__ == "__main__":
    run(int(sys.argv[1]), sys.argv[2])

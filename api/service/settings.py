"""What an operator can set, by the environment; `roundledger config` shows it."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

PREFIX = "ROUNDLEDGER_"
SECRETS = frozenset({"token_key", "setup_code", "metrics_token"})
SHORTEST_KEY = 32


class BadSetting(ValueError):
    """A setting that cannot be meant."""


class Settings(Struct, frozen=True, kw_only=True):
    """Each field is read from ROUNDLEDGER_<NAME>."""

    token_key: str | None = None  # at least 32 characters; signs and verifies tokens (HS256)
    token_key_file: str | None = None  # where it stands instead
    token_jwks_url: str | None = None  # an identity provider's keys, instead of or beside the own key
    token_issuer: str | None = None
    token_audience: str | None = None
    session_idle_minutes: float = 30.0  # after which somebody who signed in to the pages has to do so again
    session_hours: float = 12.0  # the longest that a session lasts
    setup_code: str | None = None  # with which the first admin is made on a page; `serve` makes one up and prints it
    threads: int = 16  # that wait for the database, and so commit together
    body_limit_bytes: int = 1 << 20
    time_limit_seconds: float = 30.0
    connections_per_address: int = 512  # open at once, in each process; 0 for any number, as behind a proxy
    metrics_token: str | None = None  # at least 32 characters; with it Prometheus may read /metrics
    metrics_token_file: str | None = None  # where it stands instead
    rate_limit: float = 500.0  # requests a second of one person, where there is authentication; 0 for none
    count_tolerance_cents: int = 0  # by which a count may differ from what was dropped, without an explanation
    follow: bool = True  # keep the reports' tables up to date from this process, unless another one does
    seal: bool = True  # seal the events' log from this process, unless another one does; needs log_keys
    log_keys: str | None = None  # the folder of the log's private key; `serve` puts it into the data folder
    lag_limit_seconds: float = 60.0  # of the reports behind the events, before /readyz says no
    shutdown_seconds: float = 20.0  # for requests that are under way
    log_format: str = "json"  # or "text"

    @property
    def authenticated(self) -> bool:
        return self.token_key is not None or self.token_jwks_url is not None

    def shown(self) -> dict[str, Any]:
        """For people: what is secret is masked."""
        return {
            name: "(set)" if name in SECRETS and getattr(self, name) else getattr(self, name)
            for name in self.__struct_fields__
        }


def read_settings(environment: Mapping[str, str] | None = None) -> Settings:
    environment = os.environ if environment is None else environment
    given = {}
    for name in Settings.__struct_fields__:
        value = environment.get(PREFIX + name.upper())
        if value:
            given[name] = value
    try:
        settings = msgspec.convert(given, Settings, strict=False)
    except msgspec.ValidationError as error:
        raise BadSetting(f"a {PREFIX}… setting cannot be read: {error}") from None
    if settings.token_key is None and settings.token_key_file is not None:
        settings = replace(settings, token_key=_key_in("token_key_file", settings.token_key_file))
    if settings.metrics_token is None and settings.metrics_token_file is not None:
        settings = replace(settings, metrics_token=_key_in("metrics_token_file", settings.metrics_token_file))
    for name in ("token_key", "metrics_token"):
        secret = getattr(settings, name)
        if secret is not None and len(secret) < SHORTEST_KEY:
            raise BadSetting(f"{PREFIX}{name.upper()} needs at least {SHORTEST_KEY} characters")
    if settings.log_format not in ("json", "text"):
        raise BadSetting(f"{PREFIX}LOG_FORMAT is json or text")
    if settings.session_idle_minutes <= 0 or settings.session_hours <= 0:
        raise BadSetting(f"{PREFIX}SESSION_IDLE_MINUTES and {PREFIX}SESSION_HOURS are more than 0")
    if settings.connections_per_address < 0:
        raise BadSetting(f"{PREFIX}CONNECTIONS_PER_ADDRESS is a number of connections, or 0 for any number")
    if settings.threads < 1:
        raise BadSetting(f"{PREFIX}THREADS is at least 1")
    return settings


def _key_in(name: str, file: str) -> str:
    try:
        return Path(file).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise BadSetting(f"{PREFIX}{name.upper()} cannot be read: {error}") from None


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False

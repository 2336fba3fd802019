"""Settings for operators, from the environment or a file `.env`; `roundledger config` shows them."""

from __future__ import annotations

import ipaddress
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field, SecretStr, ValidationError, model_validator
from pydantic_core import PydanticCustomError
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from api.service.fields import sentence_of
from infra.access.claims import is_claimable

if TYPE_CHECKING:
    from infra.health.disk_space import DiskReserve
    from infra.housekeeping.retention import Retention

PREFIX = "ROUNDLEDGER_"
SHORTEST_KEY = 32


class BadSetting(ValueError):
    """A setting that makes no sense."""


def _json(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        raise PydanticCustomError("refused", "has to be a JSON object") from None


class Settings(BaseSettings):
    """Each field is read from ROUNDLEDGER_<NAME>."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_file=".env", env_ignore_empty=True, extra="ignore", frozen=True
    )

    token_key: SecretStr | None = Field(
        None, description=f"At least {SHORTEST_KEY} characters; signs and verifies tokens (HS256)."
    )
    token_key_file: Path | None = Field(None, description="The file with that key, instead of the key itself.")
    token_jwks_url: str | None = Field(
        None, description="The keys of an identity provider, instead of the service's own key or in addition to it."
    )
    token_issuer: str | None = Field(None, description="The issuer that a token must name.")
    token_audience: str | None = Field(None, description="The audience that a token must name.")
    session_idle_minutes: float = Field(
        30.0, gt=0, description="After which somebody who signed in to the pages has to do so again."
    )
    session_hours: float = Field(12.0, gt=0, description="The longest that a session lasts.")
    public_url: str | None = Field(
        None,
        description="The public address of the pages, such as https://ledger.example; by default that of the request.",
    )
    oidc_issuer: str | None = Field(None, description="An identity provider (OpenID Connect) to sign in with.")
    oidc_name: str = Field("the identity provider", description="What the button on the sign-in page calls it.")
    oidc_client_id: str | None = Field(None, description="The client id of this service at the provider.")
    oidc_client_secret: SecretStr | None = Field(None, description="The secret of that client; none for a public one.")
    oidc_client_secret_file: Path | None = Field(None, description="The file with that secret, instead of it.")
    oidc_scope: str = Field("openid profile", description="What is asked of the provider; `openid` is part of it.")
    oidc_staff_claim: str = Field("preferred_username", description="The claim that is somebody's staff id.")
    oidc_role_claim: str | None = Field(None, description="The claim whose values give roles, such as groups.")
    oidc_roles: Annotated[dict[str, str], NoDecode, BeforeValidator(_json)] = Field(
        {}, description='By the values of that claim, auditor or the part of a terminal: {"audit-team": "auditor"}.'
    )
    oidc_second_factor: bool = Field(
        False, description="The provider asks for a second factor itself, so that it is not asked for here again."
    )
    password_days: float = Field(
        0.0, ge=0, description="After which somebody who signs in with a password has to change it; 0 for never."
    )
    password_history: int = Field(
        0, ge=0, le=24, description="How many of somebody's last passwords they cannot choose again; 0 for none."
    )
    signature_minutes: float = Field(
        5.0, gt=0, le=60, description="How old the `auth_time` of a second person's token may be."
    )
    setup_code: SecretStr | None = Field(
        None, description="With which the first two admins are made on a page; `serve` makes one up and prints it."
    )
    threads: int = Field(16, ge=1, description="Threads that wait for the database, and so commit together.")
    body_limit_bytes: int = Field(1 << 20, ge=1, description="The longest body of a request.")
    time_limit_seconds: float = Field(30.0, gt=0, description="For a request to arrive and to be answered.")
    connections_per_address: int = Field(
        512, ge=0, description="Open at once, in each process; 0 for any number, as behind a proxy."
    )
    metrics_token: SecretStr | None = Field(
        None, description=f"At least {SHORTEST_KEY} characters; with it Prometheus may read /metrics."
    )
    metrics_token_file: Path | None = Field(None, description="The file with that token, instead of the token itself.")
    rate_limit: float = Field(
        500.0, ge=0, description="Requests a second of one person, where there is authentication; 0 for no limit."
    )
    count_tolerance_cents: int = Field(
        0, ge=0, description="By which a count may differ from what was dropped, without an explanation."
    )
    adopted_rules_only: bool = Field(
        False,
        description="Open tables only with rule sets that two people have adopted, and with terms that they posted.",
    )
    follow: bool = Field(
        True, description="Keep the reports' tables up to date from this process, unless another one does."
    )
    seal: bool = Field(
        True, description="Seal the events' log from this process, unless another one does; needs log_keys."
    )
    log_keys: Path | None = Field(
        None, description="The folder of the log's private key; `serve` puts it into the data folder."
    )
    disk_folder: Path | None = Field(
        None,
        description="A folder on the database's disk, if that is on this machine; `serve` knows the embedded one's.",
    )
    disk_reserve_mib: int = Field(256, ge=0, description="Free space on that disk, below which nothing is recorded.")
    backup_folder: Path | None = Field(
        None,
        description="Where `roundledger backup` puts backups; `doctor` and /metrics look at the age of the newest.",
    )
    housekeeping: bool = Field(
        True, description="Remove from this process what has passed its retention, unless another one does."
    )
    receipts_days: int = Field(90, ge=30, description="Kept: receipts of requests.")
    looks_days: int = Field(2557, ge=365, description="Kept: who looked at what.")
    sign_ins_days: int = Field(730, ge=90, description="Kept: attempts to sign in.")
    sessions_days: int = Field(730, ge=90, description="Kept: sessions of people.")
    audits_days: int = Field(2557, ge=365, description="Kept: runs of audits with their findings.")
    checkpoints_days: int = Field(
        31, ge=31, description="Kept: every checkpoint's signed note; of older ones, the last of each hour."
    )
    standby_away: Literal["wait", "alone"] = Field(
        "wait", description="What writers do while the standby is away: wait for it, or go on alone."
    )
    lag_limit_seconds: float = Field(
        60.0, ge=0, description="Of the reports behind the events, before /readyz says no."
    )
    tracing: bool = Field(
        False, description="Send traces to OpenTelemetry (extra `tracing`); OTEL_EXPORTER_OTLP_ENDPOINT says where."
    )
    shutdown_seconds: float = Field(20.0, ge=0, description="For requests that are under way.")
    allow_owner_login: bool = Field(False, description="Serve with a database login that could change the record.")
    log_format: Literal["json", "text"] = Field("json", description="Log lines as JSON objects, or as text.")

    @model_validator(mode="before")
    @classmethod
    def _from_files(cls, given: dict[str, Any]) -> dict[str, Any]:
        for name in ("token_key", "metrics_token", "oidc_client_secret"):
            if given.get(name) is None and (file := given.get(f"{name}_file")) is not None:
                given = {**given, name: _key_in(f"{name}_file", file)}
        return given

    @model_validator(mode="after")
    def _long_enough(self) -> Self:
        for name in ("token_key", "metrics_token"):
            secret: SecretStr | None = getattr(self, name)
            if secret is not None and len(secret.get_secret_value()) < SHORTEST_KEY:
                raise ValueError(f"{PREFIX}{name.upper()} needs at least {SHORTEST_KEY} characters")
        return self

    @model_validator(mode="after")
    def _whole_provider(self) -> Self:
        issuer = self.oidc_issuer
        if issuer is None:
            return self
        parts = urlsplit(issuer)
        if parts.scheme != "https" and not is_loopback(parts.hostname or ""):
            raise ValueError(f"{PREFIX}OIDC_ISSUER is an https address")
        if self.oidc_client_id is None:
            raise ValueError(f"{PREFIX}OIDC_ISSUER needs {PREFIX}OIDC_CLIENT_ID")
        if "openid" not in self.oidc_scope.split():
            raise ValueError(f"{PREFIX}OIDC_SCOPE contains openid")
        for role in self.oidc_roles.values():
            if not is_claimable(role):
                raise ValueError(
                    f"{PREFIX}OIDC_ROLES cannot give {role}: what signs or moves money comes from the staff register"
                )
        return self

    @property
    def authenticated(self) -> bool:
        return self.token_key is not None or self.token_jwks_url is not None or self.oidc_issuer is not None

    def disk(self, embedded: Path | None = None) -> DiskReserve | None:
        """Return the disk on which recording leaves a reserve; `embedded` is the data folder, if any."""
        from infra.health.disk_space import DiskReserve

        folder = self.disk_folder or embedded
        return None if folder is None else DiskReserve(folder, self.disk_reserve_mib << 20)

    def retention(self) -> Retention:
        from infra.housekeeping.retention import LEAST_DAYS, Retention

        return Retention(**{kind: getattr(self, f"{kind}_days") for kind in LEAST_DAYS})

    def shown(self) -> dict[str, Any]:
        """Return the settings for people, with secrets masked."""
        values = {name: getattr(self, name) for name in type(self).model_fields}
        return {name: "(set)" if isinstance(value, SecretStr) else value for name, value in values.items()}


def read_settings() -> Settings:
    try:
        return Settings()
    except ValidationError as error:
        raise BadSetting("; ".join(_in_words(each) for each in error.errors())) from None


def _in_words(error: Any) -> str:
    if not error["loc"]:
        return str(error["msg"]).removeprefix("Value error, ")
    return f"{PREFIX}{str(error['loc'][0]).upper()} {sentence_of(error)}"


def _key_in(name: str, file: str | Path) -> str:
    try:
        return Path(file).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{PREFIX}{name.upper()} cannot be read: {error}") from None


def secret_of(value: SecretStr | None) -> str | None:
    return None if value is None else value.get_secret_value()


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False

"""All configuration, from environment variables (prefix CHATAPI_)."""

import os
import re
import ssl
from importlib.util import find_spec
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)

_PREFIX = "CHATAPI_"
SQLITE_FILE = "chatapi.sqlite3"
UPLOADS_FOLDER = "uploads"
_DRIVERS = {
    "postgres": "postgresql+asyncpg",
    "postgresql": "postgresql+asyncpg",
    "sqlite": "sqlite+aiosqlite",
}
_ACCEL_LOCATION = re.compile(r"/([A-Za-z0-9_.-]+/)+", re.ASCII)
# A scheme, a host name or address, and perhaps a port.
_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://([a-z0-9_.-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?", re.ASCII)

Positive = Annotated[int, Field(gt=0)]


_TRACING_PACKAGES = ("opentelemetry.sdk", "opentelemetry.exporter")


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False


class Settings(BaseModel):
    """One field per environment variable; `chatapi settings` lists them."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        validate_default=True,
        hide_input_in_errors=True,  # an address may hold a password
    )

    database_url: str = Field(
        default="",
        description="SQLite or PostgreSQL address; empty: a SQLite file in the data folder",
    )
    data_dir: Path = Field(
        default=Path(".chatapi"), description="Folder for the SQLite file and other local data"
    )
    redis_url: str = Field(
        default="",
        description="Redis or Valkey address, for several processes; empty: none",
    )
    database_pool_size: Positive = Field(
        default=10,
        description="Database connections of one process; on PostgreSQL one more watches over them",
    )
    database_silence_seconds: Annotated[float, Field(ge=0.3)] = Field(
        default=3,
        description="PostgreSQL counts as away if it answers nothing for so long: requests get 503",
    )
    statement_timeout_seconds: Positive = Field(
        default=30, description="Longest time of one statement on PostgreSQL, migrations aside"
    )
    migrate_on_start: bool = Field(
        default=True, description="Whether `chatapi serve` brings the database up to date"
    )
    shutdown_grace_seconds: Positive = Field(
        default=5, description="How long requests under way may take after SIGTERM"
    )
    first_owner_email: str = Field(
        default="owner@example.com",
        description="Email address of the owner whom the first start creates",
    )

    public_url: str = Field(
        default="",
        description="Address people use, such as https://chat.example.com, with one organization",
    )
    root_domain: str = Field(
        default="localhost",
        description="Domain below which each organization has its subdomain",
    )
    trusted_proxies: str = Field(
        default="",
        description="Addresses and networks of proxies whose X-Forwarded headers are believed",
    )
    cors_origins: str = Field(
        default="",
        description="Origins whose pages may call the API from a browser, such as"
        " https://app.example.com, with commas between them; empty: none",
    )

    rate_limits: Literal["on", "off"] = Field(
        default="on", description="`off` switches all rate limits off"
    )
    requests_per_minute: Positive = Field(
        default=2000, description="Requests one user may send per minute"
    )
    address_requests_per_minute: Positive = Field(
        default=4000, description="Requests one network address may send per minute"
    )
    logins_per_minute: Positive = Field(
        default=10, description="Attempts at fetch_api_key per minute, address and user name"
    )
    max_body_bytes: Positive = Field(
        default=2 * 1024 * 1024,
        description="Largest request body, files aside; 16 KiB for requests without credentials",
    )
    uploads_url: str = Field(
        default="",
        description="S3-compatible store for uploads, such as"
        " https://KEY:SECRET@s3.example.com/bucket?region=eu-central-1; empty: the data folder",
    )
    accel_location: str = Field(
        default="",
        description="Internal location of nginx for the folder of uploads, such as /_uploads/:"
        " nginx sends files after the server has checked access; empty: the server sends them",
    )
    max_file_upload_size_mib: Positive = Field(
        default=25, description="Largest file one can upload, in MiB"
    )
    upload_quota_mib: Annotated[int, Field(ge=0)] = Field(
        default=0, description="Size of all files of an organization, in MiB; 0: no limit"
    )
    unclaimed_upload_days: Positive = Field(
        default=7, description="A file no message links is removed after so many days"
    )
    channels_per_user: Positive = Field(
        default=500,
        description="Channels one person can create, archived ones aside; administrators: no limit",
    )

    outgoing_webhook_networks: str = Field(
        default="",
        description="Private addresses and networks that outgoing webhooks may call; all others are"
        " refused",
    )
    outgoing_webhook_ca_file: str = Field(
        default="",
        description="PEM file with certificates of private authorities, which outgoing webhooks"
        " trust besides the public ones",
    )

    event_log_hours: Positive = Field(
        default=24, description="How long events are kept for queues to catch up"
    )
    audit_log_days: Annotated[int, Field(ge=0)] = Field(
        default=365, description="How long entries of the audit log are kept; 0: for ever"
    )
    queue_idle_seconds: Positive = Field(
        default=6 * 60 * 60, description="An event queue that no client reads for so long expires"
    )
    queues_per_user: Positive = Field(
        default=100, description="Event queues of one user; the least recently read one gives way"
    )
    heartbeat_seconds: Annotated[float, Field(gt=0, lt=60)] = Field(
        default=50, description="A waiting GET /events is answered at the latest after this"
    )

    move_batch_size: Positive = Field(
        default=300,
        description="Messages one transaction moves; longer moves continue in the background",
    )
    message_cache_mib: Annotated[int, Field(ge=0)] = Field(
        default=32,
        description="Memory of one process for messages that were read lately, in MiB; 0: none",
    )
    password_hash_kib: Positive = Field(
        default=19456, description="Memory argon2id uses for one password, in KiB"
    )
    password_hash_rounds: Positive = Field(
        default=2, description="Rounds argon2id runs for one password"
    )
    web_public_streams_enabled: bool = Field(
        default=True, description="Whether organizations may have web-public channels"
    )
    jitsi_server_url: str = Field(
        default="",
        description="Jitsi server for video calls, where an organization has none; empty: none",
    )

    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="Least severe log line that is written"
    )
    log_format: Literal["auto", "console", "json"] = Field(
        default="auto", description="`auto`: console on a terminal, else JSON"
    )
    access_log: bool = Field(default=False, description="Whether each request writes a log line")
    metrics: Literal["on", "off"] = Field(
        default="off", description="`on` serves metrics for Prometheus at /metrics, without login"
    )
    metrics_port: Annotated[int, Field(ge=0, le=65_535)] = Field(
        default=0,
        description="Port for the metrics alone; the second worker has the next port, and so on."
        " 0: the port of the API",
    )
    metrics_host: str = Field(
        default="127.0.0.1", description="Address on which the port of the metrics listens"
    )
    tracing: Literal["on", "off"] = Field(
        default="off",
        description="`on` sends traces to an OpenTelemetry collector, as the OTEL_* variables say;"
        " needs the packages of chatapi[tracing]",
    )

    @model_validator(mode="before")
    @classmethod
    def _with_environment(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Add the variables of the environment, in any case; an empty one counts as unset."""
        variables = {name.upper(): value for name, value in os.environ.items() if value}
        names = {name: f"{_PREFIX}{name.upper()}" for name in cls.model_fields}
        return {
            name: variables[variable] for name, variable in names.items() if variable in variables
        } | given

    @field_validator("database_url")
    @classmethod
    def _with_async_driver(cls, url: str) -> str:
        """Accept common short forms, such as postgres://."""
        if not url:
            return url
        scheme, separator, rest = url.partition("://")
        driver = _DRIVERS.get(scheme.partition("+")[0])
        if not separator or driver is None:
            raise ValueError("must start with sqlite:// or postgresql://")
        return f"{driver}://{rest}"

    @field_validator("public_url", "jitsi_server_url")
    @classmethod
    def _without_trailing_slash(cls, url: str) -> str:
        if url and urlsplit(url).scheme not in {"http", "https"}:
            raise ValueError("must start with http:// or https://")
        return url.rstrip("/")

    @field_validator("cors_origins")
    @classmethod
    def _are_origins(cls, listed: str) -> str:
        """As browsers send them; no wildcards, since every page of the web would be one."""
        origins = [origin.strip().rstrip("/").lower() for origin in listed.split(",")]
        for origin in filter(None, origins):
            if not _ORIGIN.fullmatch(origin):
                raise ValueError("must be origins like https://app.example.com, with commas")
        return ",".join(filter(None, origins))

    @field_validator("trusted_proxies", "outgoing_webhook_networks")
    @classmethod
    def _are_addresses(cls, listed: str) -> str:
        """No wildcards: with one, a client could choose the address that limits are counted by."""
        addresses = [address.strip() for address in listed.split(",") if address.strip()]
        for address in addresses:
            try:
                ip_network(address)
            except ValueError:
                raise ValueError("must be addresses or networks with commas between them") from None
        return ",".join(addresses)

    @field_validator("outgoing_webhook_ca_file")
    @classmethod
    def _holds_certificates(cls, path: str) -> str:
        """Checked at the start: a call that fails long after it would be hard to explain."""
        if not path:
            return path
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cafile=path)
        except ssl.SSLError:
            raise ValueError("must be a file with certificates in PEM format") from None
        except OSError as error:
            raise ValueError(f"cannot be read ({error.strerror})") from None
        return path

    @field_validator("tracing")
    @classmethod
    def _has_its_packages(cls, tracing: str) -> str:
        if tracing == "on" and not all(map(_is_installed, _TRACING_PACKAGES)):
            raise ValueError(
                "needs packages that are not installed: pip install 'chatapi[tracing]'"
            )
        return tracing

    @field_validator("uploads_url")
    @classmethod
    def _names_a_bucket(cls, url: str) -> str:
        parts = urlsplit(url)
        has_all = parts.hostname and parts.path.strip("/") and parts.username and parts.password
        if url and not (has_all and parts.scheme in {"http", "https"}):
            raise ValueError("must look like https://KEY:SECRET@host/bucket")
        return url

    @field_validator("accel_location")
    @classmethod
    def _is_location(cls, path: str, others: ValidationInfo) -> str:
        if not path:
            return path
        if not _ACCEL_LOCATION.fullmatch(path):
            raise ValueError("must be a path like /_uploads/, with a slash at both ends")
        if others.data.get("uploads_url"):
            raise ValueError("needs files in the data folder, not CHATAPI_UPLOADS_URL")
        return path

    @property
    def effective_database_url(self) -> str:
        return self.database_url or f"sqlite+aiosqlite:///{self.data_dir / SQLITE_FILE}"

    @property
    def sqlite_path(self) -> Path | None:
        """The SQLite file; None for PostgreSQL, and for a database in memory."""
        scheme, _, rest = self.effective_database_url.partition(":///")
        path = rest.partition("?")[0]
        is_file = scheme.startswith("sqlite") and path not in {"", ":memory:"}
        return Path(path) if is_file else None

    @property
    def uploads_dir(self) -> Path:
        """The folder of uploaded files, unless they are stored in a bucket."""
        return self.data_dir / UPLOADS_FOLDER

"""Checks of the settings: names, and values that work but are not safe."""

import os
from collections.abc import Iterator
from urllib.parse import urlsplit

from chatapi.cli.doctor.finding import Area, Finding
from chatapi.cli.unknown_settings import unknown_settings
from chatapi.core.settings import Settings

SETTINGS = Area("settings")
_GUESSED_FIRST = {"secret", "password", "postgres", "chatapi", "changeme", "admin", "redis", "test"}
_HERE = {"localhost", "127.0.0.1", "::1", None}


def check_settings(settings: Settings) -> list[Finding]:
    """Returns at least one finding."""
    findings = list(_faults(settings))
    return findings or [SETTINGS.ok("all values are valid, and all names are known")]


def _faults(settings: Settings) -> Iterator[Finding]:
    for name in unknown_settings(os.environ):
        yield SETTINGS.warning(f"{name} is not a setting and is ignored: correct or remove it")
    yield from _weak_passwords(settings)
    public = urlsplit(settings.public_url)
    if public.scheme == "http" and public.hostname not in _HERE:
        yield SETTINGS.warning(
            "CHATAPI_PUBLIC_URL has no https: passwords and keys can be read on the way; put a "
            "proxy with TLS in front of the server"
        )
    if settings.rate_limits == "off":
        yield SETTINGS.warning(
            "CHATAPI_RATE_LIMITS is off: passwords can be tried without limit; remove it"
        )
    if settings.metrics == "on" and not settings.metrics_port:
        yield SETTINGS.warning(
            "everybody can read /metrics: set CHATAPI_METRICS_PORT, or refuse it in the proxy"
        )
    for name in ("password_hash_kib", "password_hash_rounds"):
        if getattr(settings, name) < Settings.model_fields[name].default:
            yield SETTINGS.warning(
                f"CHATAPI_{name.upper()} is below its default: stolen hashes of passwords are "
                "found out sooner; remove it"
            )


def _weak_passwords(settings: Settings) -> Iterator[Finding]:
    for name in ("database_url", "redis_url", "uploads_url"):
        password = urlsplit(getattr(settings, name)).password
        if password is not None and password.lower() in _GUESSED_FIRST:
            yield SETTINGS.warning(
                f"the password in CHATAPI_{name.upper()} is among those tried first: choose another"
            )

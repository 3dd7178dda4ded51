"""Checks of the way from clients to the server: a request by the public address."""

from collections.abc import Iterator
from urllib.parse import urlsplit

from chatapi.cli.doctor.finding import Area, Finding
from chatapi.core.settings import Settings

_PROXY = Area("proxy")
_TIMEOUT_SECONDS = 10.0


async def check_proxy(settings: Settings, url: str | None) -> list[Finding]:
    """Returns at least one finding; sends a request if there is an address to send it to."""
    address = (url or settings.public_url).rstrip("/")
    if not address:
        return [_PROXY.ok("not checked: set CHATAPI_PUBLIC_URL, or pass --url")]
    return [await _request(address), *_check_trust(settings, address)]


async def _request(address: str) -> Finding:
    # Imported only if used: the client takes some megabytes of memory.
    import httpx  # noqa: PLC0415

    other_service = _PROXY.error(f"{address} is not answered by chatapi: correct proxy or address")
    try:
        async with httpx.AsyncClient(timeout=_TIMEOUT_SECONDS) as client:
            response = await client.get(f"{address}/api/v1/server_settings")
            known = response.json()
    except httpx.HTTPError as error:
        reason = str(error) or type(error).__name__
        return _PROXY.error(f"{address} cannot be reached ({reason}): start server and proxy")
    except (httpx.InvalidURL, ValueError):
        return other_service
    if not isinstance(known, dict):
        return other_service
    if response.status_code != httpx.codes.OK or "service_feature_level" not in known:
        return _PROXY.error(
            f"{address} answers {response.status_code}: pass on all paths and the header Host"
        )
    return _check_seen_address(address, known)


def _check_seen_address(address: str, known: dict[str, object]) -> Finding:
    """Whether the server knows the address that clients use, with its scheme."""
    seen = str(known.get("realm_url", known.get("realm_uri", "")))
    if seen and _origin(seen) != _origin(address):
        return _PROXY.warning(
            f"the server tells clients that its address is {seen}: pass on the headers Host and "
            "X-Forwarded-Proto, and set CHATAPI_TRUSTED_PROXIES and CHATAPI_PUBLIC_URL"
        )
    return _PROXY.ok(f"{address} leads to the server")


def _check_trust(settings: Settings, address: str) -> Iterator[Finding]:
    if urlsplit(address).scheme == "https" and not settings.trusted_proxies:
        yield _PROXY.warning(
            "CHATAPI_TRUSTED_PROXIES is empty: all clients share the limits of the proxy's address;"
            " set it to the address of the proxy"
        )


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port

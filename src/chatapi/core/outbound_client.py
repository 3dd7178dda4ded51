"""The client of `OutboundHttp`, in a module of its own: it loads httpx."""

import asyncio
import socket
import ssl
from collections.abc import Callable, Mapping
from functools import cached_property
from ipaddress import ip_address
from typing import TYPE_CHECKING

from chatapi.core.lean_imports import import_without
from chatapi.core.outbound_http import (
    MAX_RESPONSE_BYTES,
    MAX_SECONDS,
    Address,
    OutboundResponse,
    RefusedAddressError,
    UnreachableError,
)

if TYPE_CHECKING:
    import httpx
else:
    # Without its command, which would load rich.
    httpx = import_without("httpx", "httpx._main")

_CONNECT_SECONDS = 5.0


class OutboundClient:
    """Posts documents to the addresses that may be called."""

    def __init__(self, may_call: Callable[[Address], bool], private_authorities: str) -> None:
        self._may_call = may_call
        self._private_authorities = private_authorities

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        """Loaded once: the certificates of all authorities take some milliseconds."""
        return trusting_context(self._private_authorities)

    async def post_json(
        self, url: str, body: bytes, headers: Mapping[str, str]
    ) -> OutboundResponse:
        """Post a JSON document; raises RefusedAddressError or UnreachableError."""
        try:
            return await self._post(httpx.URL(url), body, headers)
        except httpx.InvalidURL:
            raise RefusedAddressError("its address is not valid") from None
        except httpx.TransportError as error:
            raise UnreachableError(_problem_of(error)) from None

    async def _post(
        self, url: httpx.URL, body: bytes, more_headers: Mapping[str, str]
    ) -> OutboundResponse:
        address = await self._resolve(url)
        headers = {
            "host": url.netloc.decode(),
            "content-type": "application/json",
            "accept-encoding": "identity",
            **more_headers,
        }
        # A client of its own: connections are kept by address, and several hosts can have one.
        async with httpx.AsyncClient(
            verify=self._tls,
            timeout=httpx.Timeout(MAX_SECONDS, connect=_CONNECT_SECONDS),
            follow_redirects=False,
            trust_env=False,
        ) as client:
            request = client.build_request(
                "POST",
                url.copy_with(host=str(address)),
                content=body,
                headers=headers,
                # The certificate must be of the name, not of the address.
                extensions={"sni_hostname": url.host},
            )
            response = await client.send(request, stream=True)
            try:
                return OutboundResponse(response.status_code, await _read(response))
            finally:
                await response.aclose()

    async def _resolve(self, url: httpx.URL) -> Address:
        """The first address of the host that may be called."""
        default = 443 if url.scheme == "https" else 80
        try:
            found = await asyncio.get_running_loop().getaddrinfo(
                url.host, url.port or default, type=socket.SOCK_STREAM
            )
        except (OSError, UnicodeError):
            raise UnreachableError("the name of its host is not known") from None
        addresses = [ip_address(place[4][0]) for place in found]
        for address in addresses:
            if self._may_call(address):
                return address
        raise RefusedAddressError("its address is in a private network")


def trusting_context(private_authorities: str) -> ssl.SSLContext:
    """A context that trusts the public authorities and the given ones, in PEM format."""
    context = httpx.create_ssl_context(trust_env=False)
    if private_authorities:
        context.load_verify_locations(cadata=private_authorities)
    return context


def _problem_of(error: httpx.TransportError) -> str:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"its certificate is not valid ({cause.verify_message.rstrip('.')})"
        cause = cause.__cause__ or cause.__context__
    return f"it cannot be reached ({type(error).__name__})"


async def _read(response: httpx.Response) -> bytes:
    chunks: list[bytes] = []
    size = 0
    async for chunk in response.aiter_raw():
        size += len(chunk)
        if size > MAX_RESPONSE_BYTES:
            raise RefusedAddressError(f"its response is larger than {MAX_RESPONSE_BYTES} bytes")
        chunks.append(chunk)
    return b"".join(chunks)

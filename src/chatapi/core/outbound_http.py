"""Requests to addresses that users chose: only to public hosts, bounded in time and size.

The name of the host is resolved once, and the connection is made to the address that was checked:
a name that changes its address in between leads nowhere else. With TLS, the certificate must be of
the name, and signed by an authority that is public or that the operator added.
"""

import asyncio
import socket
import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from pathlib import Path

import httpx

MAX_RESPONSE_BYTES = 256 * 1024
MAX_SECONDS = 15.0
"""For one request in all, from the lookup of the name to the last byte of the response."""
_CONNECT_SECONDS = 5.0
_NAT64 = IPv6Network("64:ff9b::/96")
_LAST_32_BITS = 0xFFFFFFFF

Address = IPv4Address | IPv6Address


class RefusedAddressError(Exception):
    """The address must not be called, and will not be allowed later either."""


class UnreachableError(Exception):
    """The host did not respond in time; it may do so later."""


@dataclass(frozen=True)
class OutboundResponse:
    """The response of a host."""

    status: int
    body: bytes


class OutboundHttp:
    """Posts documents; redirects are not followed, and proxies of the environment not used."""

    def __init__(self, allowed_networks: str = "", ca_file: str = "") -> None:
        """Reads the file now: without it, later requests would fail for no visible reason."""
        self._allowed = [ip_network(each) for each in allowed_networks.split(",") if each]
        # Only comments between the certificates may have other characters.
        self._private_authorities = Path(ca_file).read_text("ascii", "ignore") if ca_file else ""

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        """Loaded once: the certificates of all authorities take some milliseconds."""
        return trusting_context(self._private_authorities)

    async def post_json(
        self, url: str, body: bytes, user_agent: str, traceparent: str | None = None
    ) -> OutboundResponse:
        """Post a JSON document; raises RefusedAddressError or UnreachableError."""
        try:
            async with asyncio.timeout(MAX_SECONDS):
                headers = {"user-agent": user_agent}
                if traceparent is not None:
                    headers["traceparent"] = traceparent
                return await self._post(httpx.URL(url), body, headers)
        except TimeoutError:
            raise UnreachableError(f"it did not respond within {MAX_SECONDS:.0f} seconds") from None
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

    def _may_call(self, address: Address) -> bool:
        return any(address in network for network in self._allowed) or is_public(address)


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


def is_public(address: Address) -> bool:
    """Whether an address is of the public internet, also if it is one inside another."""
    return all(each.is_global and not each.is_multicast for each in _all_forms(address))


def _all_forms(address: Address) -> Sequence[Address]:
    if isinstance(address, IPv4Address):
        return [address]
    inner = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if address in _NAT64:
        inner.append(IPv4Address(int(address) & _LAST_32_BITS))
    found = [each for each in inner if each is not None]
    # A mapped address itself counts as private, whatever it stands for.
    return found if address.ipv4_mapped else [address, *found]


async def _read(response: httpx.Response) -> bytes:
    chunks: list[bytes] = []
    size = 0
    async for chunk in response.aiter_raw():
        size += len(chunk)
        if size > MAX_RESPONSE_BYTES:
            raise RefusedAddressError(f"its response is larger than {MAX_RESPONSE_BYTES} bytes")
        chunks.append(chunk)
    return b"".join(chunks)

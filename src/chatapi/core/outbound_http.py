"""Requests to addresses that users chose: only to public hosts, bounded in time and size.

The name of the host is resolved once, and the connection is made to the address that was checked:
a name that changes its address in between leads nowhere else. With TLS, the certificate must be of
the name, and signed by an authority that is public or that the operator added.
"""

import asyncio
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_network
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from chatapi.core.outbound_client import OutboundClient

MAX_RESPONSE_BYTES = 256 * 1024
MAX_SECONDS = 15.0
"""For one request in all, from the lookup of the name to the last byte of the response."""
_NAT64 = IPv6Network("64:ff9b::/96")
_LAST_32_BITS = 0xFFFFFFFF

Address = IPv4Address | IPv6Address


class RefusedAddressError(Exception):
    """The address must not be called, and will not be allowed later either."""


class UnreachableError(Exception):
    """The host did not respond in time; it may do so later."""


class OutboundResponse(Struct, frozen=True):
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
        self._client: OutboundClient | None = None

    async def post_json(
        self, url: str, body: bytes, user_agent: str, traceparent: str | None = None
    ) -> OutboundResponse:
        """Post a JSON document; raises RefusedAddressError or UnreachableError."""
        headers = {"user-agent": user_agent}
        if traceparent is not None:
            headers["traceparent"] = traceparent
        if self._client is None:
            # In a thread, since loading the library takes tens of milliseconds.
            self._client = await asyncio.to_thread(self._create_client)
        try:
            async with asyncio.timeout(MAX_SECONDS):
                return await self._client.post_json(url, body, headers)
        except TimeoutError:
            raise UnreachableError(f"it did not respond within {MAX_SECONDS:.0f} seconds") from None

    def _create_client(self) -> "OutboundClient":
        # A server that never calls another one does not load the library.
        from chatapi.core.outbound_client import OutboundClient  # noqa: PLC0415

        return OutboundClient(self._may_call, self._private_authorities)

    def _may_call(self, address: Address) -> bool:
        return any(address in network for network in self._allowed) or is_public(address)


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

"""Requests to addresses that users chose: which addresses are public."""

from ipaddress import ip_address

import pytest

from chatapi.core.outbound_http import (
    OutboundHttp,
    RefusedAddressError,
    UnreachableError,
    is_public,
)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "0.0.0.0",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "192.0.2.1",
        "198.18.0.1",
        "224.0.0.1",
        "239.1.1.1",
        "255.255.255.255",
        "::",
        "::1",
        "fe80::1",
        "fc00::1",
        "fd12::1",
        "ff02::1",
        "::ffff:10.0.0.1",
        "::ffff:127.0.0.1",
        "64:ff9b::10.0.0.1",
        "64:ff9b::127.0.0.1",
        "2002:7f00:1::",
        "2002:a00:1::",
    ],
)
def test_address_of_a_private_network_is_not_public(address: str) -> None:
    assert not is_public(ip_address(address))


@pytest.mark.parametrize(
    "address",
    ["93.184.216.34", "8.8.8.8", "2606:2800:220:1::1", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8"],
)
def test_address_of_the_internet_is_public(address: str) -> None:
    assert is_public(ip_address(address))


@pytest.mark.parametrize(
    "url",
    ["http://127.0.0.1:1/", "http://[::1]:1/", "http://2130706433/", "http://0x7f000001/"],
)
async def test_every_spelling_of_a_private_address_is_refused(url: str) -> None:
    with pytest.raises((RefusedAddressError, UnreachableError)):
        await OutboundHttp().post_json(url, b"{}", "test")


async def test_only_allowed_private_networks_are_called() -> None:
    http = OutboundHttp("127.0.0.1/32,10.0.0.0/8")
    with pytest.raises(UnreachableError, match="it cannot be reached"):
        await http.post_json("http://127.0.0.1:1/", b"{}", "test")
    with pytest.raises(RefusedAddressError, match="private network"):
        await http.post_json("http://127.0.0.2:1/", b"{}", "test")

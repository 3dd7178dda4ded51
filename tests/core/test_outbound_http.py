"""Requests to addresses that users chose: which addresses are public."""

import asyncio
import socket
from ipaddress import ip_address
from typing import Any

import pytest

from chatapi.core.outbound_http import (
    OutboundHttp,
    RefusedAddressError,
    UnreachableError,
    is_public,
)
from tests.features.messages.outgoing_webhooks.services import LOOPBACK, recording_service


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


async def test_connection_is_made_to_the_address_that_was_checked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A name that leads elsewhere at its second lookup is looked up once."""
    answers = iter(["127.0.0.1", "127.0.0.2"])
    looked_up: list[str] = []

    async def look_up(host: str, port: int, **_options: Any) -> list[Any]:
        looked_up.append(host)
        family = (socket.AF_INET, socket.SOCK_STREAM, 6, "")
        return [(*family, (next(answers), port))]

    async with recording_service() as service:
        port = service.url.rpartition(":")[2].partition("/")[0]
        with monkeypatch.context() as patch:
            patch.setattr(asyncio.get_running_loop(), "getaddrinfo", look_up)
            response = await OutboundHttp(LOOPBACK).post_json(
                f"http://service.example:{port}/hook", b"{}", "test"
            )
    assert response.status == 200
    assert looked_up == ["service.example"]
    [request] = service.requests
    assert request.headers["host"] == f"service.example:{port}"
    assert request.headers["user-agent"] == "test"


async def test_host_that_never_responds_is_left_after_the_time_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("chatapi.core.outbound_http.MAX_SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        with pytest.raises(UnreachableError):
            await OutboundHttp(LOOPBACK).post_json(f"http://127.0.0.1:{port}/", b"{}", "test")

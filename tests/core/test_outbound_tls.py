"""Requests to addresses that users chose, over TLS: whose certificates are trusted."""

import asyncio
import socket
from pathlib import Path
from typing import Any

import pytest
import trustme

from chatapi.core.outbound_client import trusting_context
from chatapi.core.outbound_http import OutboundHttp, RefusedAddressError, UnreachableError
from tests.features.messages.outgoing_webhooks.services import LOOPBACK, recording_service
from tests.support.authorities import PrivateAuthority


@pytest.fixture
def authority(tmp_path: Path) -> PrivateAuthority:
    return PrivateAuthority(tmp_path)


def resolve_every_name_to_loopback(patch: pytest.MonkeyPatch) -> None:
    async def look_up(_host: str, port: int, **_options: Any) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]

    patch.setattr(asyncio.get_running_loop(), "getaddrinfo", look_up)


async def test_certificate_of_an_added_authority_is_trusted(authority: PrivateAuthority) -> None:
    authority.file.write_text(f"# Prüfstelle\n{authority.file.read_text()}", "utf-8")
    http = OutboundHttp(LOOPBACK, str(authority.file))
    async with recording_service(authority.certify("127.0.0.1")) as service:
        assert service.url.startswith("https://")
        response = await http.post_json(service.url, b'{"a": 1}', "test")
    assert response.status == 200
    assert service.calls == [{"a": 1}]


async def test_authority_that_was_not_added_is_refused(authority: PrivateAuthority) -> None:
    async with recording_service(authority.certify("127.0.0.1")) as service:
        with pytest.raises(UnreachableError, match="its certificate is not valid"):
            await OutboundHttp(LOOPBACK).post_json(service.url, b"{}", "test")
    assert service.calls == []


async def test_other_authority_than_the_added_one_is_refused(
    authority: PrivateAuthority, tmp_path: Path
) -> None:
    other = tmp_path / "other.pem"
    trustme.CA().cert_pem.write_to_path(other)
    async with recording_service(authority.certify("127.0.0.1")) as service:
        with pytest.raises(UnreachableError, match="its certificate is not valid"):
            await OutboundHttp(LOOPBACK, str(other)).post_json(service.url, b"{}", "test")
    assert service.calls == []


async def test_expired_certificate_is_refused(authority: PrivateAuthority) -> None:
    http = OutboundHttp(LOOPBACK, str(authority.file))
    async with recording_service(authority.certify("127.0.0.1", has_expired=True)) as service:
        with pytest.raises(UnreachableError, match="certificate has expired"):
            await http.post_json(service.url, b"{}", "test")
    assert service.calls == []


async def test_certificate_of_the_name_is_accepted_at_the_checked_address(
    authority: PrivateAuthority, monkeypatch: pytest.MonkeyPatch
) -> None:
    http = OutboundHttp(LOOPBACK, str(authority.file))
    async with recording_service(authority.certify("service.example")) as service:
        url = service.url.replace("127.0.0.1", "service.example")
        with monkeypatch.context() as patch:
            resolve_every_name_to_loopback(patch)
            response = await http.post_json(url, b"{}", "test")
    assert response.status == 200
    [request] = service.requests
    assert request.headers["host"].startswith("service.example:")


@pytest.mark.parametrize("names", [["127.0.0.1"], ["other.example"]])
async def test_certificate_of_another_name_is_refused(
    authority: PrivateAuthority, monkeypatch: pytest.MonkeyPatch, names: list[str]
) -> None:
    http = OutboundHttp(LOOPBACK, str(authority.file))
    async with recording_service(authority.certify(*names)) as service:
        url = service.url.replace("127.0.0.1", "service.example")
        with monkeypatch.context() as patch:
            resolve_every_name_to_loopback(patch)
            with pytest.raises(UnreachableError, match=r"not valid for 'service\.example'"):
                await http.post_json(url, b"{}", "test")
    assert service.calls == []


async def test_private_network_is_refused_whatever_the_certificate(
    authority: PrivateAuthority,
) -> None:
    http = OutboundHttp("10.0.0.0/8", str(authority.file))
    async with recording_service(authority.certify("127.0.0.1")) as service:
        with pytest.raises(RefusedAddressError, match="private network"):
            await http.post_json(service.url, b"{}", "test")
    assert service.requests == []


async def test_plain_server_is_not_taken_for_one_with_tls(authority: PrivateAuthority) -> None:
    http = OutboundHttp(LOOPBACK, str(authority.file))
    async with recording_service() as service:
        with pytest.raises(UnreachableError, match="it cannot be reached"):
            await http.post_json(service.url.replace("http:", "https:"), b"{}", "test")
    assert service.calls == []


def test_public_authorities_stay_trusted_beside_added_ones(authority: PrivateAuthority) -> None:
    public = trusting_context("").get_ca_certs()
    both = trusting_context(authority.file.read_text()).get_ca_certs()
    assert len(public) > 50
    assert len(both) == len(public) + 1

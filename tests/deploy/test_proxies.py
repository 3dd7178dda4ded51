"""The server behind the proxies of deploy/, with the example files that are there."""

import asyncio
import json
import re
import ssl
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import httpx
import pytest
from annotated_types import Lt

from chatapi.core.errors import RequestTooLargeError, UnavailableError
from chatapi.core.settings import Settings
from tests.deploy.conftest import Site, StartProxy
from tests.factories import Person
from tests.support.event_streams import Message, messages
from tests.support.proxies import HOST, REQUEST_TIMEOUT_SECONDS, Proxy, nginx
from tests.support.server_process import PROJECT, ServerProcess
from tests.support.waiting import until, until_true

MIB = 1024 * 1024
PIECE_BYTES = 64 * 1024
LARGEST_FILE = 25 * MIB
READ_TIMEOUT = re.compile(r"proxy_read_timeout (\d+)s;")
pytestmark = [pytest.mark.deploy, pytest.mark.slow]


async def register(http: httpx.AsyncClient) -> dict[str, Any]:
    answer = await http.post("/api/v1/register", data={"event_types": '["message"]'})
    registered = answer.raise_for_status().json()
    return {key: registered[key] for key in ("queue_id", "last_event_id")}


@asynccontextmanager
async def event_stream(http: httpx.AsyncClient) -> AsyncIterator[AsyncIterator[Message]]:
    queue = await register(http)
    headers = {"Accept": "text/event-stream"}
    async with http.stream("GET", "/api/v1/events", params=queue, headers=headers) as response:
        yield messages(response)


async def send(http: httpx.AsyncClient, person: Person, text: str) -> int:
    message = {"type": "direct", "to": json.dumps([person.user_id]), "content": text}
    answer = await http.post("/api/v1/messages", data=message)
    sent: int = answer.raise_for_status().json()["id"]
    return sent


async def upload(http: httpx.AsyncClient, content: bytes, name: str = "a.txt") -> httpx.Response:
    return await http.post("/api/v1/user_uploads", files={"file": (name, content, "text/plain")})


async def refused_upload(proxy: Proxy, person: Person, size: int) -> tuple[str, dict[str, Any]]:
    """Upload until there is a response; returns its status line and content."""
    credentials = b64encode(f"{person.email}:{person.api_key}".encode()).decode()
    reader, writer = await asyncio.open_connection(HOST, proxy.port, ssl=proxy.tls())
    head = (
        f"POST /api/v1/user_uploads HTTP/1.1\r\nHost: {HOST}:{proxy.port}\r\n"
        f"Authorization: Basic {credentials}\r\nContent-Length: {size}\r\n"
        "Content-Type: multipart/form-data; boundary=cut\r\n\r\n"
    )
    writer.write(head.encode())

    async def send_body() -> None:
        with suppress(ConnectionError):
            for _ in range(size // PIECE_BYTES):
                writer.write(bytes(PIECE_BYTES))
                await writer.drain()

    sending = asyncio.create_task(send_body())
    async with asyncio.timeout(REQUEST_TIMEOUT_SECONDS):
        status, *headers = (await reader.readuntil(b"\r\n\r\n")).decode().splitlines()
        (length,) = [line for line in headers if line.lower().startswith("content-length:")]
        content = await reader.readexactly(int(length.partition(":")[2]))
    sending.cancel()
    writer.transport.abort()
    return status, json.loads(content)


def open_tls(proxy: Proxy) -> ssl.SSLContext:
    context = proxy.tls()
    context.set_alpn_protocols(["h2", "http/1.1"])
    return context


class TestConnections:
    async def test_message_arrives_in_a_waiting_poll(self, site: Site, member: Person) -> None:
        proxy = site.proxy(await site.server())
        async with proxy.client(member) as http:
            queue = await register(http)
            waiting = asyncio.create_task(http.get("/api/v1/events", params=queue))
            sent = await send(http, member, "hello")
            (event,) = (await waiting).raise_for_status().json()["events"]
            settings = await http.get("/api/v1/server_settings")
        assert event["message"]["id"] == sent
        assert settings.json()["realm_url"] == proxy.url
        assert settings.headers["strict-transport-security"] == "max-age=31536000"

    @pytest.mark.any_database
    async def test_http_2_is_offered_and_plain_http_is_redirected(
        self, site: Site, member: Person
    ) -> None:
        proxy = site.proxy(await site.server())
        _reader, writer = await asyncio.open_connection(HOST, proxy.port, ssl=open_tls(proxy))
        assert writer.get_extra_info("ssl_object").selected_alpn_protocol() == "h2"
        writer.close()
        async with httpx.AsyncClient(timeout=REQUEST_TIMEOUT_SECONDS) as http:
            answer = await http.post(f"http://{HOST}:{proxy.plain_port}/api/v1/messages?a=b")
        assert answer.status_code == 308
        location = httpx.URL(answer.headers["location"])
        assert (location.scheme, location.host) == ("https", HOST)
        assert location.raw_path == b"/api/v1/messages?a=b"

    async def test_event_of_a_stream_arrives_while_it_is_open(
        self, site: Site, member: Person
    ) -> None:
        proxy = site.proxy(await site.server())
        async with proxy.client(member) as http, event_stream(http) as arriving:
            for text in ("one", "two"):
                sent = await send(http, member, text)
                assert (await anext(arriving)).data["message"]["id"] == sent


class TestTimeouts:
    """The limits of nginx are longer than polls; here both are shorter, in the same order."""

    @pytest.fixture
    def start_proxy(self) -> StartProxy:
        """Caddy has no such limit."""
        return nginx

    @pytest.fixture
    async def proxy(self, site: Site) -> Proxy:
        server = await site.server(heartbeat_seconds="1")
        return site.proxy(server, changes={"proxy_read_timeout 75s": "proxy_read_timeout 2s"})

    @pytest.mark.any_database
    async def test_poll_without_events_is_answered(self, proxy: Proxy, member: Person) -> None:
        async with proxy.client(member) as http:
            answer = await http.get("/api/v1/events", params=await register(http))
        assert [event["type"] for event in answer.json()["events"]] == ["heartbeat"]

    @pytest.mark.any_database
    async def test_stream_stays_open_longer_than_the_limit(
        self, proxy: Proxy, member: Person
    ) -> None:
        async with proxy.client(member) as http, event_stream(http) as arriving:
            kinds = [(await anext(arriving)).data["type"] for _ in range(3)]
        assert kinds == ["heartbeat"] * 3

    def test_limit_of_the_example_is_above_the_longest_poll(self) -> None:
        (longest,) = [
            bound.lt
            for bound in Settings.model_fields["heartbeat_seconds"].metadata
            if isinstance(bound, Lt)
        ]
        example = (PROJECT / "deploy/nginx/chatapi.conf").read_text()
        assert [int(found) > longest for found in READ_TIMEOUT.findall(example)] == [True]


class TestUploads:
    async def test_largest_file_is_stored_and_sent_back(self, site: Site, member: Person) -> None:
        proxy = site.proxy(await site.server())
        content = bytes(range(256)) * (LARGEST_FILE // 256)
        async with proxy.client(member) as http:
            stored = (await upload(http, content)).raise_for_status().json()
            fetched = await http.get(stored["url"])
        assert fetched.status_code == 200
        assert fetched.content == content

    @pytest.mark.any_database
    async def test_larger_request_gets_the_error_envelope(self, site: Site, member: Person) -> None:
        proxy = site.proxy(await site.server())
        async with proxy.client(member) as http:
            sent = await upload(http, b"x" * (LARGEST_FILE + 1))
        refused = await refused_upload(proxy, member, LARGEST_FILE + 2 * MIB + 1)
        refusal = RequestTooLargeError(LARGEST_FILE).envelope()
        assert (sent.status_code, sent.json()) == (413, refusal)
        assert refused == ("HTTP/1.1 413 Request Entity Too Large", refusal)


class TestClientAddress:
    async def test_is_the_one_the_proxy_sees_whatever_the_client_claims(
        self, site: Site, member: Person
    ) -> None:
        server = await site.server(rate_limits="on", logins_per_minute="2", access_log="true")
        proxy = site.proxy(server)
        claimed = {"X-Forwarded-For": "203.0.113.9", "X-Real-IP": "203.0.113.9"}
        async with (
            proxy.client(address="127.0.0.2") as one,
            proxy.client(address="127.0.0.3") as two,
        ):
            statuses = [
                (
                    await http.post(
                        "/api/v1/fetch_api_key",
                        data={"username": f"{number}@example.com", "password": "wrong"},
                        headers={**claimed, "X-Forwarded-For": f"203.0.113.{number}"},
                    )
                ).status_code
                for number, http in enumerate([one, one, one, two])
            ]
        assert statuses == [401, 401, 429, 401]
        # The line is written after the response.
        await until(lambda: len(addresses_of_logins(server)) == len(statuses))
        assert addresses_of_logins(server) == [*["127.0.0.2"] * 3, "127.0.0.3"]


def addresses_of_logins(server: ServerProcess) -> list[str]:
    """The client addresses in the access log."""
    lines = [json.loads(line) for line in server.log.splitlines() if '"request"' in line]
    # Caddy asks for /health from its own address.
    return [line["address"] for line in lines if line["path"].endswith("/fetch_api_key")]


@pytest.mark.any_database
async def test_metrics_are_not_passed_on(site: Site, member: Person) -> None:
    server = await site.server(metrics="on")
    proxy = site.proxy(server)
    async with proxy.client(member) as http:
        inside = await http.get(f"{server.url}/metrics")
        spellings = ("/metrics", "/metrics?x=y", "//metrics", "/%6Detrics", "/docs/../metrics")
        outside = [await http.get(f"{proxy.url}{spelling}") for spelling in spellings]
    assert inside.status_code == 200
    assert [answer.status_code for answer in outside] == [404] * 5


async def until_used_again(http: httpx.AsyncClient, server: ServerProcess) -> None:
    """Wait until the proxy knows that the server is back.

    nginx passes it a request of a client again, and Caddy asks for its health.
    """

    async def is_used() -> bool:
        await http.get("/api/v1/users/me")
        return any(path in server.log for path in ("/users/me", "/health"))

    await until_true(is_used)


class TestRestarts:
    async def test_two_servers_are_restarted_one_after_the_other(
        self, site: Site, member: Person, start_proxy: StartProxy
    ) -> None:
        servers = [await site.server(access_log="true") for _ in range(2)]
        proxy = site.proxy(*servers)
        refusals: list[int] = []
        async with proxy.client(member) as http:

            async def send_until_taken(key: str) -> None:
                """As clients do: repeat what was refused for the moment, with the same key."""
                message = {"type": "direct", "to": f"[{member.user_id}]", "content": key}
                headers = {"Idempotency-Key": key}

                async def is_taken() -> bool:
                    answer = await http.post("/api/v1/messages", data=message, headers=headers)
                    refusals.extend([answer.status_code] * (answer.status_code != 200))
                    return answer.status_code == 200

                await until_true(is_taken)

            for number, server in enumerate(servers):
                # Connections to both are kept open by now.
                for each in range(8):
                    await send_until_taken(f"{number} before {each}")
                await server.terminate()
                for each in range(8):
                    await send_until_taken(f"{number} meanwhile {each}")
                await server.start()
                await until_used_again(http, server)
            newest = {"anchor": "newest", "num_before": "100", "num_after": "0"}
            found = (await http.get("/api/v1/messages", params=newest)).json()["messages"]
        assert len(found) == 2 * (8 + 8)
        # Caddy does not repeat a request whose body it has begun to send, even to a closed port.
        assert refusals == [] if start_proxy is nginx else set(refusals) <= {503}

    @pytest.mark.any_database
    async def test_without_a_server_the_error_says_that_it_is_temporary(
        self, site: Site, member: Person
    ) -> None:
        server = await site.server()
        proxy = site.proxy(server)
        await server.terminate()
        async with proxy.client(member) as http:
            answer = await http.get("/api/v1/users/me")
            await server.start()

            async def is_back() -> bool:
                return (await http.get("/api/v1/users/me")).status_code == 200

            await until_true(is_back)
        assert (answer.status_code, answer.json()) == (503, UnavailableError().envelope())
        assert answer.headers["retry-after"] == "1"

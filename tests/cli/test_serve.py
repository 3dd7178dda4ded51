"""`chatapi serve`: the first start, the next ones, waiting for the database, and the end."""

import asyncio
import json
import shutil
import socket
import subprocess
from typing import Any

import httpx
import pytest
from sqlalchemy import make_url

from tests.cli.conftest import OWNER_EMAIL, Prepared
from tests.cli.polling import poll, register, until_poll_has_arrived
from tests.support.command import PATIENCE_SECONDS, TOO_MUCH_GRACE, Command
from tests.support.server_process import free_port
from tests.support.tcp_proxy import tcp_proxy, to_postgres
from tests.support.waiting import until


class TestFirstStart:
    async def test_prints_credentials_once(self, new_command: Command) -> None:
        with new_command.serving() as first:
            first.read_greeting(last="^curl ")
            email, api_key = first.greeted("Owner's email"), first.greeted("API key")
            me = call_by_curl(first.curl_line)
            assert (me["result"], me["delivery_email"], me["role"]) == ("success", email, 100)
            async with first.client(email, api_key) as client:
                credentials = {"username": email, "password": first.greeted("Password")}
                login = await client.post("/fetch_api_key", data=credentials)
                assert login.json()["user_id"] == me["user_id"]
                docs = await client.get(first.greeted("Docs"))
                assert docs.status_code == 200
            first.end()
        with new_command.serving() as second:
            greeting = second.read_greeting(last="╰")
            assert "/docs" in greeting
            assert not {"API key", "Password", "curl"} & set(greeting.split())
            async with second.client(email, api_key) as client:
                assert (await client.get("/users/me")).status_code == 200
                # No client is trusted as a proxy by default, not even on this machine.
                assert (await shown_address(client)).startswith("http://")

    def test_needs_tables_where_migrations_are_switched_off(self, empty_command: Command) -> None:
        refused = empty_command.with_settings(migrate_on_start="false").run("serve", "--port", "0")
        assert (refused.status, refused.stdout) == (1, "")
        assert refused.stderr == "Error: The database is not up to date; run: chatapi db upgrade\n"

    def test_creates_nothing_where_it_cannot_listen(self, empty_command: Command) -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            refused = empty_command.run("serve", "--port", str(taken.getsockname()[1]))
        assert (refused.status, refused.stdout) == (1, "")
        assert "Address already in use" in refused.stderr
        assert not (empty_command.folder / "chatapi.sqlite3").exists()


class TestWarmUp:
    async def test_happens_where_people_have_written(
        self, command: Command, prepared: Prepared
    ) -> None:
        message = {"type": "channel", "to": "general", "topic": "plans", "content": "Hello"}
        with command.serving() as first:
            first.read_greeting(last="╰")
            async with first.client(OWNER_EMAIL, prepared.owner_key) as client:
                sent = (await client.post("/messages", data=message)).raise_for_status()
            first.end()
            assert "warmed_up" not in first.errors.read_text()
        with command.serving() as second:
            second.read_greeting(last="╰")
            await until(lambda: "warmed_up" in second.errors.read_text(), PATIENCE_SECONDS)
            async with second.client(OWNER_EMAIL, prepared.owner_key) as client:
                newest = await client.get(
                    "/messages", params={"anchor": "newest", "num_before": 1, "num_after": 0}
                )
            [found] = newest.json()["messages"]
            assert found["id"] == sent.json()["id"]


class TestTermination:
    @pytest.mark.slow
    async def test_answers_waiting_polls_and_ends(
        self, command: Command, prepared: Prepared
    ) -> None:
        with command.serving("--shutdown-grace", TOO_MUCH_GRACE) as serving:
            serving.read_greeting(last="╰")
            async with serving.client(OWNER_EMAIL, prepared.owner_key) as client:
                queue = await register(client)
                waiting = []
                for _ in range(3):
                    waiting.append(poll(client, queue))
                    await until_poll_has_arrived(client, queue)
                await asyncio.to_thread(serving.end)
                answers = [await answer for answer in waiting]
        for answer in answers:
            assert answer.status_code == 200
            assert [event["type"] for event in answer.json()["events"]] == ["heartbeat"]


class TestCommandsBesideTheServer:
    @pytest.mark.slow
    async def test_wake_waiting_polls(self, command: Command, prepared: Prepared) -> None:
        with command.serving() as serving:
            serving.read_greeting(last="╰")
            async with serving.client(OWNER_EMAIL, prepared.owner_key) as client:
                queue = await register(client)
                waiting = poll(client, queue)
                command.answer(
                    "user", "create", "--email", "emilia@example.com", "--name", "Emilia"
                )
                (event,) = (await waiting).json()["events"]
                assert event["person"]["delivery_email"] == "emilia@example.com"
                # Revoking keys ends the polls made with them.
                waiting = poll(client, {**queue, "last_event_id": event["id"]})
                await until_poll_has_arrived(client, queue)
                command.answer("user", "revoke-api-key", "--email", OWNER_EMAIL, "--all")
                assert (await waiting).status_code == 401
            renewed = command.answer("user", "api-key", "--email", OWNER_EMAIL)
            async with serving.client(OWNER_EMAIL, renewed["api_key"]) as client:
                assert (await client.get("/users/me")).status_code == 200
            command.answer(
                "user", "password", "--email", OWNER_EMAIL, "--password-stdin", stdin="better one\n"
            )
            async with httpx.AsyncClient(
                base_url=f"{serving.url}/api/v1", timeout=PATIENCE_SECONDS
            ) as client:
                credentials = {"username": OWNER_EMAIL, "password": "better one"}
                assert (await client.post("/fetch_api_key", data=credentials)).status_code == 200


@pytest.mark.slow
@pytest.mark.parametrize(("proxy", "scheme"), [("192.0.2.1", "http"), ("127.0.0.1", "https")])
async def test_only_configured_proxies_are_trusted(
    command: Command, prepared: Prepared, proxy: str, scheme: str
) -> None:
    with command.with_settings(trusted_proxies=proxy).serving() as serving:
        serving.read_greeting(last="╰")
        async with serving.client(OWNER_EMAIL, prepared.owner_key) as client:
            assert (await shown_address(client)).startswith(f"{scheme}://")


@pytest.mark.slow
@pytest.mark.parametrize("proxy", ["", "127.0.0.1"])
async def test_login_limit_cannot_be_evaded_by_a_forwarded_address(
    command: Command, prepared: Prepared, proxy: str
) -> None:
    """A proxy appends the address it saw; everything before it can be forged by the client."""
    limits = command.with_settings(trusted_proxies=proxy, rate_limits="on", logins_per_minute="2")
    with limits.serving() as serving:
        serving.read_greeting(last="╰")
        async with httpx.AsyncClient(
            base_url=f"{serving.url}/api/v1", timeout=PATIENCE_SECONDS
        ) as client:
            statuses = [
                (
                    await client.post(
                        "/fetch_api_key",
                        data={"username": f"{number}@example.com", "password": "wrong"},
                        headers={"X-Forwarded-For": f"192.0.2.{number}, 198.51.100.1"},
                    )
                ).status_code
                for number in range(3)
            ]
    assert statuses == [401, 401, 429]


class TestWaitingForPostgres:
    @pytest.mark.slow
    async def test_starts_as_soon_as_the_database_does(self, postgres_command: Command) -> None:
        database = make_url(postgres_command.settings["database_url"])
        port = free_port()
        late = database.set(host="127.0.0.1", port=port, query={}).render_as_string(False)
        with postgres_command.with_settings(database_url=late).serving() as serving:
            await until(lambda: "trying for 30 seconds" in serving.errors.read_text())
            async with tcp_proxy(to_postgres(database), port):
                await asyncio.to_thread(serving.read_greeting, last="^curl ")
                answer = await asyncio.to_thread(call_by_curl, serving.curl_line)
                assert answer["result"] == "success"


async def shown_address(client: httpx.AsyncClient) -> str:
    """The address the server thinks it has, when a proxy says that it speaks TLS outside."""
    answer = await client.get("/server_settings", headers={"X-Forwarded-Proto": "https"})
    address: str = answer.json()["realm_url"]
    return address


def call_by_curl(line: list[str]) -> dict[str, Any]:
    """Run the line as a person would; where there is no curl, send what it would send."""
    assert line[:2] == ["curl", "-u"]
    answer: dict[str, Any]
    if shutil.which("curl"):
        answer = json.loads(subprocess.check_output([*line, "--silent"]))
    else:
        name, _, key = line[2].partition(":")
        answer = httpx.get(line[3], auth=(name, key), timeout=PATIENCE_SECONDS).json()
    return answer

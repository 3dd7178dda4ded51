"""Outgoing webhook bots: when their service is called, and what becomes of its answer."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from chatapi.auth.runtime import Runtime
from chatapi.core.settings import Settings
from chatapi.features.messages import find_next_call
from chatapi.main import ChatApp
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.messages.outgoing_webhooks.services import (
    LOOPBACK,
    RecordingService,
    recording_service,
)
from tests.support.apps import StartApp
from tests.support.authorities import PrivateAuthority
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.listening import listen
from tests.support.responses import assert_error, assert_success
from tests.support.statements import recorded_statements
from tests.support.waiting import until, until_true


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"outgoing_webhook_networks": LOOPBACK})


@pytest.fixture
async def service() -> AsyncIterator[RecordingService]:
    async with recording_service() as service:
        yield service


@pytest.fixture
async def bot(client: ApiClient, member: Person, service: RecordingService) -> Person:
    return await add_bot(client, member, service.url)


async def add_bot(client: ApiClient, owner: Person, url: str, name: str = "helper") -> Person:
    created = assert_success(
        await client.post(
            "/bots", owner, full_name=name, short_name=name, bot_type=3, payload_url=url
        )
    )
    email = f"{name}-bot@acme.localhost"
    return Person(created["user_id"], email, created["api_key"], name)


async def write_to(client: ApiClient, sender: Person, content: str, *people: Person) -> int:
    to = [person.user_id for person in people]
    response = await client.post("/messages", sender, type="direct", to=to, content=content)
    return int(assert_success(response)["id"])


async def mention(client: ApiClient, sender: Person, channel_id: int, content: str) -> int:
    response = await client.post(
        "/messages", sender, type="stream", to=channel_id, topic="work", content=content
    )
    return int(assert_success(response)["id"])


async def messages_of(client: ApiClient, reader: Person) -> list[dict[str, Any]]:
    response = await client.get(
        "/messages", reader, anchor="newest", num_before=20, num_after=0, apply_markdown=False
    )
    messages: list[dict[str, Any]] = assert_success(response)["messages"]
    return messages


async def newest(client: ApiClient, reader: Person, count: int) -> dict[str, Any]:
    """The newest message of a reader who has so many."""

    async def are_there() -> bool:
        return len(await messages_of(client, reader)) >= count

    await until_true(are_there)
    messages = await messages_of(client, reader)
    assert len(messages) == count
    return messages[-1]


async def until_called(service: RecordingService, count: int = 1) -> dict[str, Any]:
    await until(lambda: len(service.calls) >= count)
    assert len(service.calls) == count
    return service.calls[-1]


async def until_settled(runtime: Runtime) -> None:
    """Wait until no call is left."""

    async def is_empty() -> bool:
        async with runtime.reading() as db:
            return await find_next_call(db) is None

    await until_true(is_empty)


async def until_postponed(runtime: Runtime) -> None:
    """Wait until a try has ended: the next is due after the delay, not after the lease."""

    async def is_postponed() -> bool:
        async with runtime.reading() as db:
            due = await find_next_call(db)
        left = (due - runtime.clock.now()).total_seconds() if due else 0
        return left in {5, 30, 120}

    await until_true(is_postponed)


def retry(runtime: Runtime, clock: MovableClock, seconds: int = 5) -> None:
    """Let the delay before the next try pass."""
    clock.advance(seconds=seconds)
    runtime.webhook_calls.notify()


class TestCalls:
    @pytest.mark.any_database
    async def test_direct_message_calls_the_service_with_the_documented_payload(
        self,
        client: ApiClient,
        service: RecordingService,
        bot: Person,
        admin: Person,
        owner: Person,
    ) -> None:
        state = (await listen(client, owner, fetch_event_types=["realm_bot"])).state
        [shown] = [each for each in state["realm_bots"] if each["user_id"] == bot.user_id]
        [known] = shown["services"]
        message_id = await write_to(client, admin, "Any **news**?", bot)
        call = await until_called(service)
        message = call.pop("message")
        assert call == {
            "bot_email": bot.email,
            "bot_full_name": "helper",
            "data": "Any **news**?",
            "token": known["token"],
            "trigger": "direct_message",
        }
        assert known == {"base_url": service.url, "interface": 1, "token": call["token"]}
        assert (message["id"], message["type"]) == (message_id, "private")
        assert message["content"] == "Any **news**?"
        assert message["rendered_content"] == "<p>Any <strong>news</strong>?</p>"
        assert message["sender_email"] == admin.email
        [request] = service.requests
        assert request.headers["content-type"] == "application/json"
        assert request.headers["host"] in service.url

    @pytest.mark.any_database
    async def test_mention_in_a_channel_calls_the_service(
        self,
        client: ApiClient,
        service: RecordingService,
        bot: Person,
        owner: Person,
        make_channel: MakeChannel,
    ) -> None:
        channel = await make_channel("general", subscribers=[owner])
        await mention(client, owner, channel.id, "@**helper** now")
        call = await until_called(service)
        assert (call["trigger"], call["data"]) == ("mention", "@**helper** now")
        assert call["message"]["display_recipient"] == "general"

    @pytest.mark.any_database
    async def test_other_messages_silent_mentions_and_messages_of_bots_do_not(
        self,
        client: ApiClient,
        service: RecordingService,
        runtime: Runtime,
        bot: Person,
        owner: Person,
        make_user: MakeUser,
        make_channel: MakeChannel,
    ) -> None:
        channel = await make_channel("general", subscribers=[owner, bot])
        robot = await make_user(bot_owner=owner)
        await mention(client, owner, channel.id, "Hello")
        await mention(client, owner, channel.id, "@_**helper** silently")
        await mention(client, robot, channel.id, "@**helper** from a bot")
        await write_to(client, robot, "from a bot", bot)
        await write_to(client, owner, "to the wrong one", robot)
        await write_to(client, owner, "the only call", bot)
        assert (await until_called(service))["data"] == "the only call"
        await until_settled(runtime)

    @pytest.mark.any_database
    async def test_bot_is_not_called_about_a_message_it_may_not_read(
        self,
        client: ApiClient,
        service: RecordingService,
        runtime: Runtime,
        bot: Person,
        owner: Person,
        make_channel: MakeChannel,
    ) -> None:
        secret = await make_channel("secret", invite_only=True, subscribers=[owner])
        await mention(client, owner, secret.id, "@**helper** what do you know?")
        await until_settled(runtime)
        assert service.calls == []

    async def test_bot_is_not_called_again_after_it_was_deactivated(
        self,
        client: ApiClient,
        service: RecordingService,
        runtime: Runtime,
        bot: Person,
        owner: Person,
        clock: MovableClock,
    ) -> None:
        service.failures = 1
        await write_to(client, owner, "once", bot)
        await until_called(service)
        await until_postponed(runtime)
        assert_success(await client.delete(f"/bots/{bot.user_id}", owner))
        retry(runtime, clock)
        await until_settled(runtime)
        assert len(service.calls) == 1

    async def test_bot_is_not_called_again_after_the_message_was_deleted(
        self,
        client: ApiClient,
        service: RecordingService,
        runtime: Runtime,
        bot: Person,
        owner: Person,
        clock: MovableClock,
    ) -> None:
        service.failures = 1
        message_id = await write_to(client, owner, "once", bot)
        await until_called(service)
        await until_postponed(runtime)
        assert_success(await client.delete(f"/messages/{message_id}", owner))
        retry(runtime, clock)
        await until_settled(runtime)
        assert len(service.calls) == 1

    async def test_calls_of_one_bot_are_made_in_order(
        self, client: ApiClient, service: RecordingService, bot: Person, owner: Person
    ) -> None:
        for number in range(5):
            await write_to(client, owner, str(number), bot)
        await until(lambda: len(service.calls) == 5)
        assert [call["data"] for call in service.calls] == ["0", "1", "2", "3", "4"]

    async def test_two_processes_make_each_call_once(
        self,
        client: ApiClient,
        service: RecordingService,
        runtime: Runtime,
        bot: Person,
        owner: Person,
        start_app: StartApp,
    ) -> None:
        other: ChatApp = await start_app()
        for number in range(6):
            await write_to(client, owner, str(number), bot)
            other.runtime.webhook_calls.notify()
        await until(lambda: len(service.calls) >= 6)
        await until_settled(runtime)
        assert sorted(call["data"] for call in service.calls) == [str(n) for n in range(6)]

    async def test_send_without_such_a_bot_costs_no_statement(
        self,
        client: ApiClient,
        runtime: Runtime,
        bot: Person,
        owner: Person,
        make_user: MakeUser,
        make_channel: MakeChannel,
    ) -> None:
        person = await make_user(full_name="Ann")
        channel = await make_channel("general", subscribers=[owner])
        await mention(client, owner, channel.id, "@**Ann** first")
        with recorded_statements(runtime.database, "outgoing_webhook_call") as statements:
            await mention(client, owner, channel.id, "@**Ann** hello")
            await write_to(client, owner, "hello", person)
        assert statements == []


@pytest.mark.any_database
class TestAnswers:
    async def test_content_becomes_a_message_in_the_same_topic(
        self,
        client: ApiClient,
        service: RecordingService,
        bot: Person,
        owner: Person,
        make_channel: MakeChannel,
    ) -> None:
        service.answer = {"content": "Hello **you**"}
        channel = await make_channel("general", subscribers=[owner])
        await mention(client, owner, channel.id, "@**helper** hi")
        reply = await newest(client, owner, 2)
        assert reply["sender_id"] == bot.user_id
        assert (reply["stream_id"], reply["subject"]) == (channel.id, "work")
        assert reply["content"] == "Hello **you**"

    async def test_content_becomes_a_message_to_all_of_a_direct_conversation(
        self,
        client: ApiClient,
        service: RecordingService,
        bot: Person,
        owner: Person,
        admin: Person,
    ) -> None:
        service.answer = {"content": "Hello all"}
        await write_to(client, owner, "hi", bot, admin)
        reply = await newest(client, admin, 2)
        people = {person["id"] for person in reply["display_recipient"]}
        assert people == {owner.user_id, admin.user_id, bot.user_id}
        assert reply["sender_id"] == bot.user_id

    @pytest.mark.parametrize(
        "answer",
        [{"response_not_required": True}, {}, {"content": ""}, {"content": " "}, b"", b" \n"],
    )
    async def test_nothing_is_posted_for_an_answer_without_content(
        self,
        client: ApiClient,
        service: RecordingService,
        runtime: Runtime,
        bot: Person,
        owner: Person,
        answer: Any,
    ) -> None:
        service.answer = answer
        await write_to(client, owner, "hi", bot)
        await until_called(service)
        await until_settled(runtime)
        assert len(await messages_of(client, owner)) == 1


class TestFailures:
    @pytest.mark.any_database
    async def test_service_that_fails_is_called_again_later(
        self,
        client: ApiClient,
        service: RecordingService,
        runtime: Runtime,
        bot: Person,
        owner: Person,
        clock: MovableClock,
    ) -> None:
        service.failures, service.answer = 2, {"content": "at last"}
        await write_to(client, owner, "hi", bot)
        await until_called(service, 1)
        for count, seconds in ((2, 5), (3, 30)):
            await until_postponed(runtime)
            retry(runtime, clock, seconds)
            await until_called(service, count)
        assert (await newest(client, owner, 2))["content"] == "at last"

    @pytest.mark.any_database
    async def test_owner_is_told_after_the_last_try(
        self,
        client: ApiClient,
        service: RecordingService,
        runtime: Runtime,
        bot: Person,
        owner: Person,
        member: Person,
        clock: MovableClock,
    ) -> None:
        service.failures = 100
        await write_to(client, owner, "hi", bot)
        for count, seconds in ((1, 5), (2, 30), (3, 120), (4, 0)):
            await until_called(service, count)
            if seconds:
                await until_postponed(runtime)
            retry(runtime, clock, seconds)
        notice = await newest(client, member, 1)
        assert notice["type"] == "private"
        assert "The service of your bot helper was called" in notice["content"]
        assert "it responded with status 503" in notice["content"]
        await until_settled(runtime)
        assert len(service.calls) == 4
        assert len(await messages_of(client, owner)) == 1

    @pytest.mark.parametrize(
        ("status", "headers", "answer", "problem"),
        [
            (404, {}, {}, "it responded with status 404"),
            (302, {"location": "/elsewhere"}, {}, "it responded with status 302"),
            (200, {}, b"hello", "its answer is not valid JSON"),
            (200, {}, b"\xff", "its answer is not valid JSON"),
            (200, {}, [1], "its answer is not a JSON object"),
            (200, {}, {"content": 1}, "the content of its answer is not text"),
            (200, {}, {"content": "x" * 10_001}, "its answer is longer than 10000 characters"),
            (200, {}, b'"' + b"x" * 300_000 + b'"', "its response is larger than 262144 bytes"),
        ],
    )
    async def test_useless_answer_is_reported_to_the_owner_at_once(
        self,
        client: ApiClient,
        service: RecordingService,
        bot: Person,
        owner: Person,
        member: Person,
        status: int,
        headers: dict[str, str],
        answer: Any,
        problem: str,
    ) -> None:
        service.status, service.headers, service.answer = status, headers, answer
        await write_to(client, owner, "hi", bot)
        notice = await newest(client, member, 1)
        assert problem in notice["content"]
        assert len(service.calls) == 1

    @pytest.mark.any_database
    async def test_answer_that_may_not_be_posted_is_reported(
        self,
        client: ApiClient,
        service: RecordingService,
        bot: Person,
        owner: Person,
        member: Person,
        make_channel: MakeChannel,
    ) -> None:
        service.answer = {"content": "Hello"}
        channel = await make_channel("general", subscribers=[owner])
        group = {"direct_members": [owner.user_id], "direct_subgroups": []}
        assert_success(
            await client.patch(
                f"/streams/{channel.id}", owner, can_send_message_group={"new": group}
            )
        )
        await mention(client, owner, channel.id, "@**helper** hi")
        notice = await newest(client, member, 1)
        assert "its answer cannot be posted: Not authorized" in notice["content"]


class TestPrivateNetworks:
    @pytest.fixture
    def settings(self, settings: Settings) -> Settings:
        return settings.model_copy(update={"outgoing_webhook_networks": ""})

    @pytest.mark.any_database
    @pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]"])
    async def test_service_in_a_private_network_is_not_called(
        self,
        client: ApiClient,
        service: RecordingService,
        owner: Person,
        member: Person,
        host: str,
    ) -> None:
        port = service.url.rpartition(":")[2]
        bot = await add_bot(client, member, f"http://{host}:{port}")
        await write_to(client, owner, "hi", bot)
        notice = await newest(client, member, 1)
        assert "its address is in a private network" in notice["content"]
        assert service.calls == []


class TestTls:
    @pytest.fixture
    def authority(self, tmp_path: Path) -> PrivateAuthority:
        return PrivateAuthority(tmp_path)

    @pytest.fixture
    def settings(self, settings: Settings, authority: PrivateAuthority) -> Settings:
        return settings.model_copy(update={"outgoing_webhook_ca_file": str(authority.file)})

    async def test_service_with_a_certificate_of_the_added_authority_is_called(
        self, client: ApiClient, authority: PrivateAuthority, owner: Person, member: Person
    ) -> None:
        async with recording_service(authority.certify("localhost")) as service:
            service.answer = {"content": "Hello"}
            url = service.url.replace("127.0.0.1", "localhost")
            bot = await add_bot(client, member, url)
            await write_to(client, owner, "hi", bot)
            assert (await newest(client, owner, 2))["content"] == "Hello"
            assert len(service.calls) == 1

    async def test_owner_is_told_of_a_certificate_that_was_refused(
        self,
        client: ApiClient,
        runtime: Runtime,
        authority: PrivateAuthority,
        owner: Person,
        member: Person,
        clock: MovableClock,
    ) -> None:
        async with recording_service(authority.certify("other.example")) as service:
            bot = await add_bot(client, member, service.url.replace("127.0.0.1", "localhost"))
            await write_to(client, owner, "hi", bot)
            for seconds in (5, 30, 120):
                await until_postponed(runtime)
                retry(runtime, clock, seconds)
            notice = await newest(client, member, 1)
            assert "its certificate is not valid" in notice["content"]
            assert "'localhost'" in notice["content"]
            assert service.calls == []


class TestBots:
    @pytest.mark.any_database
    @pytest.mark.parametrize(
        ("params", "complaint"),
        [
            ({}, "Missing 'payload_url' argument"),
            ({"payload_url": "ftp://example.com"}, "payload_url"),
            ({"payload_url": "example.com"}, "payload_url"),
            ({"payload_url": "http://"}, "payload_url"),
            ({"payload_url": "https://user:password@example.com"}, "payload_url"),
            ({"payload_url": "https://example.com/" + "x" * 2000}, "payload_url"),
            ({"payload_url": "https://example.com", "interface_type": 2}, "interface_type 2"),
        ],
    )
    async def test_bad_service_is_refused(
        self, client: ApiClient, member: Person, params: dict[str, object], complaint: str
    ) -> None:
        response = await client.post(
            "/bots", member, full_name="x", short_name="x", bot_type=3, **params
        )
        assert complaint in assert_error(response)

    async def test_address_can_be_changed_and_the_owner_gets_an_event(
        self, client: ApiClient, member: Person, bot: Person, service: RecordingService
    ) -> None:
        listener = await listen(client, member, event_types=["realm_bot"], fetch_event_types=[])
        url = '"https://example.com/new"'
        path = f"/bots/{bot.user_id}"
        assert_success(await client.patch(path, member, service_payload_url=url))
        [event] = await listener.new_events()
        assert (event["op"], event["bot"]["user_id"]) == ("update", bot.user_id)
        assert event["bot"]["services"][0]["base_url"] == "https://example.com/new"
        for params in ({"service_payload_url": "x"}, {"service_interface": 2}):
            assert_error(await client.patch(path, member, **params))

    @pytest.mark.any_database
    async def test_generic_bot_has_no_service(self, client: ApiClient, member: Person) -> None:
        created = assert_success(
            await client.post("/bots", member, full_name="x", short_name="x", payload_url="")
        )
        response = await client.patch(
            f"/bots/{created['user_id']}", member, service_payload_url="https://example.com"
        )
        assert "service_payload_url" in assert_error(response)

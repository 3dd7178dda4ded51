"""Delivery of scheduled messages when they are due."""

import asyncio

import pytest

from chatapi.auth.runtime import Runtime
from chatapi.channel_cache.records import ChannelRecord
from chatapi.db.session import DatabaseSession
from chatapi.features.messages.deliveries.preparation import prepare
from chatapi.features.messages.deliveries.writer import DeliveryWriter, Outcome
from chatapi.features.messages.repository import DueRepository
from tests.factories import MakeChannel, Person
from tests.features.channels.channels import unsubscribe
from tests.features.messages.fetch.conversations import ids_read, read, show, unread_ids
from tests.features.messages.scheduled.scheduling import (
    SCHEDULED,
    contents_read,
    deliver_due,
    edit,
    pass_an_hour,
    schedule,
    scheduled_of,
    to_channel,
    to_people,
)
from tests.features.uploads.files import is_open_to, upload
from tests.support.apps import StartApp
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.listening import listen
from tests.support.responses import assert_success


class TestSending:
    async def test_waits_for_its_time(
        self,
        client: ApiClient,
        runtime: Runtime,
        clock: MovableClock,
        channel: ChannelRecord,
        owner: Person,
        member: Person,
        at: int,
    ) -> None:
        scheduled_id = await schedule(client, member, to_channel(channel), at, content="*Hi*")
        types = ["message", "scheduled_messages"]
        theirs = await listen(client, owner, event_types=types, apply_markdown=True)
        mine = await listen(client, member, event_types=types)
        clock.advance(seconds=3599)
        await deliver_due(runtime)
        assert await mine.new_events() == []
        clock.advance(seconds=1)
        await deliver_due(runtime)
        [event] = await theirs.new_events()
        message = event["message"]
        assert message["sender_id"] == member.user_id
        assert (message["stream_id"], message["subject"]) == (channel.id, "greetings")
        assert (message["content"], message["timestamp"]) == ("<p><em>Hi</em></p>", at)
        sent, removed = await mine.new_events()
        assert sent["message"]["id"] == message["id"]
        assert (removed["type"], removed["op"]) == ("scheduled_messages", "remove")
        assert removed["scheduled_message_id"] == scheduled_id
        assert await scheduled_of(client, member) == []
        await deliver_due(runtime)
        assert await ids_read(client, owner) == [message["id"]]

    async def test_direct_message(
        self,
        client: ApiClient,
        runtime: Runtime,
        clock: MovableClock,
        owner: Person,
        member: Person,
        at: int,
    ) -> None:
        await schedule(client, member, to_people(owner), at)
        await pass_an_hour(runtime, clock)
        [message] = (await read(client, owner))["messages"]
        people = {person["id"] for person in message["display_recipient"]}
        assert people == {owner.user_id, member.user_id}

    async def test_in_the_order_of_their_times(
        self, client: ApiClient, runtime: Runtime, clock: MovableClock, member: Person, at: int
    ) -> None:
        for minute in (3, 1, 2, 1):
            await schedule(client, member, to_people(member), at - 60 * minute, content=f"{minute}")
        await pass_an_hour(runtime, clock)
        assert await contents_read(client, member) == ["3", "2", "1", "1"]

    @pytest.mark.slow
    async def test_more_than_one_batch(
        self, client: ApiClient, runtime: Runtime, clock: MovableClock, member: Person, at: int
    ) -> None:
        many = [f"message {number}" for number in range(120)]
        for content in many:
            await schedule(client, member, to_people(member), at, content=content)
        await pass_an_hour(runtime, clock)
        found = await read(client, member, apply_markdown=False, num_before=1000)
        assert [message["content"] for message in found["messages"]] == many

    async def test_is_rendered_at_delivery(
        self,
        client: ApiClient,
        runtime: Runtime,
        clock: MovableClock,
        channel: ChannelRecord,
        owner: Person,
        member: Person,
        at: int,
    ) -> None:
        text = f"@**|{owner.user_id}**"
        await schedule(client, member, to_channel(channel), at, content=text)
        [scheduled] = await scheduled_of(client, member)
        assert f"@{owner.full_name}" in scheduled["rendered_content"]
        assert_success(await client.patch("/settings", owner, full_name="Somebody Else"))
        await pass_an_hour(runtime, clock)
        [message] = (await read(client, owner))["messages"]
        assert "@Somebody Else" in message["content"]
        assert "mentioned" in message["flags"]

    async def test_shows_the_files_it_links(
        self,
        client: ApiClient,
        runtime: Runtime,
        clock: MovableClock,
        channel: ChannelRecord,
        owner: Person,
        member: Person,
        at: int,
    ) -> None:
        url = await upload(client, member)
        await schedule(client, member, to_channel(channel), at, content=f"[file]({url})")
        assert not await is_open_to(client, owner, url)
        await pass_an_hour(runtime, clock)
        assert await is_open_to(client, owner, url)

    async def test_sender_follows_the_topic_by_their_setting(
        self,
        client: ApiClient,
        runtime: Runtime,
        clock: MovableClock,
        channel: ChannelRecord,
        member: Person,
        at: int,
    ) -> None:
        policy = {"automatically_follow_topics_policy": 1}
        assert_success(await client.patch("/settings", member, **policy))
        await schedule(client, member, to_channel(channel), at)
        listener = await listen(client, member, event_types=["user_topic"])
        await pass_an_hour(runtime, clock)
        [event] = await listener.new_events()
        assert (event["topic_name"], event["visibility_policy"]) == ("greetings", 3)

    @pytest.mark.parametrize(
        ("client_name", "to_oneself", "chosen", "is_unread"),
        [
            ("website", False, None, False),
            ("website", True, None, True),
            ("website", True, True, False),
            ("script", False, None, True),
            ("script", False, True, False),
            ("website", False, False, True),
        ],
    )
    async def test_is_read_by_its_sender_by_client_and_parameter(
        self,
        client: ApiClient,
        runtime: Runtime,
        clock: MovableClock,
        owner: Person,
        member: Person,
        at: int,
        *,
        client_name: str,
        to_oneself: bool,
        chosen: bool | None,
        is_unread: bool,
    ) -> None:
        client.http.headers["User-Agent"] = f"{client_name}/1.0"
        options = {} if chosen is None else {"read_by_sender": chosen}
        place = to_people(member if to_oneself else owner)
        await schedule(client, member, place, at, **options)
        await pass_an_hour(runtime, clock)
        [message_id] = await ids_read(client, member)
        assert (message_id in await unread_ids(client, member)) == is_unread
        assert (await show(client, member, message_id))["client"] == client_name

    async def test_edited_message_is_delivered_as_edited(
        self, client: ApiClient, runtime: Runtime, clock: MovableClock, member: Person, at: int
    ) -> None:
        scheduled_id = await schedule(client, member, to_people(member), at, content="Before")
        assert_success(await edit(client, member, scheduled_id, content="After"))
        await pass_an_hour(runtime, clock)
        assert await contents_read(client, member) == ["After"]

    async def test_removed_message_is_not_delivered(
        self, client: ApiClient, runtime: Runtime, clock: MovableClock, member: Person, at: int
    ) -> None:
        scheduled_id = await schedule(client, member, to_people(member), at)
        assert_success(await client.delete(f"{SCHEDULED}/{scheduled_id}", member))
        await pass_an_hour(runtime, clock)
        assert await ids_read(client, member) == []


class TestOnce:
    @pytest.mark.slow
    async def test_with_several_processes(
        self,
        client: ApiClient,
        start_app: StartApp,
        runtime: Runtime,
        clock: MovableClock,
        member: Person,
        at: int,
    ) -> None:
        others = [(await start_app()).runtime for _ in range(2)]
        contents = [f"message {number}" for number in range(30)]
        for content in contents:
            await schedule(client, member, to_people(member), at, content=content)
        clock.advance(hours=1)
        processes = (runtime, *others, runtime, *others)
        await asyncio.gather(*(deliver_due(process) for process in processes))
        assert await contents_read(client, member) == contents

    async def test_edit_during_delivery_is_not_lost(
        self, client: ApiClient, runtime: Runtime, clock: MovableClock, member: Person, at: int
    ) -> None:
        """A message is edited while a process is about to send it."""
        scheduled_id = await schedule(client, member, to_people(member), at, content="Before")
        async with DatabaseSession(runtime.database) as db:
            [record] = await DueRepository(db).list_due(clock.now().replace(year=2030), 10)
        prepared = await prepare(runtime, record)
        assert_success(await edit(client, member, scheduled_id, content="After"))
        writer = DeliveryWriter(runtime, prepared.realm)
        outcome = await runtime.group_committer.submit(
            prepared.realm.id, "deliveries", writer.write, prepared
        )
        assert outcome is Outcome.GONE
        assert await ids_read(client, member) == []
        [still] = await scheduled_of(client, member)
        assert still["content"] == "After"

    async def test_not_if_the_sender_lost_the_permission_meanwhile(
        self,
        client: ApiClient,
        start_app: StartApp,
        runtime: Runtime,
        clock: MovableClock,
        make_channel: MakeChannel,
        owner: Person,
        member: Person,
        at: int,
    ) -> None:
        """Decided in one process before a change that another one makes."""
        channel = await make_channel("team", subscribers=[owner, member], invite_only=True)
        await schedule(client, member, to_channel(channel), at)
        other = (await start_app()).runtime
        async with DatabaseSession(other.database) as db:
            [record] = await DueRepository(db).list_due(clock.now().replace(year=2030), 10)
        prepared = await prepare(other, record)
        assert_success(await unsubscribe(client, member, "team"))
        writer = DeliveryWriter(other, prepared.realm)
        results = await asyncio.gather(
            other.group_committer.submit(prepared.realm.id, "deliveries", writer.write, prepared),
            return_exceptions=True,
        )
        assert [type(result).__name__ for result in results] == ["StaleCallerError"]
        await pass_an_hour(other, clock)
        assert await ids_read(client, owner) == []
        assert [each["failed"] for each in await scheduled_of(client, member)] == [True]


class TestAfterDowntime:
    async def test_overdue_messages_are_delivered_on_start(
        self, client: ApiClient, start_app: StartApp, clock: MovableClock, member: Person, at: int
    ) -> None:
        await schedule(client, member, to_people(member), at)
        listener = await listen(client, member, event_types=["message"])
        clock.advance(hours=2)
        await start_app()
        [event] = await listener.next_events()
        assert event["message"]["timestamp"] == at + 3600

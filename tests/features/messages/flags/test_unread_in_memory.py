"""Unread messages of topics whose messages are in memory, which many readers share."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any, Literal

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.channel_cache.records import ChannelRecord
from chatapi.channel_cache.topic_messages import MOST_MESSAGES
from chatapi.core.ids import MessageId
from chatapi.core.roles import Role
from chatapi.core.settings import Settings
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.messages.fetch.conversations import (
    ids_read,
    mark,
    send,
    send_direct,
    unread_ids,
    unread_state,
)
from tests.features.messages.fetch.large_history import fill_topic
from tests.support.apps import running_app
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.responses import assert_success
from tests.support.statements import interrupted_statement, recorded_statements

FINDS_TOPICS = "AS position"
"""In the statement that finds topics with unread messages."""
READS_TOPICS = "AS marked"
"""In the statement that reads which messages topics have."""
READS_UNREAD = "conversation.topic AS topic"
"""In the statement that reads the unread messages of a single reader."""


@dataclass(frozen=True)
class Scene:
    """A topic with unread messages that one process has in memory, and another one never has."""

    client: ApiClient
    plain: ApiClient
    owner: Person
    reader: Person
    writer: Person
    channel: ChannelRecord
    other: ChannelRecord
    messages: list[MessageId]

    async def change(self, message_id: MessageId, **changes: object) -> None:
        quietly = {"send_notification_to_new_thread": False}
        changed = await self.client.patch(
            f"/messages/{message_id}", self.owner, **changes, **quietly
        )
        assert_success(changed)

    async def edit(self, message_id: MessageId, content: str) -> None:
        path = f"/messages/{message_id}"
        assert_success(await self.client.patch(path, self.writer, content=content))

    async def unread(self) -> dict[str, Any]:
        """What both processes say, and what their other reads say."""
        found = await unread_state(self.client, self.reader)
        assert found == await unread_state(self.plain, self.reader)
        unread = set(await ids_read(self.plain, self.reader, ["is", "unread"]))
        assert await unread_ids(self.client, self.reader) == unread
        mentions = set(await ids_read(self.plain, self.reader, ["is", "mentioned"]))
        assert set(found["mentions"]) == mentions & unread
        return found


@pytest.fixture
async def scene(
    client: ApiClient,
    settings: Settings,
    clock: MovableClock,
    reader: Person,
    writer: Person,
    general: ChannelRecord,
    make_user: MakeUser,
    make_channel: MakeChannel,
) -> AsyncIterator[Scene]:
    owner = await make_user(Role.OWNER)
    other = await make_channel("other", subscribers=[reader, writer, owner])
    uncached = settings.model_copy(update={"message_cache_mib": 0})
    async with AsyncExitStack() as stack:
        plain = ApiClient(await stack.enter_async_context(running_app(uncached, clock)))
        messages = [await send(client, writer, general) for _ in range(3)]
        scene = Scene(client, plain, owner, reader, writer, general, other, messages)
        assert (await scene.unread())["count"] == len(messages)
        yield scene
        await plain.aclose()


Change = Callable[[Scene], Awaitable[object]]


async def send_two_more(scene: Scene) -> None:
    for _ in range(2):
        await send(scene.client, scene.writer, scene.channel)


async def send_as_the_reader(scene: Scene) -> None:
    for is_read in (True, False):
        await send(scene.client, scene.reader, scene.channel, read_by_sender=is_read)
    await send(scene.client, scene.writer, scene.channel)


async def begin_a_topic(scene: Scene) -> None:
    await send(scene.client, scene.writer, scene.channel, "another topic")


async def spell_the_topic_differently(scene: Scene) -> None:
    await send(scene.client, scene.writer, scene.channel, "Greetings")


async def call_the_channel(scene: Scene) -> None:
    await send(scene.client, scene.writer, scene.channel, content="@**all** look")


async def call_those_who_took_part(scene: Scene) -> None:
    await send(scene.client, scene.writer, scene.channel, content="@**topic** before")
    await send(scene.client, scene.reader, scene.channel)
    await send(scene.client, scene.writer, scene.channel, content="@**topic** after")


async def mention_the_reader(scene: Scene) -> None:
    await send(scene.client, scene.writer, scene.channel, content="@**Reader** look")


async def edit_into_a_call_and_back(scene: Scene) -> None:
    await scene.edit(scene.messages[1], "@**all** look")
    assert (await scene.unread())["mentions"] == [scene.messages[1]]
    await scene.edit(scene.messages[1], "never mind")


async def edit_into_a_call(scene: Scene) -> None:
    await scene.edit(scene.messages[1], "@**all** look")


async def delete_one(scene: Scene) -> None:
    assert_success(await scene.client.delete(f"/messages/{scene.messages[1]}", scene.owner))


async def delete_the_last(scene: Scene) -> None:
    assert_success(await scene.client.delete(f"/messages/{scene.messages[2]}", scene.owner))


async def rename_the_topic(scene: Scene) -> None:
    await scene.change(scene.messages[0], topic="renamed", propagate_mode="change_all")


async def move_one_to_another_topic(scene: Scene) -> None:
    await scene.change(scene.messages[1], topic="elsewhere", propagate_mode="change_one")


async def move_an_older_one_into_the_topic(scene: Scene) -> None:
    later = await send(scene.client, scene.writer, scene.channel, "another topic")
    await scene.unread()
    await scene.change(scene.messages[0], topic="another topic", propagate_mode="change_one")
    assert later > scene.messages[0]


async def move_the_topic_to_another_channel(scene: Scene) -> None:
    await scene.change(scene.messages[0], stream_id=scene.other.id, propagate_mode="change_all")


async def read_the_topic(scene: Scene) -> None:
    path = "/mark_topic_as_read"
    params = {"stream_id": scene.channel.id, "topic_name": "greetings"}
    assert_success(await scene.client.post(path, scene.reader, **params))


async def read_the_first(scene: Scene) -> None:
    await mark(scene.client, scene.reader, scene.messages[0])


async def read_the_second(scene: Scene) -> None:
    """A read exception."""
    await mark(scene.client, scene.reader, scene.messages[1])


async def unsubscribe(scene: Scene) -> None:
    path = "/users/me/subscriptions"
    names = [scene.channel.name]
    assert_success(await scene.client.delete(path, scene.reader, subscriptions=names))


async def send_direct_messages(scene: Scene) -> None:
    await send_direct(scene.client, scene.writer, scene.reader)
    await send_direct(scene.client, scene.writer, scene.reader, scene.owner, content="@**all** hi")


CHANGES: list[Change] = [
    send_two_more,
    send_as_the_reader,
    begin_a_topic,
    spell_the_topic_differently,
    call_the_channel,
    call_those_who_took_part,
    mention_the_reader,
    edit_into_a_call,
    delete_one,
    delete_the_last,
    rename_the_topic,
    move_one_to_another_topic,
    move_an_older_one_into_the_topic,
    move_the_topic_to_another_channel,
    read_the_topic,
    read_the_first,
    read_the_second,
    unsubscribe,
    send_direct_messages,
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
async def test_change_is_shown_at_once(scene: Scene, change: Change) -> None:
    before = await scene.unread()
    await change(scene)
    after = await scene.unread()
    assert after != before
    await send(scene.client, scene.writer, scene.channel)
    await scene.unread()


async def test_call_that_is_edited_away_is_no_mention_any_more(scene: Scene) -> None:
    await edit_into_a_call_and_back(scene)
    assert (await scene.unread())["mentions"] == []


async def test_reader_who_has_read_less_than_another_gets_all(scene: Scene) -> None:
    """What the first reader needs of the topic is not enough for the second one."""
    sent = [await send(scene.client, scene.writer, scene.other) for _ in range(3)]
    await mark(scene.client, scene.reader, *sent[:2])
    for reader, unread in ((scene.reader, sent[2:]), (scene.owner, sent)) * 2:
        assert await unread_ids(scene.client, reader) - {*scene.messages} == {*unread}


@pytest.mark.parametrize("count", [MOST_MESSAGES - 4, MOST_MESSAGES - 3, MOST_MESSAGES + 10])
async def test_topic_with_more_messages_than_are_kept_is_listed_completely(
    scene: Scene, runtime: Runtime, realm: RealmRecord, count: int
) -> None:
    more = await fill_topic(runtime, realm, scene.writer, scene.messages[-1], count)
    for _ in range(3):
        expected = {*scene.messages, *more}
        assert await unread_ids(scene.client, scene.reader) == expected
        more.append(await send(scene.client, scene.writer, scene.channel))


async def test_long_topic_that_is_not_in_memory_is_listed_completely(
    scene: Scene, runtime: Runtime, realm: RealmRecord
) -> None:
    first = await send(scene.client, scene.writer, scene.other)
    more = await fill_topic(runtime, realm, scene.writer, first, MOST_MESSAGES + 10)
    for _ in range(2):
        assert await unread_ids(scene.client, scene.owner) == {first, *more}


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("change", [send_two_more, delete_the_last, move_one_to_another_topic])
async def test_change_while_a_client_registers_is_not_in_its_state(
    scene: Scene, runtime: Runtime, change: Change, moment: Literal["before", "after"]
) -> None:
    """Its events begin after the snapshot, and tell it of the change."""

    async def change_and_register() -> None:
        await change(scene)
        # This one has the change in memory.
        assert await unread_ids(scene.client, scene.reader) == set(
            await ids_read(scene.plain, scene.reader, ["is", "unread"])
        )

    with interrupted_statement(runtime.database, FINDS_TOPICS, change_and_register, moment=moment):
        assert await unread_ids(scene.client, scene.reader) == {*scene.messages}
    await scene.unread()


class TestCost:
    async def test_topics_are_read_once_for_all_readers(
        self, scene: Scene, runtime: Runtime
    ) -> None:
        await send(scene.client, scene.writer, scene.other)
        await unread_state(scene.client, scene.reader)
        with recorded_statements(runtime.database, READS_TOPICS) as statements:
            assert (await unread_state(scene.client, scene.owner))["count"] == 1
        assert statements == []

    async def test_reader_who_has_read_less_than_others_has_the_topic_read_once(
        self, scene: Scene, runtime: Runtime
    ) -> None:
        sent = [await send(scene.client, scene.writer, scene.other) for _ in range(3)]
        await mark(scene.client, scene.reader, *sent[:2])
        await unread_state(scene.client, scene.reader)
        with (
            recorded_statements(runtime.database, READS_TOPICS) as of_topics,
            recorded_statements(runtime.database, READS_UNREAD) as of_reader,
        ):
            for _ in range(3):
                assert await unread_ids(scene.client, scene.owner) == {*sent}
        assert (len(of_topics), len(of_reader)) == (1, 0)

    async def test_topic_with_more_messages_than_are_kept_is_not_read_again(
        self, scene: Scene, runtime: Runtime, realm: RealmRecord
    ) -> None:
        await fill_topic(runtime, realm, scene.writer, scene.messages[-1], MOST_MESSAGES)
        await unread_state(scene.client, scene.reader)
        with recorded_statements(runtime.database, READS_TOPICS) as statements:
            await unread_state(scene.client, scene.reader)
        assert statements == []

    async def test_only_new_messages_are_read_again(self, scene: Scene, runtime: Runtime) -> None:
        await send_two_more(scene)
        with recorded_statements(runtime.database, READS_TOPICS) as statements:
            for _ in range(3):
                assert (await unread_state(scene.client, scene.reader))["count"] == 5
        assert len(statements) == 1

"""The text of a deleted message is removed everywhere, also from queues not read yet."""

from typing import Any

import pytest
from sqlalchemy import select

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.channel_cache.records import ChannelRecord
from chatapi.db.models import EventRow
from chatapi.db.session import DatabaseSession
from chatapi.jobs.expired_messages import delete_expired_messages
from tests.factories import MakeChannel, Person
from tests.features.messages.delete.deleting import delete, delete_topic
from tests.features.messages.fetch.conversations import send, send_direct
from tests.features.realm.settings import change_realm
from tests.support.apps import StartApp
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.listening import Listener, listen
from tests.support.responses import assert_success
from tests.support.statements import statements_under_lock
from tests.support.waiting import catch_up_with_other_processes

SECRET = "the launch code is swordfish"
TYPES = ["message", "update_message", "delete_message"]


@pytest.fixture
async def general(make_channel: MakeChannel, owner: Person, member: Person) -> ChannelRecord:
    return await make_channel("general", subscribers=[owner, member])


@pytest.fixture
async def late(client: ApiClient, general: ChannelRecord, member: Person) -> Listener:
    """A client that reads its queue only after everything has happened."""
    return await listen(client, member, event_types=TYPES)


async def logged_bodies(runtime: Runtime) -> list[str]:
    async with DatabaseSession(runtime.database) as db:
        return list((await db.execute(select(EventRow.body))).scalars())


def types_of(events: list[dict[str, Any]]) -> list[str]:
    return [event["type"] for event in events]


async def send_and_edit(client: ApiClient, owner: Person, general: ChannelRecord) -> int:
    message_id = await send(client, owner, general, content=SECRET)
    path = f"/messages/{message_id}"
    assert_success(await client.patch(path, owner, content=f"{SECRET}!"))
    assert_success(await client.patch(path, owner, content="nothing"))
    return message_id


class TestDeletedMessage:
    async def test_text_leaves_the_log(
        self, client: ApiClient, runtime: Runtime, general: ChannelRecord, owner: Person
    ) -> None:
        message_id = await send_and_edit(client, owner, general)
        assert any("swordfish" in body for body in await logged_bodies(runtime))
        assert_success(await delete(client, owner, message_id))
        assert not [body for body in await logged_bodies(runtime) if "swordfish" in body]

    @pytest.mark.any_database
    async def test_late_poll_gets_the_deletion_only(
        self, client: ApiClient, general: ChannelRecord, owner: Person, late: Listener
    ) -> None:
        message_id = await send_and_edit(client, owner, general)
        kept = await send(client, owner, general, content="kept")
        assert_success(await delete(client, owner, message_id))
        events = await late.new_events()
        assert types_of(events) == ["message", "delete_message"]
        assert events[0]["message"]["id"] == kept
        assert events[1]["message_id"] == message_id

    async def test_late_poll_at_another_process_gets_the_deletion_only(
        self,
        client: ApiClient,
        start_app: StartApp,
        realm: RealmRecord,
        general: ChannelRecord,
        owner: Person,
        late: Listener,
    ) -> None:
        follower = await start_app()
        await follower.runtime.hub.feed(realm.id)
        message_id = await send_and_edit(client, owner, general)
        # It has the texts in memory before it receives the deletion.
        await catch_up_with_other_processes(follower.runtime, realm)
        assert_success(await delete(client, owner, message_id))
        await catch_up_with_other_processes(follower.runtime, realm)
        start = late.last_event_id
        for app in (follower, await start_app()):
            late.client, late.last_event_id = ApiClient(app), start
            assert types_of((await late.poll(dont_block=True))["events"]) == ["delete_message"]
            await late.client.aclose()

    async def test_texts_of_topics_and_direct_messages_are_removed(
        self,
        client: ApiClient,
        runtime: Runtime,
        general: ChannelRecord,
        owner: Person,
        member: Person,
        late: Listener,
    ) -> None:
        for _ in range(3):
            await send(client, owner, general, content=SECRET)
        direct = await send_direct(client, owner, member, content=SECRET)
        assert_success(await delete_topic(client, owner, general))
        assert_success(await delete(client, owner, direct))
        assert not [body for body in await logged_bodies(runtime) if "swordfish" in body]
        assert set(types_of(await late.new_events())) == {"delete_message"}

    async def test_texts_of_expired_messages_are_removed(
        self,
        client: ApiClient,
        runtime: Runtime,
        clock: MovableClock,
        general: ChannelRecord,
        owner: Person,
    ) -> None:
        await change_realm(client, owner, message_retention_days=1)
        await send_and_edit(client, owner, general)
        clock.advance(days=1, seconds=1)
        await delete_expired_messages(runtime)
        assert not [body for body in await logged_bodies(runtime) if "swordfish" in body]

    async def test_deleting_a_topic_takes_the_statements_of_deleting_a_message(
        self, client: ApiClient, runtime: Runtime, general: ChannelRecord, owner: Person
    ) -> None:
        costs = []
        for count in (1, 30):
            for _ in range(count):
                await send(client, owner, general, content=SECRET)
            with statements_under_lock(runtime.database) as statements:
                assert_success(await delete_topic(client, owner, general))
            costs.append(len([each for each in statements if each.startswith("UPDATE event")]))
        assert costs == [1, 1]


async def test_moved_message_keeps_its_text_for_users_with_access(
    client: ApiClient,
    make_channel: MakeChannel,
    general: ChannelRecord,
    owner: Person,
    member: Person,
) -> None:
    """For users without access to the target a move looks like a deletion; the message remains."""
    closed = await make_channel("closed", subscribers=[owner], invite_only=True)
    mine = await listen(client, owner, event_types=TYPES)
    others = await listen(client, member, event_types=TYPES)
    message_id = await send(client, owner, general, content=SECRET)
    assert_success(await client.patch(f"/messages/{message_id}", owner, stream_id=closed.id))
    assert types_of(await mine.new_events())[:2] == ["message", "update_message"]
    assert "delete_message" in types_of(await others.new_events())

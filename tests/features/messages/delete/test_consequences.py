"""What is deleted with a message, and the effects on its conversation."""

import pytest
from sqlalchemy import Index, PrimaryKeyConstraint, UniqueConstraint, func, select

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.ids import MessageId
from chatapi.core.settings import Settings
from chatapi.core.system_groups import SystemGroup
from chatapi.db.base import Base
from chatapi.db.models import Conversation, ConversationReadPosition, Message
from chatapi.db.session import DatabaseSession
from chatapi.features.messages.repository._deletion import (
    DEPENDENTS_OF_CONVERSATIONS,
    DEPENDENTS_OF_MESSAGES,
)
from chatapi.jobs.unclaimed_uploads import remove_unclaimed_uploads
from tests.factories import MakeChannel, Person
from tests.features.channels.channels import channel_of, subscribe
from tests.features.messages.delete.deleting import delete, topics_of
from tests.features.messages.edit.editing import edit
from tests.features.messages.fetch.conversations import (
    ids_read,
    mark,
    read,
    send,
    send_direct,
    unread_ids,
)
from tests.features.messages.reactions.reacting import react
from tests.features.realm.settings import allow
from tests.features.uploads.files import attachments_of, is_open_to, upload
from tests.support.apps import StartApp
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.listening import listen
from tests.support.responses import assert_success
from tests.support.waiting import until_true


async def count(runtime: Runtime, table: type[Base]) -> int:
    async with DatabaseSession(runtime.database) as db:
        return (await db.execute(select(func.count()).select_from(table))).scalar_one()


async def count_hanging(runtime: Runtime, table: type[Base], message_id: MessageId) -> int:
    """The rows that point at a message."""
    columns = table.__table__.c
    async with DatabaseSession(runtime.database) as db:
        rows = await db.execute(
            select(func.count()).select_from(table).where(columns.message_id == message_id)
        )
        return rows.scalar_one()


class TestDependentRows:
    def test_every_referencing_table_is_listed(self) -> None:
        """A table that references messages or conversations must declare the fate of its rows."""
        hanging = {
            Message.__tablename__: {table.__tablename__ for table in DEPENDENTS_OF_MESSAGES},
            Conversation.__tablename__: {
                Message.__tablename__,
                *(table.__tablename__ for table in DEPENDENTS_OF_CONVERSATIONS),
            },
        }
        pointing: dict[str, set[str]] = {name: set() for name in hanging}
        for table in Base.metadata.tables.values():
            for key in table.foreign_keys:
                if key.column.table.name in pointing:
                    pointing[key.column.table.name].add(table.name)
        assert pointing == hanging

    @pytest.mark.parametrize("table", [Message, Conversation])
    def test_every_reference_has_an_index(self, table: type[Base]) -> None:
        """Databases look up references on every row deletion, whether there are any or not."""
        for pointing in Base.metadata.tables.values():
            leading = {
                next(iter(each.columns)).name
                for each in (pointing.primary_key, *pointing.indexes, *pointing.constraints)
                if isinstance(each, Index | PrimaryKeyConstraint | UniqueConstraint)
            }
            for key in pointing.foreign_keys:
                if key.column.table is table.__table__:
                    assert key.parent.name in leading, pointing.name

    async def test_dependent_rows_are_deleted_with_the_message(
        self,
        client: ApiClient,
        make_channel: MakeChannel,
        runtime: Runtime,
        owner: Person,
        member: Person,
    ) -> None:
        channel = await make_channel(subscribers=[owner, member])
        url = await upload(client, owner)
        group = {"name": "cooks", "description": "", "members": [member.user_id]}
        assert_success(await client.post("/user_groups/create", owner, **group))
        content = f"[file]({url}) @**{member.full_name}** @*cooks* pineapple"
        first = await send(client, owner, channel)
        poll = '{"widget_type": "poll", "extra_data": {"question": "Pie?"}}'
        message_id = await send(client, owner, channel, content=content, widget_content=poll)
        last = await send(client, owner, channel)
        silently = {"send_notification_to_new_thread": False}
        assert_success(await edit(client, owner, message_id, topic="pies", **silently))
        assert_success(await react(client, member, message_id))
        await mark(client, member, message_id, flag="starred")
        await mark(client, member, first, message_id, last)
        await mark(client, member, message_id, op="remove")
        for table in DEPENDENTS_OF_MESSAGES:
            assert await count_hanging(runtime, table, message_id) == 1, table
        assert_success(await delete(client, owner, message_id))
        assert_success(await delete(client, owner, last))
        for table in DEPENDENTS_OF_MESSAGES:
            assert await count_hanging(runtime, table, message_id) == 0, table
        assert await unread_ids(client, member) == set()
        assert await ids_read(client, member, ["search", "pineapple"]) == []
        assert await ids_read(client, member, ["is", "starred"]) == []
        assert await ids_read(client, member, ["is", "mentioned"]) == []
        state = (await listen(client, member)).state
        assert (state["starred_messages"], state["max_message_id"]) == ([], first)
        own = assert_success(await client.get("/users/me", member))
        assert own["max_message_id"] == first

    @pytest.mark.any_database
    async def test_file_is_deleted_with_its_last_message(
        self,
        client: ApiClient,
        make_channel: MakeChannel,
        runtime: Runtime,
        settings: Settings,
        clock: MovableClock,
        owner: Person,
        member: Person,
    ) -> None:
        channel = await make_channel(subscribers=[owner, member])
        url = await upload(client, owner)
        one, other = [await send(client, owner, channel, content=f"[f]({url})") for _ in range(2)]
        clock.advance(days=settings.unclaimed_upload_days, seconds=1)
        listener = await listen(client, owner, event_types=["attachment"])
        assert_success(await delete(client, owner, one))
        await remove_unclaimed_uploads(runtime)
        assert await is_open_to(client, member, url)
        [event] = await listener.new_events()
        assert (event["op"], event["attachment"]["message_ids"]) == ("update", [other])
        assert_success(await delete(client, owner, other))
        assert not await is_open_to(client, member, url)
        assert await is_open_to(client, owner, url)
        await remove_unclaimed_uploads(runtime)
        assert [each["op"] for each in await listener.new_events()] == ["update", "remove"]
        assert (await attachments_of(client, owner))["attachments"] == []


class TestConversations:
    @pytest.mark.any_database
    async def test_first_and_last_message_are_updated(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person
    ) -> None:
        channel = await make_channel(subscribers=[owner])
        ids = [await send(client, owner, channel) for _ in range(4)]
        other = await send(client, owner, channel, topic="other")
        assert await topics_of(client, owner, channel) == ["other", "greetings"]
        for message_id in (ids[0], other):
            assert_success(await delete(client, owner, message_id))
        assert (await channel_of(client, owner, channel))["first_message_id"] == ids[1]
        assert await topics_of(client, owner, channel) == ["greetings"]
        assert_success(await delete(client, owner, ids[3]))
        response = assert_success(await client.get(f"/users/me/{channel.id}/topics", owner))
        assert response["topics"] == [{"name": "greetings", "max_id": ids[2]}]

    async def test_topic_ends_with_its_last_message_and_can_begin_again(
        self,
        client: ApiClient,
        make_channel: MakeChannel,
        runtime: Runtime,
        owner: Person,
        member: Person,
    ) -> None:
        channel = await make_channel(subscribers=[owner, member])
        message_id = await send(client, owner, channel, topic="Lunch")
        values = {"stream_id": channel.id, "topic_name": "lunch"}
        assert_success(await client.post("/mark_topic_as_read", member, **values))
        assert_success(await delete(client, owner, message_id))
        assert await topics_of(client, owner, channel) == []
        assert (await channel_of(client, owner, channel))["first_message_id"] is None
        assert [
            await count(runtime, table) for table in (Conversation, ConversationReadPosition)
        ] == [0, 0]
        again = await send(client, owner, channel, topic="lunch")
        assert again > message_id
        assert await topics_of(client, owner, channel) == ["lunch"]
        assert await unread_ids(client, member) == {again}

    async def test_end_of_a_topic_is_seen_by_all_processes(
        self,
        client: ApiClient,
        start_app: StartApp,
        make_channel: MakeChannel,
        owner: Person,
        member: Person,
    ) -> None:
        """Each process caches conversations of topics, and the newest message."""
        channel = await make_channel(subscribers=[owner, member])
        elsewhere = ApiClient(await start_app())

        async def has_heard_of_it() -> bool:
            own = assert_success(await client.get("/users/me", owner))
            return bool(own["max_message_id"] == -1)

        for _ in range(3):
            ids = [await send(each, owner, channel) for each in (client, elsewhere, client)]
            for message_id in ids:
                assert_success(await delete(elsewhere, owner, message_id))
        await until_true(has_heard_of_it)
        assert await topics_of(client, owner, channel) == []
        await elsewhere.aclose()

    async def test_direct_conversation_keeps_users_visible_without_messages(
        self, client: ApiClient, realm: RealmRecord, owner: Person, member: Person, guest: Person
    ) -> None:
        await allow(client, owner, realm, can_access_all_users_group=SystemGroup.MEMBERS)
        message_id = await send_direct(client, member, guest)
        assert_success(await delete(client, member, message_id))
        state = (await listen(client, guest)).state
        assert state["recent_private_conversations"] == []
        assert state["unread_msgs"]["count"] == 0
        assert_success(await client.get(f"/users/{member.user_id}", guest))
        again = await send_direct(client, member, guest)
        state = (await listen(client, guest)).state
        assert state["recent_private_conversations"] == [
            {"user_ids": [member.user_id], "max_message_id": again}
        ]
        found = await read(client, guest, ["dm", [member.user_id]])
        assert [message["id"] for message in found["messages"]] == [again]

    async def test_restarted_direct_conversation_has_its_new_first_message(
        self, client: ApiClient, runtime: Runtime, member: Person, guest: Person
    ) -> None:
        gone = await send_direct(client, member, guest)
        assert_success(await delete(client, member, gone))
        # Other messages are sent meanwhile, so the next id does not follow the last one.
        await send_direct(client, member, member)
        first, last = [await send_direct(client, member, guest) for _ in range(2)]
        async with DatabaseSession(runtime.database) as db:
            rows = await db.execute(
                select(Conversation.first_message_id, Conversation.last_message_id).where(
                    Conversation.last_message_id == last
                )
            )
            assert tuple(rows.one()) == (first, last)

    @pytest.mark.any_database
    async def test_new_subscribers_see_messages_sent_after_a_deletion(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, member: Person
    ) -> None:
        channel = await make_channel(
            subscribers=[owner], invite_only=True, history_public_to_subscribers=False
        )
        first, second = [await send(client, owner, channel) for _ in range(2)]
        assert_success(await delete(client, owner, second))
        assert_success(await subscribe(client, owner, channel.name, principals=[member.user_id]))
        third = await send(client, owner, channel)
        assert await ids_read(client, member, ["channel", channel.id]) == [third]
        assert first not in await ids_read(client, member)

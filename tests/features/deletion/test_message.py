"""DELETE /messages/{message_id}."""

import pytest
from sqlalchemy import func, select

from chatapi.auth.realms import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.ids import MAX_ID, MessageId
from chatapi.core.roles import Role
from chatapi.core.settings import Settings
from chatapi.core.system_groups import SystemGroup
from chatapi.db.base import Base
from chatapi.db.models import Conversation, Message, ReadCursor
from chatapi.db.session import DatabaseSession
from chatapi.features.deletion.repository import HANGING_ON_CONVERSATIONS, HANGING_ON_MESSAGES
from chatapi.jobs.unclaimed_uploads import remove_unclaimed_uploads
from tests import factories
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.channels.channels import channel_of, subscribe, unnamed
from tests.features.deletion.deleting import delete, topics_of
from tests.features.history.conversations import (
    ids_read,
    mark,
    read,
    send,
    send_direct,
    unread_ids,
)
from tests.features.reactions.reacting import react
from tests.features.realm.settings import allow, change_realm
from tests.features.uploads.files import attachments_of, is_open_to, upload
from tests.support.answers import assert_error, assert_success
from tests.support.apps import StartApp
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.leaving import leave
from tests.support.listening import listen
from tests.support.waiting import until_true

NOT_ALLOWED = "You don't have permission to delete this message"
TOO_LATE = "The time limit for deleting this message has passed"
INVALID = "Invalid message(s)"


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


class TestOwnMessages:
    async def test_are_gone(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, member: Person
    ) -> None:
        channel = await make_channel(subscribers=[owner, member])
        first, second = [await send(client, member, channel) for _ in range(2)]
        assert assert_success(await delete(client, member, second)) == {}
        assert await ids_read(client, owner, ["channel", channel.id]) == [first]
        assert assert_error(await client.get(f"/messages/{second}", owner)) == INVALID
        assert assert_error(await delete(client, member, second)) == INVALID

    async def test_of_ones_bots_count_as_own(
        self, client: ApiClient, make_channel: MakeChannel, make_user: MakeUser, member: Person
    ) -> None:
        channel = await make_channel(subscribers=[member])
        bot = await make_user(bot_owner=member)
        message_id = await send(client, bot, channel)
        other_id = await send(client, bot, channel)
        assert assert_error(await delete(client, await make_user(), message_id)) == NOT_ALLOWED
        assert_success(await delete(client, member, message_id))
        assert_success(await delete(client, bot, other_id))

    async def test_owners_messages_are_not_their_bots(
        self, client: ApiClient, make_user: MakeUser, member: Person, make_channel: MakeChannel
    ) -> None:
        channel = await make_channel(subscribers=[member])
        bot = await make_user(bot_owner=member)
        message_id = await send(client, member, channel)
        assert assert_error(await delete(client, bot, message_id)) == NOT_ALLOWED

    async def test_for_a_while_only(
        self,
        client: ApiClient,
        make_channel: MakeChannel,
        clock: MovableClock,
        owner: Person,
        member: Person,
    ) -> None:
        await change_realm(client, owner, message_content_delete_limit_seconds=100)
        channel = await make_channel(subscribers=[member])
        early, late, later = [await send(client, member, channel) for _ in range(3)]
        clock.advance(seconds=100)
        assert_success(await delete(client, member, early))
        clock.advance(seconds=1)
        assert assert_error(await delete(client, member, late)) == TOO_LATE
        await change_realm(client, owner, message_content_delete_limit_seconds="null")
        clock.advance(days=1000)
        assert_success(await delete(client, member, late))
        # Whoever may delete any message may take their time.
        await change_realm(client, owner, message_content_delete_limit_seconds=100)
        assert_success(await delete(client, owner, later))

    async def test_where_the_organization_or_the_channel_allows_it(
        self,
        client: ApiClient,
        make_channel: MakeChannel,
        realm: RealmRecord,
        owner: Person,
        member: Person,
        guest: Person,
    ) -> None:
        await allow(client, owner, realm, can_delete_own_message_group=SystemGroup.MODERATORS)
        channel = await make_channel(subscribers=[member, guest])
        message_id = await send(client, member, channel)
        direct_id = await send_direct(client, member, owner)
        assert assert_error(await delete(client, member, message_id)) == NOT_ALLOWED
        assert assert_error(await delete(client, member, direct_id)) == NOT_ALLOWED
        value = {"new": unnamed([member, guest])}
        path = f"/streams/{channel.id}"
        assert_success(await client.patch(path, owner, can_delete_own_message_group=value))
        assert_success(await delete(client, member, message_id))
        assert_success(await delete(client, guest, await send(client, guest, channel)))
        assert assert_error(await delete(client, member, direct_id)) == NOT_ALLOWED


class TestMessagesOfOthers:
    @pytest.mark.parametrize("role", [Role.OWNER, Role.ADMIN])
    async def test_are_for_administrators(
        self,
        client: ApiClient,
        make_channel: MakeChannel,
        make_user: MakeUser,
        clock: MovableClock,
        member: Person,
        role: Role,
    ) -> None:
        channel = await make_channel(subscribers=[member])
        message_id = await send(client, member, channel)
        clock.advance(days=1000)
        assert_success(await delete(client, await make_user(role), message_id))

    @pytest.mark.parametrize("role", [Role.MODERATOR, Role.MEMBER])
    async def test_are_not_for_others(
        self,
        client: ApiClient,
        make_channel: MakeChannel,
        make_user: MakeUser,
        member: Person,
        role: Role,
    ) -> None:
        channel = await make_channel(subscribers=[member])
        message_id = await send(client, member, channel)
        answer = await delete(client, await make_user(role), message_id)
        assert assert_error(answer) == NOT_ALLOWED
        assert await ids_read(client, member, ["channel", channel.id]) == [message_id]

    async def test_are_for_whom_the_organization_names(
        self,
        client: ApiClient,
        make_channel: MakeChannel,
        realm: RealmRecord,
        owner: Person,
        member: Person,
        guest: Person,
    ) -> None:
        await allow(client, owner, realm, can_delete_any_message_group=SystemGroup.MEMBERS)
        channel = await make_channel(subscribers=[owner, guest])
        message_id = await send(client, owner, channel)
        assert assert_error(await delete(client, guest, message_id)) == NOT_ALLOWED
        assert_success(await delete(client, member, message_id))
        assert_success(await delete(client, member, await send_direct(client, owner, member)))

    async def test_are_for_whom_the_channel_names(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, member: Person
    ) -> None:
        channel, elsewhere = await make_channel(), await make_channel()
        value = {"new": unnamed([member])}
        path = f"/streams/{channel.id}"
        assert_success(await client.patch(path, owner, can_delete_any_message_group=value))
        assert_success(await delete(client, member, await send(client, owner, channel)))
        answer = await delete(client, member, await send(client, owner, elsewhere))
        assert assert_error(answer) == NOT_ALLOWED
        answer = await delete(client, member, await send_direct(client, owner, member))
        assert assert_error(answer) == NOT_ALLOWED


class TestWhatOneMayNotSee:
    async def test_is_not_there(
        self,
        client: ApiClient,
        make_channel: MakeChannel,
        make_user: MakeUser,
        owner: Person,
        admin: Person,
        member: Person,
    ) -> None:
        channel = await make_channel(subscribers=[owner], invite_only=True)
        hidden = [
            await send(client, owner, channel),
            await send_direct(client, owner, member),
            MAX_ID,
        ]
        for message_id in hidden:
            assert assert_error(await delete(client, admin, message_id)) == INVALID
        assert assert_error(await delete(client, None, hidden[0]), "UNAUTHORIZED", 401)

    async def test_protected_history(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, admin: Person
    ) -> None:
        channel = await make_channel(
            subscribers=[owner], invite_only=True, history_public_to_subscribers=False
        )
        before = await send(client, owner, channel)
        assert_success(await subscribe(client, owner, channel.name, principals=[admin.user_id]))
        after = await send(client, owner, channel)
        assert assert_error(await delete(client, admin, before)) == INVALID
        assert_success(await delete(client, admin, after))

    async def test_whoever_left_has_lost_the_right(
        self,
        client: ApiClient,
        make_channel: MakeChannel,
        runtime: Runtime,
        realm: RealmRecord,
        member: Person,
    ) -> None:
        channel = await make_channel(subscribers=[member], invite_only=True)
        message_id = await send(client, member, channel)
        await leave(runtime, realm, member, channel)
        assert assert_error(await delete(client, member, message_id)) == INVALID

    async def test_archived_channels_stay_as_they_are(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person
    ) -> None:
        channel = await make_channel(subscribers=[owner])
        message_id = await send(client, owner, channel)
        assert_success(await client.delete(f"/streams/{channel.id}", owner))
        assert assert_error(await delete(client, owner, message_id)) == INVALID

    async def test_other_organizations(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, owner: Person
    ) -> None:
        message_id = await send_direct(client, owner, owner)
        other = await factories.make_realm(runtime, "Elsewhere", "elsewhere")
        stranger = await factories.make_user(runtime, other, Role.OWNER)
        client.http.base_url = "http://elsewhere.localhost"
        assert assert_error(await delete(client, stranger, message_id)) == INVALID
        client.http.base_url = f"http://{realm.subdomain}.localhost"
        assert await ids_read(client, owner) == [message_id]

    @pytest.mark.parametrize("message_id", [0, 2**63, 10**30])
    async def test_numbers_that_no_message_has(
        self, client: ApiClient, member: Person, message_id: int
    ) -> None:
        assert_error(await delete(client, member, message_id))


class TestWhatHangsOnAMessage:
    def test_is_listed(self) -> None:
        """A table that points at messages or conversations must say what becomes of its rows."""
        hanging = {
            Message.__tablename__: {table.__tablename__ for table in HANGING_ON_MESSAGES},
            Conversation.__tablename__: {
                Message.__tablename__,
                *(table.__tablename__ for table in HANGING_ON_CONVERSATIONS),
            },
        }
        pointing: dict[str, set[str]] = {name: set() for name in hanging}
        for table in Base.metadata.tables.values():
            for key in table.foreign_keys:
                if key.column.table.name in pointing:
                    pointing[key.column.table.name].add(table.name)
        assert pointing == hanging

    async def test_goes_with_it(
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
        message_id = await send(client, owner, channel, content="pear")
        edited = await client.patch(f"/messages/{message_id}", owner, content=content)
        assert_success(edited)
        last = await send(client, owner, channel)
        assert_success(await react(client, member, message_id))
        await mark(client, member, message_id, flag="starred")
        await mark(client, member, first, message_id, last)
        await mark(client, member, message_id, op="remove")
        for table in HANGING_ON_MESSAGES:
            assert await count_hanging(runtime, table, message_id) == 1, table
        assert_success(await delete(client, owner, message_id))
        assert_success(await delete(client, owner, last))
        for table in HANGING_ON_MESSAGES:
            assert await count_hanging(runtime, table, message_id) == 0, table
        assert await unread_ids(client, member) == set()
        assert await ids_read(client, member, ["search", "pineapple"]) == []
        assert await ids_read(client, member, ["is", "starred"]) == []
        assert await ids_read(client, member, ["is", "mentioned"]) == []
        state = (await listen(client, member)).state
        assert (state["starred_messages"], state["max_message_id"]) == ([], first)
        own = assert_success(await client.get("/users/me", member))
        assert own["max_message_id"] == first

    async def test_file_goes_with_its_last_message(
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
    async def test_know_their_first_and_last_message(
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
        answer = assert_success(await client.get(f"/users/me/{channel.id}/topics", owner))
        assert answer["topics"] == [{"name": "greetings", "max_id": ids[2]}]

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
        assert [await count(runtime, table) for table in (Conversation, ReadCursor)] == [0, 0]
        again = await send(client, owner, channel, topic="lunch")
        assert again > message_id
        assert await topics_of(client, owner, channel) == ["lunch"]
        assert await unread_ids(client, member) == {again}

    async def test_ends_for_all_processes(
        self,
        client: ApiClient,
        start_app: StartApp,
        make_channel: MakeChannel,
        owner: Person,
        member: Person,
    ) -> None:
        """Each of them remembers conversations of topics, and the newest message."""
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

    async def test_direct_ones_stay_for_who_knows_whom(
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

    async def test_newcomers_see_what_comes_after_a_deletion(
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

"""GET /messages/{message_id}/read_receipts."""

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.ids import MessageId
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.channels.channels import subscribe
from tests.features.messages.fetch.conversations import mark, send, send_direct
from tests.features.realm.settings import change_realm
from tests.support.account_changes import deactivate
from tests.support.client import ApiClient
from tests.support.responses import ApiResponse, assert_error, assert_success
from tests.support.unsubscribing import unsubscribe


async def ask(client: ApiClient, person: Person | None, message_id: MessageId) -> ApiResponse:
    return await client.get(f"/messages/{message_id}/read_receipts", person)


async def readers(client: ApiClient, person: Person, message_id: MessageId) -> list[int]:
    user_ids: list[int] = assert_success(await ask(client, person, message_id))["user_ids"]
    return user_ids


class TestReadReceipts:
    @pytest.mark.any_database
    async def test_anonymous_is_refused(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person
    ) -> None:
        channel = await make_channel(subscribers=[owner], is_web_public=True)
        message_id = await send(client, owner, channel)
        assert_error(await ask(client, None, message_id), "UNAUTHORIZED", 401)

    async def test_by_every_way_of_reading(
        self, client: ApiClient, make_channel: MakeChannel, make_user: MakeUser, owner: Person
    ) -> None:
        one, topic, channel_reader, everything, nothing, again = [
            await make_user() for _ in range(6)
        ]
        people = [owner, one, topic, channel_reader, everything, nothing, again]
        channel = await make_channel(subscribers=people)
        message_id = await send(client, owner, channel)
        later = await send(client, owner, channel)
        assert await readers(client, owner, message_id) == []
        await mark(client, one, message_id)
        await mark(client, again, message_id, later)
        await mark(client, again, message_id, op="remove")
        assert_success(await client.post("/mark_all_as_read", everything))
        place = {"stream_id": channel.id}
        assert_success(await client.post("/mark_stream_as_read", channel_reader, **place))
        assert_success(
            await client.post("/mark_topic_as_read", topic, topic_name="greetings", **place)
        )
        expected = [person.user_id for person in (one, topic, channel_reader, everything)]
        assert await readers(client, nothing, message_id) == sorted(expected)
        read_later = [person.user_id for person in (topic, channel_reader, everything, again)]
        assert await readers(client, owner, later) == sorted(read_later)

    async def test_of_direct_messages(
        self, client: ApiClient, make_user: MakeUser, owner: Person, member: Person
    ) -> None:
        other = await make_user()
        message_id = await send_direct(client, owner, member, other)
        await mark(client, other, message_id)
        await mark(client, owner, message_id)
        assert await readers(client, member, message_id) == [other.user_id]
        refusal = assert_error(await ask(client, await make_user(), message_id))
        assert refusal == "Invalid message(s)"

    async def test_can_be_switched_off(
        self, client: ApiClient, owner: Person, member: Person
    ) -> None:
        message_id = await send_direct(client, owner, member)
        await mark(client, member, message_id)
        assert await readers(client, owner, message_id) == [member.user_id]
        assert_success(await client.patch("/settings", member, send_read_receipts=False))
        assert await readers(client, owner, message_id) == []
        assert_success(await client.patch("/settings", member, send_read_receipts=True))
        assert await readers(client, owner, message_id) == [member.user_id]
        await change_realm(client, owner, enable_read_receipts=False)
        refusal = assert_error(await ask(client, owner, message_id))
        assert refusal == "Read receipts are disabled in this organization."

    async def test_omit_users_who_muted_the_reader(
        self, client: ApiClient, make_user: MakeUser, owner: Person, member: Person
    ) -> None:
        other = await make_user()
        message_id = await send_direct(client, owner, member, other)
        await mark(client, member, message_id)
        muting = f"/users/me/muted_users/{other.user_id}"
        assert await readers(client, other, message_id) == [member.user_id]
        assert_success(await client.post(muting, member))
        assert await readers(client, other, message_id) == []
        assert await readers(client, owner, message_id) == [member.user_id]
        assert_success(await client.post(f"/users/me/muted_users/{owner.user_id}", other))
        assert await readers(client, owner, message_id) == [member.user_id]

    async def test_list_recipients_only(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        make_channel: MakeChannel,
        make_user: MakeUser,
        owner: Person,
        member: Person,
    ) -> None:
        leaving, gone, late = [await make_user() for _ in range(3)]
        channel = await make_channel(subscribers=[owner, member, leaving, gone])
        message_id = await send(client, owner, channel)
        for person in (member, leaving, gone):
            await mark(client, person, message_id)
        assert_success(await subscribe(client, late, channel.name))
        await unsubscribe(runtime, realm, leaving, channel)
        await deactivate(runtime, realm, gone)
        assert await readers(client, owner, message_id) == [member.user_id]

    async def test_protected_history_stays_protected(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, member: Person
    ) -> None:
        channel = await make_channel(
            subscribers=[owner], invite_only=True, history_public_to_subscribers=False
        )
        message_id = await send(client, owner, channel)
        assert assert_error(await ask(client, member, message_id)) == "Invalid message(s)"
        joined = await subscribe(client, owner, channel.name, principals=[member.user_id])
        assert_success(joined)
        assert assert_error(await ask(client, member, message_id)) == "Invalid message(s)"
        assert await readers(client, owner, message_id) == []

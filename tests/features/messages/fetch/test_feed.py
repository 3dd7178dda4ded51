"""The feed of a reader: messages that came while the reader was subscribed."""

from chatapi.auth.runtime import Runtime
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.ids import MessageId
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.messages.fetch.conversations import ids_read, send
from tests.support.client import ApiClient
from tests.support.query_plans import captured_statements, explain
from tests.support.responses import assert_success


async def join(client: ApiClient, person: Person, channel: ChannelRecord) -> None:
    wanted = [{"name": channel.name}]
    assert_success(await client.post("/users/me/subscriptions", person, subscriptions=wanted))


async def move(
    client: ApiClient, mover: Person, message_id: MessageId, channel: ChannelRecord
) -> None:
    silently = dict.fromkeys(
        ("send_notification_to_old_thread", "send_notification_to_new_thread"), False
    )
    response = await client.patch(
        f"/messages/{message_id}",
        mover,
        stream_id=channel.id,
        propagate_mode="change_one",
        **silently,
    )
    assert_success(response)


async def test_has_older_messages_that_were_moved_to_a_channel_after_the_reader_joined(
    client: ApiClient, owner: Person, make_channel: MakeChannel, make_user: MakeUser
) -> None:
    here = await make_channel("here", subscribers=[owner])
    there = await make_channel("there", subscribers=[owner])
    moved_before = await send(client, owner, there, "t")
    await move(client, owner, moved_before, here)
    moved_later = await send(client, owner, there, "t")
    before = await send(client, owner, here, "t")
    late = await make_user()
    await join(client, late, here)
    after = await send(client, owner, here, "t")
    await move(client, owner, moved_later, here)
    everything = [moved_before, moved_later, before, after]
    assert await ids_read(client, late, ["channel", "here"], num_before=100) == everything
    assert await ids_read(client, late, num_before=100) == [moved_later, after]
    assert await ids_read(client, late, anchor="oldest", num_after=100) == [moved_later, after]


async def test_moved_messages_are_found_along_their_index(
    client: ApiClient,
    runtime: Runtime,
    owner: Person,
    make_channel: MakeChannel,
    make_user: MakeUser,
) -> None:
    here = await make_channel("here", subscribers=[owner])
    await send(client, owner, here, "t")
    late = await make_user()
    await join(client, late, here)
    with captured_statements(runtime.database, "message.arrival IS NOT NULL") as captured:
        await ids_read(client, late, num_before=100)
    [statement] = captured
    assert "ix_message_channel_id_id_moved" in await explain(runtime.database, *statement)

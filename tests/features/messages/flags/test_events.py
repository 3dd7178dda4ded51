"""update_message_flags events: for the user's own clients, and only after a change."""

from typing import Any

import pytest

from chatapi.channel_cache.records import ChannelRecord
from tests.factories import MakeUser, Person
from tests.features.messages.fetch.conversations import mark, send, send_direct
from tests.support.client import ApiClient
from tests.support.listening import Listener, listen

TYPES = ["update_message_flags"]


async def only_event(listener: Listener) -> dict[str, Any]:
    [event] = await listener.new_events()
    del event["id"]
    return event


@pytest.mark.any_database
@pytest.mark.parametrize("flag", ["read", "starred", "collapsed"])
async def test_adding_a_flag_emits_one_event_to_the_reader(
    client: ApiClient, general: ChannelRecord, reader: Person, writer: Person, flag: str
) -> None:
    message_id = await send(client, writer, general)
    own = [await listen(client, reader, event_types=TYPES) for _ in range(2)]
    others = await listen(client, writer, event_types=TYPES)
    for _ in range(2):
        await mark(client, reader, message_id, flag=flag)
    for listener in own:
        assert await only_event(listener) == {
            "type": "update_message_flags",
            "op": "add",
            "operation": "add",
            "flag": flag,
            "messages": [message_id],
            "all": False,
        }
    assert await others.new_events() == []


async def test_removing_a_flag_emits_one_event_to_the_reader(
    client: ApiClient, general: ChannelRecord, reader: Person, writer: Person
) -> None:
    message_id = await send(client, writer, general)
    await mark(client, reader, message_id, flag="starred")
    listener = await listen(client, reader, event_types=TYPES)
    for _ in range(2):
        await mark(client, reader, message_id, flag="starred", op="remove")
    assert await only_event(listener) == {
        "type": "update_message_flags",
        "op": "remove",
        "operation": "remove",
        "flag": "starred",
        "messages": [message_id],
        "all": False,
        "message_details": {},
    }


@pytest.mark.any_database
async def test_unread_event_includes_the_conversations(
    client: ApiClient,
    general: ChannelRecord,
    make_user: MakeUser,
    reader: Person,
    writer: Person,
) -> None:
    third = await make_user()
    mention = await send(client, writer, general, "", "@**Reader**")
    direct = await send_direct(client, writer, reader)
    group = await send_direct(client, writer, reader, third)
    to_self = await send_direct(client, reader, reader)
    ids = [mention, direct, group, to_self]
    await mark(client, reader, *ids)
    listeners = {
        topic: await listen(
            client, reader, event_types=TYPES, client_capabilities={"empty_topic_name": known}
        )
        for topic, known in {"": True, "general chat": False}.items()
    }
    await mark(client, reader, *ids, op="remove")
    for topic, listener in listeners.items():
        event = await only_event(listener)
        assert (event["op"], event["flag"], event["messages"]) == ("remove", "read", ids)
        assert event["message_details"] == {
            str(mention): {
                "type": "stream",
                "stream_id": general.id,
                "topic": topic,
                "unmuted_stream_msg": True,
                "mentioned": True,
            },
            str(direct): {"type": "private", "user_ids": [writer.user_id]},
            str(group): {"type": "private", "user_ids": [writer.user_id, third.user_id]},
            str(to_self): {"type": "private", "user_ids": []},
        }

"""`unmuted_stream_msg` of messages that became unread."""

from typing import Any

import pytest

from tests.factories import MakeChannel, Person
from tests.support.client import ApiClient
from tests.support.listening import listen
from tests.support.responses import assert_success


async def details_after_unreading(
    client: ApiClient, person: Person, message_id: int
) -> dict[str, Any]:
    listener = await listen(client, person, event_types=["update_message_flags"])
    change = {"messages": [message_id], "op": "remove", "flag": "read"}
    assert_success(await client.post("/messages/flags", person, **change))
    [event] = await listener.new_events()
    details: dict[str, Any] = event["message_details"][str(message_id)]
    return details


@pytest.mark.any_database
@pytest.mark.parametrize(
    ("is_channel_muted", "policy", "is_unmuted"),
    [
        (False, 0, True),
        (False, 1, False),
        (False, 3, True),
        (True, 0, False),
        (True, 2, True),
        (True, 3, True),
    ],
)
async def test_says_whether_the_topic_is_shown(
    client: ApiClient,
    member: Person,
    make_channel: MakeChannel,
    *,
    is_channel_muted: bool,
    policy: int,
    is_unmuted: bool,
) -> None:
    channel = await make_channel("team", subscribers=[member])
    sent = await client.post(
        "/messages", member, type="channel", to="team", topic="t", content="x", read_by_sender=True
    )
    message_id = assert_success(sent)["id"]
    mute = [{"stream_id": channel.id, "property": "is_muted", "value": is_channel_muted}]
    path = "/users/me/subscriptions/properties"
    assert_success(await client.post(path, member, subscription_data=mute))
    topic = {"stream_id": channel.id, "topic": "t", "visibility_policy": policy}
    assert_success(await client.post("/user_topics", member, **topic))
    details = await details_after_unreading(client, member, message_id)
    assert details == {
        "type": "stream",
        "stream_id": channel.id,
        "topic": "t",
        "unmuted_stream_msg": is_unmuted,
    }

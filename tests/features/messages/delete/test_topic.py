"""POST /streams/{stream_id}/delete_topic."""

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.roles import Role
from chatapi.features.messages.delete import service
from tests import factories
from tests.factories import MakeChannel, Person
from tests.features.channels.channels import subscribe, unnamed
from tests.features.messages.delete.deleting import (
    delete_topic,
    listen_to_deletions,
    told,
    topics_of,
)
from tests.features.messages.fetch.conversations import ids_read, send
from tests.support.client import ApiClient
from tests.support.responses import assert_error, assert_success


@pytest.mark.any_database
async def test_deletes_all_messages(
    client: ApiClient, make_channel: MakeChannel, owner: Person, member: Person
) -> None:
    channel, elsewhere = [await make_channel(subscribers=[owner, member]) for _ in range(2)]
    ids = [await send(client, person, channel) for person in (owner, member, owner)]
    kept = await send(client, owner, channel, topic="other")
    kept_elsewhere = await send(client, owner, elsewhere)
    listener = await listen_to_deletions(client, member)
    assert assert_success(await delete_topic(client, owner, channel, " GREETINGS ")) == {
        "complete": True
    }
    assert await ids_read(client, member) == [kept, kept_elsewhere]
    assert await topics_of(client, owner, channel) == ["other"]
    assert await told(listener) == [
        {
            "type": "delete_message",
            "message_ids": ids,
            "message_type": "stream",
            "stream_id": channel.id,
            "topic": "greetings",
        }
    ]
    assert assert_success(await delete_topic(client, owner, channel)) == {"complete": True}
    assert await told(listener) == []


@pytest.mark.any_database
async def test_empty_topic(client: ApiClient, make_channel: MakeChannel, owner: Person) -> None:
    channel = await make_channel(subscribers=[owner])
    await send(client, owner, channel, topic="")
    kept = await send(client, owner, channel)
    assert_success(await delete_topic(client, owner, channel, "general chat"))
    assert await ids_read(client, owner) == [kept]


async def test_is_split_into_short_transactions(
    client: ApiClient, make_channel: MakeChannel, owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "AT_ONCE", 2)
    channel = await make_channel(subscribers=[owner])
    ids = [await send(client, owner, channel) for _ in range(5)]
    listener = await listen_to_deletions(client, owner)
    assert assert_success(await delete_topic(client, owner, channel)) == {"complete": True}
    found = [event["message_ids"] for event in await told(listener)]
    assert found == [ids[3:], ids[1:3], ids[:1]]
    assert await topics_of(client, owner, channel) == []


@pytest.mark.any_database
async def test_reports_incomplete_deletion(
    client: ApiClient, make_channel: MakeChannel, owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "AT_ONCE", 2)
    monkeypatch.setattr(service, "MAX_SECONDS", 0.0)
    channel = await make_channel(subscribers=[owner])
    ids = [await send(client, owner, channel) for _ in range(5)]
    responses = []
    left = []
    for _ in range(3):
        responses.append(assert_success(await delete_topic(client, owner, channel))["complete"])
        left.append(await ids_read(client, owner))
    assert responses == [False, False, True]
    assert left == [ids[:3], ids[:1], []]


@pytest.mark.any_database
async def test_users_named_by_the_channel_may_delete(
    client: ApiClient, make_channel: MakeChannel, owner: Person, member: Person
) -> None:
    channel = await make_channel(subscribers=[owner, member])
    message_id = await send(client, member, channel)
    refusal = assert_error(await delete_topic(client, member, channel), "UNAUTHORIZED_PRINCIPAL")
    assert refusal == "You don't have permission to delete this topic"
    assert await ids_read(client, member) == [message_id]
    value = {"new": unnamed([member])}
    path = f"/streams/{channel.id}"
    assert_success(await client.patch(path, owner, can_delete_any_message_group=value))
    assert_success(await delete_topic(client, member, channel))
    assert await ids_read(client, member) == []


async def test_protected_history_stays_protected(
    client: ApiClient, make_channel: MakeChannel, owner: Person, admin: Person
) -> None:
    channel = await make_channel(
        subscribers=[owner], invite_only=True, history_public_to_subscribers=False
    )
    before = await send(client, owner, channel)
    assert_success(await subscribe(client, owner, channel.name, principals=[admin.user_id]))
    after = await send(client, owner, channel)
    old_hand, newcomer = [await listen_to_deletions(client, person) for person in (owner, admin)]
    assert assert_success(await delete_topic(client, admin, channel)) == {"complete": True}
    assert await ids_read(client, owner, ["channel", channel.id]) == [before]
    for listener in (old_hand, newcomer):
        assert [event["message_ids"] for event in await told(listener)] == [[after]]


@pytest.mark.any_database
async def test_unknown_channels(
    client: ApiClient,
    make_channel: MakeChannel,
    runtime: Runtime,
    realm: RealmRecord,
    owner: Person,
    admin: Person,
    guest: Person,
) -> None:
    private = await make_channel(subscribers=[owner], invite_only=True)
    public = await make_channel(subscribers=[owner])
    for person, channel in ((admin, private), (guest, private), (guest, public)):
        response = await delete_topic(client, person, channel)
        assert assert_error(response) == "Invalid channel ID"
    other = await factories.make_realm(runtime, "Elsewhere", "elsewhere")
    stranger = await factories.make_user(runtime, other, Role.OWNER)
    client.http.base_url = "http://elsewhere.localhost"
    assert assert_error(await delete_topic(client, stranger, public)) == "Invalid channel ID"


@pytest.mark.any_database
async def test_archived_channels_refuse_deletions(
    client: ApiClient, make_channel: MakeChannel, owner: Person
) -> None:
    channel = await make_channel(subscribers=[owner])
    message_id = await send(client, owner, channel)
    assert_success(await client.delete(f"/streams/{channel.id}", owner))
    assert assert_error(await delete_topic(client, owner, channel)) == "Channel is archived"
    assert message_id in await ids_read(client, owner, ["channel", channel.id])


@pytest.mark.any_database
@pytest.mark.parametrize("topic", ["x" * 61, "a\0b"])
async def test_invalid_topics(
    client: ApiClient, make_channel: MakeChannel, owner: Person, topic: str
) -> None:
    response = await delete_topic(client, owner, await make_channel(), topic)
    assert "topic_name" in assert_error(response)


@pytest.mark.any_database
async def test_topic_is_required(
    client: ApiClient, make_channel: MakeChannel, owner: Person
) -> None:
    channel = await make_channel()
    response = await client.post(f"/streams/{channel.id}/delete_topic", owner)
    assert assert_error(response) == "Missing 'topic_name' argument"

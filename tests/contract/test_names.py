"""Names and topics mean the same, and are refused alike, wherever a request takes one."""

from collections.abc import Awaitable, Callable, Mapping
from unicodedata import normalize

import pytest

from chatapi.channel_cache.records import ChannelRecord
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.channels.channels import subscribe
from tests.features.messages.fetch.conversations import ids_read, send, show
from tests.support.client import ApiClient
from tests.support.responses import ApiResponse, assert_error, assert_success

COMPOSED = normalize("NFC", "Café Ångström")
DECOMPOSED = normalize("NFD", COMPOSED)

Ask = Callable[[ApiClient, Person, ChannelRecord, int, str], Awaitable[ApiResponse]]


def asking(method: str, path: str, topic_parameter: str = "topic", **params: object) -> Ask:
    """A request about a topic of a channel in which there is a message."""

    async def ask(
        client: ApiClient, person: Person, channel: ChannelRecord, message_id: int, topic: str
    ) -> ApiResponse:
        values: Mapping[str, object] = {
            name: channel.id if value == "channel" else value for name, value in params.items()
        }
        call = {"POST": client.post, "PATCH": client.patch}[method]
        where = path.format(message_id=message_id, stream_id=channel.id)
        return await call(where, person, **values, **{topic_parameter: topic})

    return ask


async def draft(
    client: ApiClient, person: Person, channel: ChannelRecord, _message_id: int, topic: str
) -> ApiResponse:
    new = {"type": "stream", "to": [channel.id], "topic": topic, "content": "x"}
    return await client.post("/drafts", person, drafts=[new])


TOPIC_REQUESTS = {
    "send": asking("POST", "/messages", type="stream", to="channel", content="x"),
    "schedule": asking(
        "POST",
        "/scheduled_messages",
        type="stream",
        to="channel",
        content="x",
        scheduled_delivery_timestamp=4_000_000_000,
    ),
    "move": asking("PATCH", "/messages/{message_id}"),
    "visibility": asking("POST", "/user_topics", stream_id="channel", visibility_policy=1),
    "mute": asking("PATCH", "/users/me/subscriptions/muted_topics", stream_id="channel", op="add"),
    "typing": asking("POST", "/typing", type="stream", op="start", stream_id="channel"),
    "mark": asking("POST", "/mark_topic_as_read", "topic_name", stream_id="channel"),
    "delete": asking("POST", "/streams/{stream_id}/delete_topic", "topic_name"),
    "draft": draft,
}


@pytest.mark.any_database
@pytest.mark.parametrize("topic", ["a\u202eb", "a\nb", "a\x07b", "a\u200bb"])
@pytest.mark.parametrize("request_name", TOPIC_REQUESTS)
async def test_topic_with_invisible_characters_is_refused(
    client: ApiClient, owner: Person, make_channel: MakeChannel, request_name: str, topic: str
) -> None:
    channel = await make_channel("general", subscribers=[owner])
    message_id = await send(client, owner, channel)
    response = await TOPIC_REQUESTS[request_name](client, owner, channel, message_id, topic)
    assert "Invalid characters in topic" in assert_error(response)


@pytest.mark.parametrize("request_name", TOPIC_REQUESTS)
async def test_ordinary_topic_is_taken(
    client: ApiClient, owner: Person, make_channel: MakeChannel, request_name: str
) -> None:
    channel = await make_channel("general", subscribers=[owner])
    message_id = await send(client, owner, channel, topic="talk")
    assert_success(
        await TOPIC_REQUESTS[request_name](client, owner, channel, message_id, "talk ✔")
        if request_name != "delete"
        else await TOPIC_REQUESTS[request_name](client, owner, channel, message_id, "talk")
    )


class TestNormalForm:
    """A name typed on another keyboard is the same name."""

    @pytest.mark.any_database
    async def test_channel(self, client: ApiClient, owner: Person, member: Person) -> None:
        assert_success(await subscribe(client, owner, COMPOSED))
        joined = assert_success(await subscribe(client, member, DECOMPOSED))
        assert joined["subscribed"] == {str(member.user_id): [COMPOSED]}
        again = await client.post("/channels/create", owner, name=DECOMPOSED, subscribers=[])
        assert_error(again, "CHANNEL_ALREADY_EXISTS", 409)

    @pytest.mark.any_database
    async def test_topic(
        self, client: ApiClient, member: Person, make_channel: MakeChannel
    ) -> None:
        channel = await make_channel("general", subscribers=[member])
        first = await send(client, member, channel, topic=COMPOSED)
        second = await send(client, member, channel, topic=DECOMPOSED)
        assert (await show(client, member, second))["subject"] == COMPOSED
        narrow: list[list[object]] = [["channel", channel.id], ["topic", DECOMPOSED]]
        assert await ids_read(client, member, *narrow) == [first, second]

    @pytest.mark.any_database
    async def test_group(self, client: ApiClient, owner: Person) -> None:
        group = {"description": "", "members": []}
        assert_success(await client.post("/user_groups/create", owner, name=COMPOSED, **group))
        assert_error(await client.post("/user_groups/create", owner, name=DECOMPOSED, **group))

    @pytest.mark.any_database
    async def test_folder(self, client: ApiClient, owner: Person) -> None:
        folder = {"name": COMPOSED, "description": ""}
        assert_success(await client.post("/channel_folders/create", owner, **folder))
        folder["name"] = DECOMPOSED
        assert_error(await client.post("/channel_folders/create", owner, **folder))

    @pytest.mark.any_database
    @pytest.mark.parametrize("stored", [COMPOSED, DECOMPOSED], ids=["composed", "decomposed"])
    @pytest.mark.parametrize("typed", [COMPOSED, DECOMPOSED], ids=["composed", "decomposed"])
    async def test_mentioned_user(
        self,
        client: ApiClient,
        member: Person,
        make_user: MakeUser,
        make_channel: MakeChannel,
        stored: str,
        typed: str,
    ) -> None:
        named = await make_user(full_name=stored)
        channel = await make_channel("general", subscribers=[member])
        message_id = await send(client, member, channel, content=f"@**{typed}**")
        shown = await show(client, member, message_id)
        assert f'data-user-id="{named.user_id}"' in shown["content"]

    @pytest.mark.any_database
    async def test_address(self, client: ApiClient, owner: Person, make_user: MakeUser) -> None:
        await make_user(email=normalize("NFC", "josé@example.com"))
        new = {"full_name": "Another", "password": "correct horse battery"}
        response = await client.post(
            "/users", owner, email=normalize("NFD", "josé@example.com"), **new
        )
        assert "already in use" in assert_error(response)

    @pytest.mark.parametrize("letter", ["\ufb2c", "İ"])
    async def test_name_that_grows_in_normal_form_is_taken(
        self, client: ApiClient, owner: Person, letter: str
    ) -> None:
        assert_success(await subscribe(client, owner, letter * 60))
        group = {"description": "", "members": []}
        created = await client.post("/user_groups/create", owner, name=letter * 100, **group)
        assert_success(created)

"""Messages for tests of reading, sent and read the way clients do it."""

from typing import Any

from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.ids import MessageId
from tests.factories import Person
from tests.support.client import ApiClient
from tests.support.responses import ApiResponse, assert_success

Term = list[object] | dict[str, object]

AFTER_ALL = 10_000_000_000_000_000


async def send(
    client: ApiClient,
    sender: Person,
    channel: ChannelRecord,
    topic: str = "greetings",
    content: str = "Hello",
    **params: object,
) -> MessageId:
    sent = await client.post(
        "/messages", sender, type="channel", to=channel.id, topic=topic, content=content, **params
    )
    return MessageId(assert_success(sent)["id"])


async def send_direct(
    client: ApiClient, sender: Person, *others: Person, content: str = "Hello"
) -> MessageId:
    to = [person.user_id for person in others]
    sent = await client.post("/messages", sender, type="direct", to=to, content=content)
    return MessageId(assert_success(sent)["id"])


async def ask(
    client: ApiClient, reader: Person | None, *terms: Term, **params: object
) -> ApiResponse:
    """GET /messages; everything there is, unless the parameters say otherwise."""
    asked = {"anchor": "newest", "num_before": 100, "num_after": 0, **params}
    return await client.get("/messages", reader, narrow=list(terms), **asked)


async def read(
    client: ApiClient, reader: Person | None, *terms: Term, **params: object
) -> dict[str, Any]:
    return assert_success(await ask(client, reader, *terms, **params))


async def ids_read(
    client: ApiClient, reader: Person | None, *terms: Term, **params: object
) -> list[MessageId]:
    found = await read(client, reader, *terms, **params)
    return [message["id"] for message in found["messages"]]


async def show(
    client: ApiClient, reader: Person | None, message_id: MessageId, **params: object
) -> dict[str, Any]:
    response = assert_success(await client.get(f"/messages/{message_id}", reader, **params))
    message: dict[str, Any] = response["message"]
    return message


async def flags_of(client: ApiClient, reader: Person, message_id: MessageId) -> set[str]:
    return set((await show(client, reader, message_id))["flags"])


async def unread_ids(client: ApiClient, reader: Person) -> set[int]:
    """Everything that POST /register calls unread."""
    unread = await unread_state(client, reader)
    kinds = [*unread["pms"], *unread["streams"], *unread["huddles"]]
    ids = [number for each in kinds for number in each["unread_message_ids"]]
    assert len(ids) == len(set(ids)) == unread["count"]
    return set(ids)


async def unread_state(client: ApiClient, reader: Person, **params: object) -> dict[str, Any]:
    wanted = ["message", "update_message_flags"]
    response = await client.post("/register", reader, fetch_event_types=wanted, **params)
    unread: dict[str, Any] = assert_success(response)["unread_msgs"]
    return unread


async def mark(
    client: ApiClient, reader: Person, *message_ids: int, flag: str = "read", op: str = "add"
) -> dict[str, Any]:
    response = await client.post(
        "/messages/flags", reader, messages=list(message_ids), op=op, flag=flag
    )
    return assert_success(response)

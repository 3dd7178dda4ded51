"""A narrow treats a message the reader may not see like one that does not exist."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from chatapi.core.ids import MessageId
from chatapi.core.roles import Role
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.channels.channels import unsubscribe
from tests.features.messages.fetch.conversations import Term, ids_read, send, send_direct
from tests.support.client import ApiClient
from tests.support.responses import ApiResponse, assert_success

UNUSED = MessageId(1_000_000)
SECRET = "Meet me at the harbour http://example.com/"

FILTERS: list[Term] = [
    ["search", "harbour"],
    {"operator": "search", "operand": "harbour", "negated": True},
    {"operator": "search", "operand": "mountain", "negated": True},
    {"operator": "has", "operand": "reaction", "negated": True},
    {"operator": "is", "operand": "resolved", "negated": True},
    ["topic", "plans"],
    {"operator": "with", "operand": 1, "negated": True},
]

Hide = Callable[[ApiClient, MakeUser, MakeChannel, Person], Awaitable[MessageId]]
Ask = Callable[[ApiClient, Person, MessageId, Term], Awaitable[ApiResponse]]


async def _history(
    client: ApiClient, reader: Person, message_id: MessageId, term: Term
) -> ApiResponse:
    asked: dict[str, Any] = {"anchor": 0, "num_before": 0, "num_after": 1}
    return await client.get("/messages", reader, narrow=[["id", message_id], term], **asked)


async def _before(
    client: ApiClient, reader: Person, message_id: MessageId, term: Term
) -> ApiResponse:
    asked: dict[str, Any] = {"anchor": "newest", "num_before": 1, "num_after": 0}
    return await client.get("/messages", reader, narrow=[["id", message_id], term], **asked)


async def _date(
    client: ApiClient, reader: Person, message_id: MessageId, term: Term
) -> ApiResponse:
    asked: dict[str, Any] = {"anchor": "date", "anchor_date": "2000-01-01T00:00:00Z"}
    asked |= {"num_before": 1, "num_after": 1, "narrow": [["id", message_id], term]}
    return await client.get("/messages", reader, **asked)


async def _unread(
    client: ApiClient, reader: Person, message_id: MessageId, term: Term
) -> ApiResponse:
    asked: dict[str, Any] = {"anchor": "first_unread", "num_before": 1, "num_after": 1}
    return await client.get("/messages", reader, narrow=[["id", message_id], term], **asked)


async def _by_ids(
    client: ApiClient, reader: Person, message_id: MessageId, term: Term
) -> ApiResponse:
    return await client.get("/messages", reader, message_ids=[message_id], narrow=[term])


async def _matches(
    client: ApiClient, reader: Person, message_id: MessageId, term: Term
) -> ApiResponse:
    return await client.get("/messages/matches_narrow", reader, msg_ids=[message_id], narrow=[term])


async def _flags(
    client: ApiClient, reader: Person, message_id: MessageId, term: Term
) -> ApiResponse:
    asked: dict[str, Any] = {"anchor": "oldest", "num_before": 0, "num_after": 1}
    asked |= {"op": "add", "flag": "starred", "narrow": [["id", message_id], term]}
    return await client.post("/messages/flags/narrow", reader, **asked)


WAYS: list[Ask] = [_history, _before, _date, _unread, _by_ids, _matches, _flags]


async def _hidden_direct(
    client: ApiClient, make_user: MakeUser, _make_channel: MakeChannel, _reader: Person
) -> MessageId:
    sender = await make_user()
    return await send_direct(client, sender, await make_user(), content=SECRET)


async def _hidden_in_private_channel(
    client: ApiClient, make_user: MakeUser, make_channel: MakeChannel, reader: Person
) -> MessageId:
    sender = await make_user()
    secret = await make_channel("secret", invite_only=True, subscribers=[sender, reader])
    message_id = await send(client, sender, secret, "plans", SECRET)
    assert_success(await unsubscribe(client, reader, "secret"))
    return message_id


async def _hidden_by_protected_history(
    client: ApiClient, make_user: MakeUser, make_channel: MakeChannel, reader: Person
) -> MessageId:
    sender = await make_user()
    protected = await make_channel(
        "protected",
        invite_only=True,
        history_public_to_subscribers=False,
        subscribers=[sender],
    )
    message_id = await send(client, sender, protected, "plans", SECRET)
    added = await client.post(
        "/users/me/subscriptions",
        sender,
        subscriptions=[{"name": "protected"}],
        principals=[reader.user_id],
    )
    assert_success(added)
    return message_id


HIDDEN: list[Hide] = [_hidden_direct, _hidden_in_private_channel, _hidden_by_protected_history]


@pytest.mark.parametrize("hide", HIDDEN, ids=lambda hide: hide.__name__.strip("_"))
@pytest.mark.parametrize("role", [Role.OWNER, Role.GUEST])
async def test_narrow_to_hidden_message_responds_as_if_it_did_not_exist(
    client: ApiClient,
    make_user: MakeUser,
    make_channel: MakeChannel,
    hide: Hide,
    role: Role,
) -> None:
    reader = await make_user(role)
    hidden = await hide(client, make_user, make_channel, reader)
    for way in WAYS:
        for term in FILTERS:
            about_hidden = await way(client, reader, hidden, term)
            about_unused = await way(client, reader, UNUSED, term)
            assert about_hidden.status == about_unused.status == 200
            assert about_hidden.body == about_unused.body, (way.__name__, term)


async def test_name_of_hidden_channel_is_not_taken_for_its_id(
    client: ApiClient, make_channel: MakeChannel, owner: Person, guest: Person
) -> None:
    """Whether a number finds a channel must not reveal that a hidden channel has this name."""
    known = await make_channel("known", subscribers=[owner, guest])
    message_id = await send(client, owner, known)
    await make_channel(str(known.id), invite_only=True, subscribers=[owner])
    assert await ids_read(client, guest, ["channel", str(known.id)]) == [message_id]

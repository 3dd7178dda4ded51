"""Queues with a narrow, which receive some messages only."""

from typing import Any

import pytest

from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.ids import MessageId
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.messages.fetch.conversations import Term, send, send_direct
from tests.support.client import ApiClient
from tests.support.responses import assert_error, assert_success


@pytest.fixture
async def reader(make_user: MakeUser) -> Person:
    return await make_user(full_name="Reader")


@pytest.fixture
async def writer(make_user: MakeUser) -> Person:
    return await make_user(full_name="Writer")


@pytest.fixture
async def general(make_channel: MakeChannel, reader: Person, writer: Person) -> ChannelRecord:
    return await make_channel("general", subscribers=[reader, writer])


async def register(client: ApiClient, reader: Person, *terms: Term) -> dict[str, Any]:
    return assert_success(
        await client.post("/register", reader, event_types=["message"], narrow=list(terms))
    )


async def heard(client: ApiClient, reader: Person, queue: dict[str, Any]) -> set[MessageId]:
    events = await client.get(
        "/events",
        reader,
        queue_id=queue["queue_id"],
        last_event_id=queue["last_event_id"],
        dont_block=True,
    )
    return {each["message"]["id"] for each in events["events"]}


async def test_every_term_and_its_opposite(
    client: ApiClient,
    make_user: MakeUser,
    make_channel: MakeChannel,
    reader: Person,
    writer: Person,
    general: ChannelRecord,
) -> None:
    third = await make_user(full_name="Third")
    other = await make_channel("other", subscribers=[reader, writer])
    narrows: dict[str, Term] = {
        "channel": ["channel", "general"],
        "topic": ["topic", "GREETINGS"],
        "sender": ["sender", writer.email],
        "dm": ["dm", [writer.user_id]],
        "including": ["dm-including", writer.user_id],
        "group": ["group-pm-with", writer.email],
        "direct": ["is", "private"],
        "mentioned": ["is", "mentioned"],
        "unread": ["is", "unread"],
        "starred": ["is", "starred"],
        "resolved": ["is", "resolved"],
        "alerted": ["is", "alerted"],
        "id": ["id", 1],
    }
    assert_success(await client.post("/users/me/alert_words", reader, alert_words=["fire"]))
    queues = {name: await register(client, reader, term) for name, term in narrows.items()}
    opposites = {
        name: await register(
            client, reader, {"operator": term[0], "operand": term[1], "negated": True}
        )
        for name, term in narrows.items()
        if isinstance(term, list)
    }
    one = await send(client, writer, general, "Greetings")
    two = await send(client, reader, other, "✔ greetings", read_by_sender=True)
    three = await send(client, writer, other, content=f"fire @**Reader|{reader.user_id}**")
    four = await send_direct(client, writer, reader)
    five = await send_direct(client, writer, reader, third)
    everything = {one, two, three, four, five}
    expected: dict[str, set[MessageId]] = {
        "channel": {one},
        "topic": {one, three},
        "sender": {one, three, four, five},
        "dm": {four},
        "including": {four, five},
        "group": {five},
        "direct": {four, five},
        "mentioned": {three},
        "unread": {one, three, four, five},
        "starred": set(),
        "resolved": {two},
        "alerted": {three},
        "id": {one} & {MessageId(1)},
    }
    for name, ids in expected.items():
        assert await heard(client, reader, queues[name]) == ids, name
        assert await heard(client, reader, opposites[name]) == everything - ids, name


async def test_two_terms_both_hold(
    client: ApiClient, reader: Person, writer: Person, general: ChannelRecord
) -> None:
    queue = await register(client, reader, ["stream", general.id], ["topic", "x"])
    await send(client, writer, general, "y")
    found = await send(client, writer, general, "X")
    assert await heard(client, reader, queue) == {found}


async def test_other_events_are_not_filtered(client: ApiClient, reader: Person) -> None:
    queue = assert_success(await client.post("/register", reader, narrow=[["is", "dm"]]))
    assert_success(await client.patch("/settings", reader, enter_sends=True))
    events = await client.get(
        "/events",
        reader,
        queue_id=queue["queue_id"],
        last_event_id=queue["last_event_id"],
        dont_block=True,
    )
    assert events["events"]


@pytest.mark.any_database
@pytest.mark.parametrize(
    ("term", "desc"),
    [
        (["search", "x"], "search cannot be used for events"),
        (["near", 1], "near cannot be used for events"),
        (["with", 1], "with cannot be used for events"),
        (["channels", "public"], "channels cannot be used for events"),
        (["has", "link"], "has:link cannot be used for events"),
        (["is", "followed"], "is:followed cannot be used for events"),
        (["is", "muted"], "is:muted cannot be used for events"),
        (["channel", "nowhere"], "unknown channel nowhere"),
        (["colour", "red"], "unknown operator colour"),
        (["is", "green"], "unknown 'is' operand green"),
        (["id", "x"], "invalid message ID x"),
    ],
)
async def test_terms_not_decidable_for_a_new_message_are_refused(
    client: ApiClient, reader: Person, term: Term, desc: str
) -> None:
    response = await client.post("/register", reader, narrow=[term])
    assert assert_error(response, "BAD_REQUEST") == f"Invalid narrow operator: {desc}"


async def test_private_channels_of_others_are_unknown(
    client: ApiClient, make_channel: MakeChannel, reader: Person, writer: Person
) -> None:
    await make_channel("secret", subscribers=[writer], invite_only=True)
    response = await client.post("/register", reader, narrow=[["channel", "secret"]])
    refusal = assert_error(response, "BAD_REQUEST")
    assert refusal == "Invalid narrow operator: unknown channel secret"

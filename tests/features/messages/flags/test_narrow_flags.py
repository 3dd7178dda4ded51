"""Changing flags of the messages of a narrow."""

import asyncio
from typing import Any

import pytest
from sqlalchemy import select

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.channel_cache.records import ChannelRecord
from chatapi.db.models import MessageFlag
from chatapi.db.session import DatabaseSession
from chatapi.features.channels.params import ChangeChannelParams
from chatapi.features.channels.settings.service import ChannelService
from tests.factories import MakeChannel, Person, acting_as
from tests.features.messages.fetch.conversations import (
    Term,
    flags_of,
    mark,
    send,
    send_direct,
    unread_ids,
)
from tests.support.client import ApiClient
from tests.support.responses import ApiResponse, assert_error, assert_success
from tests.support.statements import statements_under_lock
from tests.support.waiting import until


async def ask(client: ApiClient, reader: Person, *terms: Term, **params: object) -> ApiResponse:
    asked = {
        "anchor": "newest",
        "num_before": 100,
        "num_after": 0,
        "op": "add",
        "flag": "read",
        **params,
    }
    return await client.post("/messages/flags/narrow", reader, narrow=list(terms), **asked)


async def change(
    client: ApiClient, reader: Person, *terms: Term, **params: object
) -> dict[str, Any]:
    return assert_success(await ask(client, reader, *terms, **params))


async def test_marks_what_is_in_the_narrow(
    client: ApiClient, reader: Person, writer: Person, general: ChannelRecord
) -> None:
    sent = [await send(client, writer, general, content=f"word {n}") for n in range(4)]
    direct = await send_direct(client, writer, reader, content="word")
    await mark(client, reader, sent[0])
    queue = assert_success(
        await client.post("/register", reader, event_types=["update_message_flags"])
    )
    changed = await change(client, reader, ["channel", "general"], ["search", "word"])
    assert changed == {
        "processed_count": 4,
        "updated_count": 3,
        "first_processed_id": sent[0],
        "last_processed_id": sent[3],
        "found_oldest": True,
        "found_newest": True,
        "ignored_because_not_subscribed_channels": [],
    }
    assert await unread_ids(client, reader) == {direct}
    events = await client.get(
        "/events",
        reader,
        queue_id=queue["queue_id"],
        last_event_id=queue["last_event_id"],
        dont_block=True,
    )
    assert [(each["op"], each["flag"], each["messages"]) for each in events["events"]] == [
        ("add", "read", sent[1:])
    ]


async def test_continues_from_the_last_processed_message(
    client: ApiClient, reader: Person, writer: Person, general: ChannelRecord
) -> None:
    sent = [await send(client, writer, general) for _ in range(5)]
    step = {"num_before": 0, "num_after": 2, "flag": "starred"}
    first = await change(client, reader, anchor="oldest", **step)
    assert (first["last_processed_id"], first["found_newest"]) == (sent[1], False)
    again = {"anchor": first["last_processed_id"], "include_anchor": False}
    second = await change(client, reader, **again, **step)
    assert (second["first_processed_id"], second["last_processed_id"]) == (sent[2], sent[3])
    assert second["processed_count"] == second["updated_count"] == 2
    starred = [number for number in sent if "starred" in await flags_of(client, reader, number)]
    assert starred == sent[:4]
    taken = await change(client, reader, ["is", "starred"], flag="starred", op="remove")
    assert taken["updated_count"] == 4


async def test_narrow_without_messages_changes_nothing(client: ApiClient, reader: Person) -> None:
    changed = await change(client, reader, anchor="first_unread", num_after=5)
    assert changed == {
        "processed_count": 0,
        "updated_count": 0,
        "first_processed_id": None,
        "last_processed_id": None,
        "found_oldest": True,
        "found_newest": True,
        "ignored_because_not_subscribed_channels": [],
    }


async def test_marking_unread_skips_unsubscribed_channels(
    client: ApiClient, make_channel: MakeChannel, reader: Person, writer: Person
) -> None:
    public = await make_channel("public", subscribers=[writer])
    await send(client, writer, public)
    changed = await change(client, reader, ["channel", "public"], op="remove")
    assert (changed["processed_count"], changed["updated_count"]) == (1, 0)
    assert changed["ignored_because_not_subscribed_channels"] == [public.id]


async def test_hidden_messages_are_never_marked(
    client: ApiClient, make_channel: MakeChannel, reader: Person, writer: Person
) -> None:
    secret = await make_channel("secret", subscribers=[writer], invite_only=True)
    hidden = await send(client, writer, secret)
    for terms in ([["id", hidden]], [["near", hidden]], []):
        changed = await change(client, reader, *terms, flag="starred")
        assert changed["processed_count"] == 0


@pytest.mark.parametrize(
    ("params", "msg"),
    [
        ({"flag": "mentioned"}, "Flag not editable: 'mentioned'"),
        ({"flag": "green"}, "Invalid flag: 'green'"),
        ({"anchor": "soon"}, "Invalid anchor"),
        ({"num_before": 3_000, "num_after": 2_001}, "Too many messages requested (maximum 5000)"),
    ],
)
async def test_invalid_parameters_are_refused(
    client: ApiClient, reader: Person, params: dict[str, object], msg: str
) -> None:
    assert assert_error(await ask(client, reader, **params)) == msg


class TestLock:
    """The work of a request while it holds the realm's lock."""

    async def test_messages_are_searched_before_the_lock(
        self, client: ApiClient, runtime: Runtime, reader: Person, general: ChannelRecord
    ) -> None:
        await send(client, reader, general, content="needle")
        with statements_under_lock(runtime.database) as statements:
            found = await change(client, reader, ["search", "needle"], flag="starred")
        assert found["updated_count"] == 1
        assert any("message_flag" in statement for statement in statements)
        assert not [statement for statement in statements if "_search" in statement]

    async def test_message_hidden_between_search_and_lock_is_not_marked(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        make_channel: MakeChannel,
        owner: Person,
        reader: Person,
    ) -> None:
        channel = await make_channel("open", subscribers=[owner])
        await send(client, owner, channel)
        closing = await acting_as(runtime, realm, owner)
        try:
            await closing.lock()
            asked = asyncio.ensure_future(
                change(client, reader, ["channel", "open"], flag="starred")
            )
            turn = runtime.database.writer_turn(realm.id)
            await until(lambda: turn.waiting > 0)
            private = ChangeChannelParams.model_validate({"is_private": True})
            await ChannelService(closing).change(channel.id, private)
            await closing.work.commit()
        finally:
            await closing.db.close()
        response = await asked
        assert (response["processed_count"], response["updated_count"]) == (0, 0)
        async with DatabaseSession(runtime.database) as db:
            assert (await db.execute(select(MessageFlag.message_id))).all() == []

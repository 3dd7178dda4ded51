"""The cost of marking messages: the same for ten and for thousands."""

import time

import pytest
from sqlalchemy import func, select

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.channel_cache.records import ChannelRecord
from chatapi.db.base import Base
from chatapi.db.models import ConversationReadPosition, ReadException
from chatapi.db.session import DatabaseSession
from tests.factories import Person
from tests.features.messages.fetch.conversations import mark, send, unread_ids
from tests.features.messages.fetch.large_history import fill_topic, update_statistics
from tests.support.client import ApiClient
from tests.support.listening import listen
from tests.support.responses import assert_success
from tests.support.statements import recorded_statements

MANY = 20_000


async def count_rows(runtime: Runtime, table: type[Base]) -> int:
    async with DatabaseSession(runtime.database) as db:
        return (await db.execute(select(func.count()).select_from(table))).scalar_one()


class TestMarking:
    @pytest.mark.slow
    @pytest.mark.parametrize("path", ["/mark_topic_as_read", "/mark_stream_as_read"])
    async def test_takes_the_same_statements_for_ten_and_for_thousands(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        general: ChannelRecord,
        reader: Person,
        writer: Person,
        path: str,
    ) -> None:
        target = {"stream_id": general.id, "topic_name": "greetings"}
        statements: list[int] = []
        times: list[float] = []
        for count in (10, MANY):
            first = await send(client, writer, general)
            ids = await fill_topic(runtime, realm, writer, first, count)
            listener = await listen(client, reader, event_types=["update_message_flags"])
            with recorded_statements(runtime.database, "read_") as recorded:
                began = time.process_time()
                assert_success(await client.post(path, reader, **target))
                times.append(time.process_time() - began)
            statements.append(len(recorded))
            [event] = await listener.new_events()
            assert event["messages"] == [first, *ids]
            assert await unread_ids(client, reader) == set()
        assert statements[0] == statements[1]
        # Generous, and CPU time: what is meant is that it does not take seconds.
        assert times[1] < 2
        assert await count_rows(runtime, ConversationReadPosition) <= 1
        assert await count_rows(runtime, ReadException) == 0

    async def test_one_by_one_in_order_leaves_no_read_exceptions(
        self,
        client: ApiClient,
        runtime: Runtime,
        general: ChannelRecord,
        reader: Person,
        writer: Person,
    ) -> None:
        ids = [await send(client, writer, general) for _ in range(6)]
        for message_id in ids[:4]:
            await mark(client, reader, message_id)
        assert await count_rows(runtime, ReadException) == 0
        await mark(client, reader, ids[5])
        assert await count_rows(runtime, ReadException) == 1
        await mark(client, reader, ids[4])
        assert await count_rows(runtime, ReadException) == 0
        assert await count_rows(runtime, ConversationReadPosition) == 1
        assert await unread_ids(client, reader) == set()

    @pytest.mark.slow
    async def test_thousands_of_ids_at_once(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        general: ChannelRecord,
        reader: Person,
        writer: Person,
    ) -> None:
        ids = await fill_topic(
            runtime, realm, writer, await send(client, writer, general), MANY - 1
        )
        assert (await mark(client, reader, *ids))["messages"] == ids
        # Connections of earlier tests may have prepared plans for empty tables.
        await update_statistics(runtime)
        assert await unread_ids(client, reader) == {ids[0] - 1}
        await mark(client, reader, ids[0] - 1)
        assert await count_rows(runtime, ReadException) == 0

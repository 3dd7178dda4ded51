"""The cost of reading: a few statements, and an index range for the newest messages."""

import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest
from sqlalchemy import event, text

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.channel_cache.records import ChannelRecord
from chatapi.db.database import Database
from tests.factories import MakeChannel, Person
from tests.features.messages.fetch.conversations import Term, ids_read, send
from tests.features.messages.fetch.large_history import fill_topic
from tests.support.client import ApiClient
from tests.support.statements import recorded_statements

CHANNEL: Term = ["channel", "general"]
TOPIC: Term = ["topic", "greetings"]
LONG_TOPIC: Term = ["topic", "annals"]


@pytest.fixture
async def large_history(
    client: ApiClient,
    runtime: Runtime,
    realm: RealmRecord,
    make_channel: MakeChannel,
    general: ChannelRecord,
    reader: Person,
    writer: Person,
) -> None:
    """Two short topics and one that has every third message, all older than another channel's."""
    other = await make_channel("other", subscribers=[reader, writer])
    topics = (
        (general, "greetings", 1_000),
        (general, "farewells", 1_000),
        (general, "annals", 8_000),
        (other, "x", 10_000),
    )
    for channel, topic, count in topics:
        first = await send(client, writer, channel, topic)
        await fill_topic(runtime, realm, writer, first, count)
    async with runtime.database.reader.connect() as connection:
        await connection.execute(text("ANALYZE"))


async def test_the_same_statements_for_one_message_and_for_a_hundred(
    client: ApiClient, runtime: Runtime, large_history: None, reader: Person
) -> None:
    await ids_read(client, reader, CHANNEL)
    counts = set()
    for number in (1, 100):
        with recorded_statements(runtime.database, "message") as recorded:
            await ids_read(client, reader, CHANNEL, TOPIC, num_before=number)
        counts.add(len(recorded))
    # The messages, their reactions, and the flags of the reader.
    assert counts == {3}


@pytest.mark.parametrize(
    ("terms", "index"),
    [
        ([CHANNEL], "ix_message_channel_id_id"),
        ([CHANNEL, TOPIC], "ix_message_conversation_id_id"),
        ([CHANNEL, LONG_TOPIC], "ix_message_conversation_id_id"),
    ],
)
async def test_the_newest_messages_are_one_range_of_an_index(
    client: ApiClient,
    runtime: Runtime,
    large_history: None,
    reader: Person,
    terms: list[Term],
    index: str,
) -> None:
    with captured_history_statement(runtime.database) as captured:
        assert len(await ids_read(client, reader, *terms)) == 100
    plan = await explain(runtime.database, *captured[0])
    assert index in plan
    assert "Sort" not in plan
    assert "TEMP B-TREE" not in plan


@pytest.mark.parametrize("terms", [[CHANNEL], [CHANNEL, LONG_TOPIC]])
async def test_date_anchor_is_found_without_reading_earlier_messages(
    client: ApiClient, runtime: Runtime, large_history: None, reader: Person, terms: list[Term]
) -> None:
    with captured_statements(runtime.database, "sent_at >=") as captured:
        await ids_read(client, reader, *terms, anchor="date", anchor_date="2026-03-01T12:00")
    assert captured
    for statement in captured:
        plan = await explain(runtime.database, *statement)
        assert re.search(r"[ .]id>|, id\) >= |id >= ", plan), plan
        assert "Seq Scan on message " not in plan


def captured_history_statement(
    database: Database,
) -> AbstractContextManager[list[tuple[str, Any]]]:
    """The statement that reads messages, with its parameters."""
    return captured_statements(database, "rendered_content")


@contextmanager
def captured_statements(database: Database, part: str) -> Iterator[list[tuple[str, Any]]]:
    """The statements that contain something, with their parameters."""
    captured: list[tuple[str, Any]] = []

    def capture(_connection: object, _cursor: object, sql: str, values: Any, *_rest: Any) -> None:
        if part in sql:
            captured.append((sql, values))

    engine = database.engine.sync_engine
    event.listen(engine, "before_cursor_execute", capture)
    try:
        yield captured
    finally:
        event.remove(engine, "before_cursor_execute", capture)


async def explain(database: Database, sql: str, values: Any) -> str:
    verb = "EXPLAIN QUERY PLAN" if database.is_sqlite else "EXPLAIN"
    async with database.reader.connect() as connection:
        rows = await connection.exec_driver_sql(f"{verb} {sql}", values)
        return "\n".join(" ".join(str(cell) for cell in row) for row in rows)

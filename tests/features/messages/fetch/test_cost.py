"""The cost of reading: a few statements, and an index range for the newest messages."""

import re
from typing import Any

import pytest
from sqlalchemy import false, insert, literal, select, true

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.channel_cache.records import ChannelRecord
from chatapi.db.models import Mention, Message, MessageFlag, ReadException, User
from chatapi.db.session import DatabaseSession
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.messages.fetch.conversations import Term, ids_read, send
from tests.features.messages.fetch.large_history import fill_topic, update_statistics
from tests.support.client import ApiClient
from tests.support.query_plans import (
    captured_history_statement,
    captured_statements,
    count_steps,
    explain,
    is_plan_kept,
)
from tests.support.statements import recorded_statements

CHANNEL: Term = ["channel", "general"]
TOPIC: Term = ["topic", "greetings"]
LONG_TOPIC: Term = ["topic", "annals"]
QUIET_CHANNEL: Term = ["channel", "quiet"]
_OTHERS = 10
"""Users who did something with a quarter of all messages."""


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
    await update_statistics(runtime)


@pytest.fixture
async def quiet_channel(
    client: ApiClient,
    runtime: Runtime,
    large_history: None,
    make_channel: MakeChannel,
    reader: Person,
    writer: Person,
) -> None:
    """With many flags, a plan for its one message costs less than one for any channel."""
    channel = await make_channel("quiet", subscribers=[reader, writer])
    await send(client, writer, channel, "greetings")
    async with DatabaseSession(runtime.database) as db, db.transaction():
        columns = ["user_id", "message_id", "starred", "collapsed"]
        starred = select(literal(writer.user_id), Message.id, true(), false())
        await db.execute(insert(MessageFlag).from_select(columns, starred))
    await update_statistics(runtime)


@pytest.fixture
async def statement_of_page_in_memory(
    client: ApiClient,
    runtime: Runtime,
    large_history: None,
    make_user: MakeUser,
    reader: Person,
) -> tuple[str, Any]:
    """The statement that reads what the reader did, beside all that other users did."""
    others = [(await make_user()).user_id for _ in range(_OTHERS)]
    async with DatabaseSession(runtime.database) as db, db.transaction():
        did = select(User.id, Message.id).join(Message, Message.id % 4 == 0)
        did = did.where(User.id.in_(others))
        of_message = ["user_id", "message_id"]
        await db.execute(insert(Mention).from_select(of_message, did))
        flags = did.add_columns(true(), false())
        names = [*of_message, "starred", "collapsed"]
        await db.execute(insert(MessageFlag).from_select(names, flags))
        exceptions = did.add_columns(Message.conversation_id, true())
        names = [*of_message, "conversation_id", "is_read"]
        await db.execute(insert(ReadException).from_select(names, exceptions))
    await update_statistics(runtime)
    for _ in range(2):
        await ids_read(client, reader, CHANNEL, TOPIC)
    with captured_statements(runtime.database, "AS bits") as captured:
        assert len(await ids_read(client, reader, CHANNEL, TOPIC)) == 100
    [statement] = captured
    return statement


async def test_states_of_a_page_in_memory_are_read_by_indexes(
    runtime: Runtime, statement_of_page_in_memory: tuple[str, Any]
) -> None:
    plan = await explain(runtime.database, *statement_of_page_in_memory)
    scan = "SCAN" if runtime.database.is_sqlite else "Seq Scan on"
    for table in ("read_exception", "message_flag", "message_mention"):
        assert table in plan
        assert f"{scan} {table}" not in plan


@pytest.mark.parametrize("backend", ["postgresql"], indirect=True)
async def test_states_of_a_page_in_memory_are_not_planned_for_each_request(
    runtime: Runtime, statement_of_page_in_memory: tuple[str, Any]
) -> None:
    assert await is_plan_kept(runtime.database, *statement_of_page_in_memory)


@pytest.mark.parametrize("number", [1, 100])
async def test_new_page_takes_few_statements_and_the_same_page_again_takes_one(
    client: ApiClient, runtime: Runtime, large_history: None, reader: Person, number: int
) -> None:
    await ids_read(client, reader, ["channel", "other"], num_before=1)
    counts = []
    for _ in range(2):
        with recorded_statements(runtime.database, "message") as recorded:
            await ids_read(client, reader, CHANNEL, TOPIC, num_before=number)
        counts.append(len(recorded))
    # The page, the texts, which are not in memory, and their reactions; later the page.
    assert counts == [3, 1]


@pytest.mark.parametrize("terms", [[CHANNEL], [CHANNEL, TOPIC]])
async def test_same_page_around_the_first_unread_message_takes_a_statement_for_each_part(
    client: ApiClient, runtime: Runtime, large_history: None, reader: Person, terms: list[Term]
) -> None:
    around = {"anchor": "first_unread", "num_before": 50, "num_after": 50}
    await ids_read(client, reader, *terms, **around)
    with recorded_statements(runtime.database, "message") as recorded:
        assert len(await ids_read(client, reader, *terms, **around)) >= 51
    # The anchor, and what is before and after it.
    assert len(recorded) == 3


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
    # PostgreSQL may sort the few rows that the reader has in other tables.
    assert "Sort Key: message" not in plan
    assert "TEMP B-TREE" not in plan


@pytest.mark.parametrize("backend", ["postgresql"], indirect=True)
@pytest.mark.parametrize(
    "terms", [[CHANNEL], [CHANNEL, LONG_TOPIC], [QUIET_CHANNEL], [QUIET_CHANNEL, TOPIC]]
)
async def test_page_is_not_planned_for_each_request(
    client: ApiClient,
    runtime: Runtime,
    large_history: None,
    quiet_channel: None,
    reader: Person,
    terms: list[Term],
) -> None:
    """Planning takes twice as long as reading the page."""
    with captured_history_statement(runtime.database) as captured:
        await ids_read(client, reader, *terms, num_before=20)
    [(sql, values)] = captured
    assert await is_plan_kept(runtime.database, sql, values)


@pytest.mark.parametrize("backend", ["postgresql"], indirect=True)
async def test_first_unread_message_of_all_is_not_planned_for_each_request(
    client: ApiClient, runtime: Runtime, large_history: None, quiet_channel: None, reader: Person
) -> None:
    """Apps open it first; planning takes several times as long as searching."""
    with captured_statements(runtime.database, "min(anon_1.id)") as captured:
        await ids_read(client, reader, anchor="first_unread", num_after=1)
    [(sql, values)] = captured
    assert await is_plan_kept(runtime.database, sql, values)


@pytest.mark.slow
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


class TestFeed:
    """The newest messages of all channels, in an organization with a long history."""

    @pytest.fixture(params=["sqlite"])
    def backend(self, request: pytest.FixtureRequest) -> str:
        """PostgreSQL uses the higher one of two bounds, and knows an empty list when it plans."""
        return str(request.param)

    @pytest.mark.parametrize("direction", ["num_before", "num_after"])
    async def test_is_read_from_the_anchor_on(
        self,
        client: ApiClient,
        runtime: Runtime,
        large_history: None,
        reader: Person,
        direction: str,
    ) -> None:
        anchor = (await ids_read(client, reader, num_before=100))[0]
        sides = {"num_before": 0, "num_after": 0, direction: 50}
        with captured_statements(runtime.database, "SELECT message.id \nFROM message") as captured:
            assert len(await ids_read(client, reader, anchor=str(anchor), **sides)) == 51
        assert captured
        for statement in captured:
            # About as many for each message of the page.
            assert await count_steps(runtime.database, *statement) < 51 * 100

    async def test_no_direct_messages_are_searched_for_a_reader_who_has_none(
        self, client: ApiClient, runtime: Runtime, large_history: None, reader: Person
    ) -> None:
        with captured_statements(runtime.database, "WHERE message.conversation_id IN") as captured:
            assert len(await ids_read(client, reader, num_before=100)) == 100
        assert not captured

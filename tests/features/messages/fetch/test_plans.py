"""Query plans of narrows: never a scan of all messages."""

from typing import Any

import pytest
from sqlalchemy import insert, text, update

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.ids import MessageId
from chatapi.db.models import Mention, Message, MessageFlag, Reaction
from chatapi.db.session import DatabaseSession
from tests.factories import MakeChannel, Person
from tests.features.messages.fetch.conversations import Term, ids_read, send, send_direct
from tests.features.messages.fetch.large_history import fill_topic, update_statistics
from tests.support.client import ApiClient
from tests.support.query_plans import (
    captured_history_statement,
    captured_statements,
    explain,
)

FULL_SCANS = (
    "Seq Scan on message ",
    "Seq Scan on message_search ",
    "SCAN message\n",
    "SCAN message USING",
)


@pytest.fixture
async def few(
    client: ApiClient,
    runtime: Runtime,
    realm: RealmRecord,
    make_channel: MakeChannel,
    general: ChannelRecord,
    reader: Person,
    writer: Person,
) -> list[MessageId]:
    """A few messages that match, among thousands that do not."""
    other = await make_channel("other", subscribers=[reader, writer])
    marked = [await send(client, writer, general, "✔ done", "A rare word") for _ in range(3)]
    direct = await send_direct(client, writer, reader)
    for channel, topic in ((general, "greetings"), (other, "x")):
        first = await send(client, writer, channel, topic)
        await fill_topic(runtime, realm, writer, first, 5_000)
    assert direct
    async with DatabaseSession(runtime.database) as db:
        await db.write()
        marks = dict.fromkeys(("has_link", "has_image", "has_attachment", "mentions_channel"), True)
        await db.execute(
            update(Message).where(Message.id.in_(marked)).values(sender_id=reader.user_id, **marks)
        )
        people = [{"user_id": reader.user_id, "message_id": each} for each in marked]
        notes = {"starred": True, "collapsed": False, "has_alert_word": True}
        await db.execute(insert(Mention), people)
        await db.execute(insert(MessageFlag), [{**each, **notes} for each in people])
        emoji = {"reaction_type": "unicode_emoji", "emoji_code": "1f389", "emoji_name": "tada"}
        await db.execute(insert(Reaction), [{**each, **emoji} for each in people])
        await db.commit()
    await update_statistics(runtime)
    return marked


@pytest.mark.parametrize(
    "term",
    [
        ["search", "rare"],
        ["search", "done"],
        ["is", "starred"],
        ["is", "resolved"],
        ["has", "link"],
        ["sender", 0],
        ["with", 0],
        *(
            pytest.param(term, marks=pytest.mark.slow)
            for term in (
                ["search", '"rare word"'],
                ["is", "mentioned"],
                ["is", "alerted"],
                ["has", "image"],
                ["has", "attachment"],
                ["id", 0],
                ["channel", "general"],
                ["is", "dm"],
            )
        ),
    ],
    ids=lambda term: ":".join(map(str, term)),
)
async def test_operators_read_few_rows(
    client: ApiClient,
    runtime: Runtime,
    few: list[MessageId],
    reader: Person,
    term: list[Any],
) -> None:
    operand = {"sender": reader.user_id, "id": few[0], "with": few[0]}.get(term[0], term[1])
    asked: Term = [term[0], operand]
    with captured_history_statement(runtime.database) as captured:
        assert await ids_read(client, reader, asked)
    assert captured
    for statement in captured:
        plan = await explain(runtime.database, *statement)
        assert not [scan for scan in FULL_SCANS if scan in f"{plan}\n"], plan


@pytest.mark.parametrize("term", [["id", 0], ["is", "starred"]], ids=lambda term: term[0])
async def test_channels_of_single_messages_are_found_without_a_scan(
    client: ApiClient,
    runtime: Runtime,
    few: list[MessageId],
    reader: Person,
    term: list[Any],
) -> None:
    asked: Term = ["id", few[0]] if term[0] == "id" else term
    with captured_statements(runtime.database, "DISTINCT message.channel_id") as captured:
        assert await ids_read(client, reader, asked)
    assert len(captured) == 1
    plan = await explain(runtime.database, *captured[0])
    assert not [scan for scan in FULL_SCANS if scan in f"{plan}\n"], plan
    assert "ix_message_realm_id_id (realm_id=?)" not in plan


async def test_word_that_is_in_no_topic_is_searched_in_texts_only(
    client: ApiClient, runtime: Runtime, few: list[MessageId], reader: Person
) -> None:
    """To find no message of such topics, SQLite would read all messages."""
    with captured_statements(runtime.database, "SELECT message.id \nFROM message") as captured:
        assert await ids_read(client, reader, ["search", "rare"]) == few
    [(statement, *_)] = captured
    assert "conversation_search" not in statement


async def test_the_newest_of_a_common_word_are_not_sorted(
    client: ApiClient, runtime: Runtime, few: list[MessageId], reader: Person
) -> None:
    with captured_history_statement(runtime.database) as captured:
        assert len(await ids_read(client, reader, ["search", "hello"], num_before=20)) == 20
    plan = await explain(runtime.database, *captured[0])
    assert "Sort" not in plan
    assert "TEMP B-TREE" not in plan


@pytest.mark.parametrize("backend", ["postgresql"], indirect=True)
async def test_matches_of_a_rare_word_are_not_looked_for_among_all_messages(
    client: ApiClient,
    runtime: Runtime,
    realm: RealmRecord,
    general: ChannelRecord,
    reader: Person,
    writer: Person,
) -> None:
    """Without statistics of a word, PostgreSQL expects it in one of 200 messages."""
    rare = await send(client, writer, general, content="A rare word")
    await fill_topic(runtime, realm, writer, rare, 10_000)
    await update_statistics(runtime)
    async with runtime.database.engine.begin() as connection:
        await connection.execute(
            text("DELETE FROM pg_statistic WHERE starelid = 'message_search'::regclass")
        )
    with captured_statements(runtime.database, "message_search") as captured:
        assert await ids_read(client, reader, ["search", "rare"], num_before=1) == [rare]
    assert captured
    for statement in captured:
        plan = await explain(runtime.database, *statement)
        assert "Merge Join" not in plan

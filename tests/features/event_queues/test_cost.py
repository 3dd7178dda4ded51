"""What a registration costs in statements, for users who have little and those who have more."""

from typing import Any

import pytest
from sqlalchemy import insert, literal, select

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.channel_cache.records import ChannelRecord
from chatapi.db.driver_statements import compile_for_driver
from chatapi.db.models import Mention, Message
from chatapi.db.session import DatabaseSession
from chatapi.read_state.repository._unread import BY_CONVERSATION
from tests.factories import MakeChannel, Person
from tests.features.messages.fetch.conversations import send
from tests.features.messages.fetch.large_history import fill_topic, update_statistics
from tests.support.client import ApiClient
from tests.support.query_plans import captured_statements, count_steps, is_plan_kept
from tests.support.responses import assert_success
from tests.support.statements import recorded_statements

POSITIONS, TOPICS = "AS position", "AS marked"
"""In the statements that find topics with unread messages, and that read their messages."""
MOST_STATEMENTS = 9
"""Of a user without drafts, snippets and the like, when what all users share is cached."""


@pytest.fixture
async def long_topic(
    client: ApiClient,
    runtime: Runtime,
    realm: RealmRecord,
    make_channel: MakeChannel,
    member: Person,
    owner: Person,
) -> ChannelRecord:
    """A channel whose topic `annals` has many messages."""
    channel = await make_channel("general", subscribers=[member, owner])
    first = await send(client, owner, channel, "annals")
    await fill_topic(runtime, realm, owner, first, 5_000)
    return channel


async def register(client: ApiClient, person: Person) -> dict[str, Any]:
    return assert_success(await client.post("/register", person))


async def test_user_with_no_rows_of_many_kinds_needs_few_statements(
    client: ApiClient, runtime: Runtime, member: Person
) -> None:
    await register(client, member)
    with recorded_statements(runtime.database, "") as statements:
        await register(client, member)
    # Beside it, the service itself reads how far the logs go.
    own = [each for each in statements if "realm_clock.realm_id =" not in each]
    assert len(own) < MOST_STATEMENTS, own


@pytest.mark.parametrize(
    ("path", "parameters", "section", "column"),
    [
        (
            "/saved_snippets",
            {"title": "Greeting", "content": "Hello"},
            "saved_snippets",
            "saved_snippet.title",
        ),
        (
            "/drafts",
            {
                "drafts": [
                    {
                        "type": "",
                        "to": [],
                        "topic": "",
                        "content": "Well",
                        "timestamp": 1_700_000_000,
                    }
                ]
            },
            "drafts",
            "draft.content",
        ),
        ("/users/me/alert_words", {"alert_words": ["tea"]}, "alert_words", "alert_word.word_key"),
    ],
)
async def test_kind_of_rows_is_read_once_the_user_has_one(
    client: ApiClient,
    runtime: Runtime,
    member: Person,
    path: str,
    parameters: dict[str, Any],
    section: str,
    column: str,
) -> None:
    with recorded_statements(runtime.database, column) as statements:
        assert (await register(client, member))[section] == []
    assert statements == []
    assert_success(await client.post(path, member, **parameters))
    with recorded_statements(runtime.database, column) as statements:
        assert len((await register(client, member))[section]) == 1
    assert len(statements) == 1


async def test_rows_of_others_are_not_read(
    client: ApiClient, runtime: Runtime, owner: Person, member: Person
) -> None:
    assert_success(await client.post("/users/me/alert_words", owner, alert_words=["tea"]))
    with recorded_statements(runtime.database, "alert_word.word_key") as statements:
        assert (await register(client, member))["alert_words"] == []
    assert statements == []


@pytest.mark.parametrize("backend", ["sqlite"], indirect=True)
async def test_read_messages_of_a_topic_with_a_few_unread_ones_are_not_read_again(
    client: ApiClient, runtime: Runtime, long_topic: ChannelRecord, member: Person, owner: Person
) -> None:
    """SQLite uses one of two lower bounds, not the higher one."""
    assert_success(await client.post("/mark_all_as_read", member))
    unread = [await send(client, owner, long_topic, "annals") for _ in range(3)]
    found = await register(client, member)
    assert found["unread_msgs"]["streams"][0]["unread_message_ids"] == unread
    statement = compile_for_driver(BY_CONVERSATION, runtime.database.engine.dialect)
    window = {"reader_id": member.user_id, "after": 0, "up_to": unread[-1]}
    steps = await count_steps(runtime.database, statement.sql, statement.arguments(window))
    assert steps < 5_000


@pytest.mark.parametrize("backend", ["sqlite"], indirect=True)
async def test_only_unread_messages_of_a_topic_are_read_into_memory(
    client: ApiClient, runtime: Runtime, long_topic: ChannelRecord, member: Person, owner: Person
) -> None:
    assert_success(await client.post("/mark_all_as_read", member))
    for _ in range(3):
        await send(client, owner, long_topic, "annals")
    with captured_statements(runtime.database, "conversation") as captured:
        await register(client, member)
    for part in (POSITIONS, TOPICS):
        [(sql, values)] = [each for each in captured if part in each[0]]
        assert await count_steps(runtime.database, sql, values) < 5_000


@pytest.mark.parametrize("part", [POSITIONS, TOPICS])
@pytest.mark.parametrize("backend", ["postgresql"], indirect=True)
async def test_statements_that_find_unread_messages_are_not_planned_for_each_registration(
    client: ApiClient, runtime: Runtime, long_topic: ChannelRecord, member: Person, part: str
) -> None:
    await update_statistics(runtime)
    with captured_statements(runtime.database, part) as captured:
        await register(client, member)
    [(sql, values)] = captured
    assert await is_plan_kept(runtime.database, sql, values)


@pytest.mark.parametrize("backend", ["postgresql"], indirect=True)
async def test_statement_that_finds_mentions_is_not_planned_for_each_registration(
    client: ApiClient, runtime: Runtime, long_topic: ChannelRecord, member: Person, owner: Person
) -> None:
    """A plan for a reader in few groups, with few unread messages, seems to cost less."""
    async with DatabaseSession(runtime.database) as db, db.transaction():
        everything = select(literal(owner.user_id), Message.id)
        await db.execute(insert(Mention).from_select(["user_id", "message_id"], everything))
    await update_statistics(runtime)
    assert_success(await client.post("/mark_all_as_read", member))
    await send(client, owner, long_topic, "annals")
    with captured_statements(runtime.database, "FROM message_mention") as captured:
        await register(client, member)
    [(sql, values)] = captured
    assert await is_plan_kept(runtime.database, sql, values)

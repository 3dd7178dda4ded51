"""Expensive requests of one account do not keep other accounts from being served."""

import asyncio

import pytest
from sqlalchemy import event

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.channel_cache.records import ChannelRecord
from chatapi.main import ChatApp
from tests.factories import MakeChannel, Person
from tests.features.messages.edit.editing import edit
from tests.features.messages.fetch.conversations import Term, ask, send
from tests.features.uploads.files import HELLO, open_file, upload
from tests.security.requests import Request, perform
from tests.security.seeding import add_edits, add_messages
from tests.support.client import ApiClient
from tests.support.responses import assert_error, assert_success
from tests.support.statements import held_driver_statements
from tests.support.waiting import until

CONNECTIONS = 8


@pytest.fixture
async def channel(make_channel: MakeChannel, member: Person, owner: Person) -> ChannelRecord:
    return await make_channel("general", subscribers=[member, owner])


@pytest.mark.slow
async def test_heavy_reads_of_one_account_leave_room_for_others(
    app: ChatApp,
    runtime: Runtime,
    realm: RealmRecord,
    client: ApiClient,
    channel: ChannelRecord,
    member: Person,
    owner: Person,
) -> None:
    """Eight searches at once do not take all turns, and another account is served meanwhile."""
    first = await send(client, member, channel, "long")
    text = ("cat " * 10_000)[:10_000]
    await add_messages(runtime, realm, member, first, [(text, f"<p>{text}</p>")] * 30)
    url = await upload(client, owner)
    most_at_once = 0

    def count(*_: object) -> None:
        nonlocal most_at_once
        most_at_once = max(most_at_once, runtime.heavy_reads.running)

    event.listen(runtime.database.engine.sync_engine, "before_cursor_execute", count)
    search: dict[str, object] = {
        "anchor": "newest",
        "num_before": 1_000,
        "num_after": 0,
        "narrow": [["search", "cat"]],
    }
    request = Request("GET", "/messages", member, search)
    searches = [asyncio.create_task(perform(app, request)) for _ in range(CONNECTIONS)]
    try:
        await send(client, owner, channel, "short")
        assert (await open_file(client, owner, url)).content == HELLO
        # They did not wait for all requests of the other account.
        assert not all(search.done() for search in searches)
        replies = await asyncio.gather(*searches)
    finally:
        event.remove(runtime.database.engine.sync_engine, "before_cursor_execute", count)
    # A machine that is busy otherwise may refuse those that waited longest.
    assert {reply.status for reply in replies} <= {200, 429}
    assert 1 <= most_at_once <= runtime.database.most_heavy_reads - 1
    assert runtime.heavy_reads.running == 0


async def test_clients_that_register_at_once_leave_connections_to_others(
    runtime: Runtime, client: ApiClient, channel: ChannelRecord, member: Person, owner: Person
) -> None:
    """As after a restart of the server, when all clients need a new queue."""
    everybody = [member, owner] * runtime.database.pool_size
    with held_driver_statements("FROM draft") as held:
        registering = [asyncio.create_task(client.post("/register", each)) for each in everybody]
        await until(lambda: held.count >= runtime.database.most_state_reads)
        await send(client, owner, channel, "hello")
        assert held.count == runtime.database.most_state_reads
        held.may_run.set()
        for response in await asyncio.gather(*registering):
            assert_success(response)
    assert runtime.state_reads.running == 0


@pytest.mark.slow
async def test_long_texts_of_one_account_are_rendered_one_at_a_time(
    app: ChatApp, runtime: Runtime, client: ApiClient, member: Person, owner: Person
) -> None:
    content: dict[str, object] = {"content": "*a " * 3_000}
    request = Request("POST", "/messages/render", member, content)
    renders = [asyncio.create_task(perform(app, request)) for _ in range(CONNECTIONS)]
    most_at_once = 0
    while not all(render.done() for render in renders):
        await asyncio.sleep(0)
        most_at_once = max(most_at_once, runtime.rendering.running_of(member.user_id))
    assert {(await render).status for render in renders} == {200}
    assert most_at_once == 1


MANY_SEARCHES: list[Term] = [{"operator": "search", "operand": f"w{n}"} for n in range(6)]
MANY_PEOPLE: list[Term] = [["dm-including", list(range(60))], ["dm-including", list(range(60))]]
MANY_WORDS: list[Term] = [["search", " ".join(f"w{n}x{m}" for n in range(30))] for m in range(2)]


@pytest.mark.parametrize("terms", [MANY_SEARCHES, MANY_PEOPLE, MANY_WORDS])
async def test_narrow_that_costs_too_much_is_refused(
    client: ApiClient, member: Person, terms: list[Term]
) -> None:
    # Users who do not exist are refused for another reason.
    assert "too many" in assert_error(await ask(client, member, *terms))


async def test_edit_beyond_the_limit_is_refused_and_changes_nothing(
    client: ApiClient, runtime: Runtime, channel: ChannelRecord, member: Person
) -> None:
    message_id = await send(client, member, channel, content="last")
    await add_edits(runtime, member, message_id, [("old", "<p>old</p>")] * 999)
    assert_success(await edit(client, member, message_id, content="one more"))
    assert "content" in assert_error(await edit(client, member, message_id, content="too many"))
    assert_success(await edit(client, member, message_id, topic="elsewhere"))
    shown = assert_success(await client.get(f"/messages/{message_id}", member))
    assert shown["raw_content"] == "one more"
    history = assert_success(await client.get(f"/messages/{message_id}/history", member))
    assert len(history["message_history"]) == 1_002


async def test_edit_of_message_with_long_earlier_texts_is_refused(
    client: ApiClient, runtime: Runtime, channel: ChannelRecord, member: Person
) -> None:
    message_id = await send(client, member, channel, content="last")
    await add_edits(runtime, member, message_id, [("x" * 10_000, "x" * 100_000)] * 40)
    assert "content" in assert_error(await edit(client, member, message_id, content="more"))
    shown = assert_success(await client.get(f"/messages/{message_id}", member))
    assert shown["message"]["last_edit_timestamp"]


async def test_text_that_renders_to_far_more_than_was_written_stays_as_it_is(
    client: ApiClient, member: Person
) -> None:
    rendered = assert_success(
        await client.post("/messages/render", member, content=":tada: " * 1_400)
    )["rendered"]
    assert 'class="emoji' in rendered
    rendered = assert_success(await client.post("/messages/render", member, content=":a:" * 3_333))[
        "rendered"
    ]
    assert rendered == f"<p>{':a:' * 3_333}</p>"

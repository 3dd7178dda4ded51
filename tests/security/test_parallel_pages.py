"""Many large pages of one account at once take turns: few are in memory, and others are served."""

import asyncio

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.channel_cache.records import ChannelRecord
from chatapi.features.messages.fetch.page_size import MAX_BYTES
from chatapi.main import ChatApp
from tests.factories import MakeChannel, Person
from tests.features.messages.fetch.conversations import read, send
from tests.security.requests import Request, perform
from tests.security.seeding import add_messages
from tests.support.client import ApiClient
from tests.support.waiting import MAX_WAIT_SECONDS

ROWS = 240
"""A number of messages too small to make a page a large one by itself."""
PAGES = 32
PAGE: dict[str, object] = {"anchor": "newest", "num_before": ROWS, "num_after": 0}


@pytest.fixture
async def channel(
    client: ApiClient,
    runtime: Runtime,
    realm: RealmRecord,
    make_channel: MakeChannel,
    member: Person,
    owner: Person,
) -> ChannelRecord:
    """As much text as fits into one response, in so few messages that no turn is needed."""
    channel = await make_channel("general", subscribers=[member, owner])
    first = await send(client, member, channel, "large")
    texts = [("cat", f"<p>{'cat ' * (MAX_BYTES // ROWS // 4 - 10)}</p>")] * ROWS
    await add_messages(runtime, realm, member, first, texts)
    return channel


@pytest.mark.slow
async def test_parallel_large_pages_of_one_account_take_turns(
    app: ChatApp,
    runtime: Runtime,
    client: ApiClient,
    channel: ChannelRecord,
    member: Person,
    owner: Person,
) -> None:
    most_at_once = 0
    statuses: list[int] = []

    async def ask() -> None:
        # Responses are released at once, as a server does once a client has read them.
        statuses.append((await perform(app, Request("GET", "/messages", member, PAGE))).status)

    pages = [asyncio.create_task(ask()) for _ in range(PAGES)]
    await send(client, owner, channel, "small", "Hello")
    # Other accounts did not wait for all requests of this account.
    assert len(statuses) < PAGES
    while not all(page.done() for page in pages):
        # A page is in memory, as rows and as JSON, while it has its turn.
        most_at_once = max(most_at_once, runtime.heavy_reads.running_of(member.user_id))
        await asyncio.wait(pages, timeout=0.01)
    assert 1 <= most_at_once <= runtime.database.most_heavy_reads - 1
    # Requests behind too many waiting ones of the same account are refused.
    assert set(statuses) <= {200, 429}
    assert statuses.count(200) >= PAGES // 2


async def test_ordinary_page_takes_no_turn(
    client: ApiClient, runtime: Runtime, realm: RealmRecord, channel: ChannelRecord, member: Person
) -> None:
    first = await send(client, member, channel, "small")
    text = "Hello " * 150
    await add_messages(runtime, realm, member, first, [(text, f"<p>{text}</p>")] * ROWS)
    all_turns = range(runtime.database.most_heavy_reads - 1)
    turns = [asyncio.create_task(runtime.heavy_reads.take(member.user_id)) for _ in all_turns]
    await asyncio.gather(*turns)
    try:
        async with asyncio.timeout(MAX_WAIT_SECONDS):
            page = await read(client, member, ["topic", "small"], num_before=ROWS)
    finally:
        for _ in turns:
            runtime.heavy_reads.release(member.user_id)
    assert len(page["messages"]) == ROWS

"""No request keeps the event loop, and so every other request, for more than 50 ms of CPU time.

Data is as large and as hostile as the limits of parameters allow, and lies behind the parser of
requests: what is searched, marked, compared, listed and paged.
"""

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.channel_cache.records import ChannelRecord
from chatapi.main import ChatApp
from tests.factories import MakeChannel, Person
from tests.features.messages.fetch.conversations import send
from tests.rendering.test_time import HOSTILE, repeated
from tests.security.requests import Request, assert_answered_in_short_steps
from tests.security.seeding import (
    add_channels,
    add_edits,
    add_linkifiers,
    add_messages,
    add_people,
    add_topics,
)
from tests.support.client import ApiClient
from tests.support.responses import assert_success

MAX_LENGTH = 10_000
COMPARED_EDITS = 100
"""Number of long texts; with more of them, a response has room for the texts alone."""
SEARCH: list[list[object]] = [["channel", "general"], ["search", "cat"]]
PAGE: dict[str, object] = {"anchor": "newest", "num_after": 0}


@pytest.fixture
async def channel(make_channel: MakeChannel, member: Person, owner: Person) -> ChannelRecord:
    return await make_channel("general", subscribers=[member, owner], is_web_public=True)


def different_words(start: int) -> tuple[str, str]:
    """A text of which no other has a word, as it is written and as it is rendered."""
    content = " ".join(f"w{number:x}" for number in range(start, start + 2_000))[:MAX_LENGTH]
    return content, f"<p>{content}</p>"


@pytest.mark.slow
async def test_pages_of_long_messages(
    app: ChatApp,
    runtime: Runtime,
    realm: RealmRecord,
    client: ApiClient,
    channel: ChannelRecord,
    member: Person,
    owner: Person,
) -> None:
    """Every word of them is found: each would be marked."""
    assert_success(await client.patch("/realm", owner, enable_spectator_access=True))
    first = await send(client, member, channel, "long")
    text = ("cat " * MAX_LENGTH)[:MAX_LENGTH]
    texts = [(text, f"<p>{text}</p>")] * 600
    ids = await add_messages(runtime, realm, member, first, texts)
    by_id: list[tuple[str, dict[str, object]]] = [
        ("/messages", {"message_ids": ids, "narrow": SEARCH}),
        ("/messages/matches_narrow", {"msg_ids": ids, "narrow": SEARCH}),
    ]
    for path, params in by_id:
        await assert_answered_in_short_steps(app, Request("GET", path, member, params), status=400)
    for reader in (member, None):
        params = {**PAGE, "num_before": 5_000, "narrow": SEARCH[:1]}
        if reader is None:
            params["narrow"] = [["channel", channel.id]]
        await assert_answered_in_short_steps(app, Request("GET", "/messages", reader, params))
    params = {**PAGE, "num_before": 5_000, "narrow": SEARCH}
    reply = await assert_answered_in_short_steps(app, Request("GET", "/messages", member, params))
    assert len(reply.body) < 10 * 1024 * 1024


@pytest.mark.slow
async def test_pages_of_many_messages(
    app: ChatApp,
    runtime: Runtime,
    realm: RealmRecord,
    client: ApiClient,
    channel: ChannelRecord,
    member: Person,
) -> None:
    first = await send(client, member, channel, "small")
    texts = [("cat dog", "<p>cat dog</p>")] * 20_000
    ids = await add_messages(runtime, realm, member, first, texts)
    for narrow in (SEARCH, SEARCH[:1]):
        params = {**PAGE, "num_before": 5_000, "narrow": narrow}
        await assert_answered_in_short_steps(app, Request("GET", "/messages", member, params))
        changed = {**params, "op": "add", "flag": "starred", "include_anchor": True}
        undo = Request("POST", "/messages/flags/narrow", member, {**changed, "op": "remove"})
        change = Request("POST", "/messages/flags/narrow", member, changed)
        await assert_answered_in_short_steps(app, change, undo=undo)
    for flag, op, other in (("starred", "add", "remove"), ("read", "remove", "add")):
        flags = {"messages": ids[::2], "flag": flag}
        await assert_answered_in_short_steps(
            app,
            Request("POST", "/messages/flags", member, {**flags, "op": op}),
            undo=Request("POST", "/messages/flags", member, {**flags, "op": other}),
        )
    await assert_answered_in_short_steps(app, Request("POST", "/register", member, {}))


@pytest.mark.parametrize("edits", [pytest.param(COMPARED_EDITS, marks=pytest.mark.slow), 299])
async def test_history_of_message_with_all_words_changed(
    app: ChatApp,
    runtime: Runtime,
    client: ApiClient,
    channel: ChannelRecord,
    member: Person,
    edits: int,
) -> None:
    message_id = await send(client, member, channel, "edits", different_words(0)[0])
    texts = [different_words(step * 2_000) for step in range(1, edits + 1)]
    await add_edits(runtime, member, message_id, texts)
    path = f"/messages/{message_id}"
    reply = await assert_answered_in_short_steps(app, Request("GET", f"{path}/history", member, {}))
    assert len(reply.body) < 16 * 1024 * 1024
    assert b"content_html_diff" in reply.body or edits > COMPARED_EDITS
    await assert_answered_in_short_steps(app, Request("GET", path, member, {}))


@pytest.mark.slow
async def test_page_of_many_topics_with_linkifiers(
    app: ChatApp,
    runtime: Runtime,
    realm: RealmRecord,
    channel: ChannelRecord,
    member: Person,
) -> None:
    await add_linkifiers(runtime, realm, [f"(?P<id>[a-z{n}]+x{n}[0-9]*)" for n in range(20)])
    topics = [f"{'ab' * 20} {number}" for number in range(3_000)]
    await add_topics(runtime, realm, member, channel, topics)
    params = {**PAGE, "num_before": 3_000, "narrow": SEARCH[:1]}
    await assert_answered_in_short_steps(app, Request("GET", "/messages", member, params))
    path = f"/users/me/{channel.id}/topics"
    await assert_answered_in_short_steps(app, Request("GET", path, member, {}))
    await assert_answered_in_short_steps(app, Request("POST", "/register", member, {}))


async def test_lists_of_large_organization(
    app: ChatApp,
    runtime: Runtime,
    realm: RealmRecord,
    channel: ChannelRecord,
    member: Person,
    owner: Person,
) -> None:
    user_ids = await add_people(runtime, realm, 2_000, [channel])
    await add_channels(runtime, realm, channel, member, 1_000)
    paths = ("/users", "/streams", "/users/me/subscriptions", "/user_groups", "/realm/presence")
    for path in (*paths, f"/streams/{channel.id}/members"):
        await assert_answered_in_short_steps(app, Request("GET", path, member, {}))
    with_people: dict[str, object] = {"include_subscribers": True}
    for params in ({}, with_people):
        await assert_answered_in_short_steps(app, Request("POST", "/register", member, params))
    subscribe: dict[str, object] = {
        "subscriptions": [{"name": "everybody"}],
        "principals": user_ids[:1_000],
    }
    await assert_answered_in_short_steps(
        app,
        Request("POST", "/users/me/subscriptions", owner, subscribe),
        undo=Request(
            "DELETE",
            "/users/me/subscriptions",
            owner,
            {**subscribe, "subscriptions": ["everybody"]},
        ),
    )


@pytest.mark.slow
async def test_rendering_of_hostile_texts(
    app: ChatApp, runtime: Runtime, realm: RealmRecord, member: Person, backend: str
) -> None:
    """Of the database only the linkifiers are read, which takes a few texts to show."""
    await add_linkifiers(runtime, realm, [f"(?P<id>[a-z{n}]+x{n}[0-9]*)" for n in range(20)])
    for pattern in HOSTILE if backend == "sqlite" else HOSTILE[::8]:
        if pattern == "\0":
            continue  # no parameter may contain it
        for length in (1_000, MAX_LENGTH):
            params: dict[str, object] = {"content": repeated(pattern, length)}
            request = Request("POST", "/messages/render", member, params)
            reply = await assert_answered_in_short_steps(app, request)
            assert len(reply.body) < 300_000


@pytest.mark.slow
async def test_full_bot_storage(app: ChatApp, client: ApiClient, member: Person) -> None:
    for part in range(5):
        # Encoding a request counts, too, so the one that is measured is not the largest.
        storage = {f"{part} {number}": "y" for number in range(1_000)}
        put = Request("PUT", "/bot_storage", member, {"storage": storage})
        await assert_answered_in_short_steps(app, put)
        storage = {f"{part} {number}": "x" * 1_900 for number in range(1_000)}
        assert_success(await client.put("/bot_storage", member, storage=storage))
    reply = await assert_answered_in_short_steps(app, Request("GET", "/bot_storage", member, {}))
    assert len(reply.json()["storage"]) == 5_000
    await assert_answered_in_short_steps(app, Request("DELETE", "/bot_storage", member, {}))


@pytest.mark.slow
async def test_largest_widgets(
    app: ChatApp, client: ApiClient, channel: ChannelRecord, member: Person
) -> None:
    for content in ("/poll x\n" + "- o\n" * 200, "/todo x\n" + "- o: d\n" * 200):
        params = {"type": "channel", "to": channel.id, "topic": "w", "content": content}
        await assert_answered_in_short_steps(app, Request("POST", "/messages", member, params))
    page = Request("GET", "/messages", member, {**PAGE, "num_before": 10})
    assert len((await assert_answered_in_short_steps(app, page)).json()["messages"]) == 2

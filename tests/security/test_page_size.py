"""Responses with messages hold at most some megabytes, and further pages have the rest."""

import orjson
import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.ids import MessageId
from chatapi.features.messages.fetch.page_size import MAX_BYTES
from tests.factories import MakeChannel, Person
from tests.features.messages.fetch.conversations import ids_read, read, send
from tests.security.seeding import add_messages, add_reactions, add_widgets
from tests.support.client import ApiClient
from tests.support.responses import assert_error, assert_success
from tests.support.statements import recorded_statements

LARGE = 100_000
SEARCH: list[object] = ["search", "cat"]


@pytest.fixture
async def channel(make_channel: MakeChannel, member: Person, owner: Person) -> ChannelRecord:
    return await make_channel("general", subscribers=[member, owner])


@pytest.fixture
async def large(
    client: ApiClient,
    runtime: Runtime,
    realm: RealmRecord,
    channel: ChannelRecord,
    member: Person,
) -> list[MessageId]:
    """The ids of messages that are three times as much as a response holds."""
    first = await send(client, member, channel, "large", "cat")
    texts = [("cat", f"<p>cat{' ' * LARGE}</p>")] * (3 * MAX_BYTES // LARGE)
    return [first, *await add_messages(runtime, realm, member, first, texts)]


@pytest.mark.slow
@pytest.mark.parametrize("terms", [[], [SEARCH]])
async def test_page_ends_early_and_paging_on_gets_the_rest(
    client: ApiClient, member: Person, large: list[MessageId], terms: list[list[object]]
) -> None:
    seen: list[MessageId] = []
    anchor: object = "newest"
    found_oldest = False
    pages = 0
    while not found_oldest:
        page = await read(
            client, member, *terms, anchor=anchor, num_before=1_000, include_anchor=pages == 0
        )
        shown = [message["id"] for message in page["messages"]]
        texts = sum(
            len(each["content"]) + len(each.get("match_content", "")) for each in page["messages"]
        )
        assert texts <= MAX_BYTES
        seen = [*shown, *seen]
        anchor, found_oldest = shown[0], page["found_oldest"]
        pages += 1
    assert seen == large
    assert pages >= 3


async def test_page_around_anchor_keeps_the_nearest_messages(
    client: ApiClient, member: Person, large: list[MessageId]
) -> None:
    middle = len(large) // 2
    page = await read(client, member, anchor=large[middle], num_before=1_000, num_after=1_000)
    shown = [message["id"] for message in page["messages"]]
    assert (page["found_oldest"], page["found_newest"], page["found_anchor"]) == (
        False,
        False,
        True,
    )
    start = large.index(shown[0])
    assert shown == large[start : start + len(shown)]
    assert abs((middle - start) - (start + len(shown) - middle)) <= 2


@pytest.mark.parametrize("terms", [[], [SEARCH], [["channel", "general"]]])
async def test_flags_of_a_narrow_are_changed_without_reading_its_texts(
    client: ApiClient,
    runtime: Runtime,
    member: Person,
    large: list[MessageId],
    terms: list[list[object]],
) -> None:
    """The response has no messages, so their size does not limit how many are changed."""
    with recorded_statements(runtime.database, "message.rendered_content") as recorded:
        response = await client.post(
            "/messages/flags/narrow",
            member,
            narrow=terms,
            anchor="newest",
            num_before=1_000,
            num_after=0,
            op="add",
            flag="starred",
        )
    changed = assert_success(response)
    assert (changed["processed_count"], changed["updated_count"]) == (len(large), len(large))
    assert (changed["first_processed_id"], changed["found_oldest"]) == (large[0], True)
    assert recorded == []


async def test_ordinary_page_is_one_page(
    client: ApiClient, member: Person, channel: ChannelRecord
) -> None:
    sent = [await send(client, member, channel) for _ in range(3)]
    page = await read(client, member, num_before=5_000)
    assert [message["id"] for message in page["messages"]] == sent
    assert page["found_oldest"] is True


async def test_many_small_messages_are_one_page(
    client: ApiClient, runtime: Runtime, realm: RealmRecord, channel: ChannelRecord, member: Person
) -> None:
    first = await send(client, member, channel)
    ids = await add_messages(runtime, realm, member, first, [("Hello", "<p>Hello</p>")] * 700)
    assert await ids_read(client, member, num_before=700) == ids


@pytest.fixture
async def polls(
    client: ApiClient,
    runtime: Runtime,
    realm: RealmRecord,
    channel: ChannelRecord,
    member: Person,
) -> list[MessageId]:
    """The ids of short messages whose submessages are three times as much as a response holds."""
    first = await send(client, member, channel)
    texts = [("Hello", "<p>Hello</p>")] * (3 * MAX_BYTES // LARGE)
    ids = await add_messages(runtime, realm, member, first, texts)
    await add_widgets(runtime, member, ids, [" " * (LARGE // 50)] * 50)
    return ids


async def test_submessages_count_for_the_size_of_a_page(
    client: ApiClient, member: Person, polls: list[MessageId]
) -> None:
    page = await read(client, member, num_before=200)
    shown = page["messages"]
    assert [message["id"] for message in shown] == polls[-len(shown) :]
    sizes = [len(each["content"]) for message in shown for each in message["submessages"]]
    assert MAX_BYTES // 2 < sum(sizes) <= MAX_BYTES
    assert page["found_oldest"] is False
    assert "message_ids" in assert_error(await client.get("/messages", member, message_ids=polls))


@pytest.mark.slow
async def test_messages_by_id_that_are_too_large_together_are_refused(
    client: ApiClient, member: Person, large: list[MessageId]
) -> None:
    response = await client.get("/messages", member, message_ids=large)
    assert "message_ids" in assert_error(response)
    response = await client.get(
        "/messages/matches_narrow", member, msg_ids=large, narrow=[["search", "cat"]]
    )
    assert "msg_ids" in assert_error(response)
    few = large[:20]
    shown = await client.get("/messages", member, message_ids=few)
    assert [message["id"] for message in shown["messages"]] == few


@pytest.mark.slow
async def test_reactions_count_for_the_size_of_a_page(
    client: ApiClient,
    runtime: Runtime,
    realm: RealmRecord,
    channel: ChannelRecord,
    member: Person,
) -> None:
    first = await send(client, member, channel)
    ids = await add_messages(runtime, realm, member, first, [("Hello", "<p>Hello</p>")] * 60)
    # Together about one and a half times as much as a response holds.
    each = 3 * MAX_BYTES // 2 // 120 // len(ids)
    await add_reactions(runtime, member, ids, each)
    page = await read(client, member, num_before=100)
    shown = page["messages"]
    assert [message["id"] for message in shown] == ids[-len(shown) :]
    assert page["found_oldest"] is False
    assert {len(message["reactions"]) for message in shown} == {each}
    assert MAX_BYTES // 2 < len(orjson.dumps(shown)) <= 1.1 * MAX_BYTES


async def test_page_with_some_reactions_is_read_at_once(
    client: ApiClient,
    runtime: Runtime,
    realm: RealmRecord,
    channel: ChannelRecord,
    member: Person,
) -> None:
    first = await send(client, member, channel)
    ids = await add_messages(runtime, realm, member, first, [("Hello", "<p>Hello</p>")] * 20)
    await add_reactions(runtime, member, ids, 50)
    with recorded_statements(runtime.database, "FROM reaction") as statements:
        page = await read(client, member, num_before=30)
    assert len(statements) == 1
    reactions = page["messages"][-1]["reactions"]
    assert [each["emoji_name"] for each in reactions] == [f"emoji_{n}" for n in range(50)]

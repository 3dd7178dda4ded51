"""Pages that are joined from cached contents: what changed is shown at once, by every process."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Literal

import orjson
import pytest

from chatapi.auth.notices import ChannelNotice
from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.clock import unix_seconds
from chatapi.core.ids import MessageId
from chatapi.core.roles import Role
from chatapi.core.settings import Settings
from chatapi.features.messages import make_room_for_history, post_notices
from tests.factories import MakeChannel, MakeUser, Person, realm_context
from tests.features.messages.fetch.conversations import Term, mark, read, send
from tests.features.messages.fetch.large_history import fill_topic
from tests.support.apps import running_app
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.responses import assert_success
from tests.support.statements import interrupted_statement, recorded_statements

CHANNEL: Term = ["channel", "general"]
TOPIC: Term = ["topic", "greetings"]
PAGE = "message.conversation_id"
"""In the statement that reads a page."""
STATES = "AS bits"
"""In the statement that reads what a reader did with the messages of a page in memory."""
_READS_UNTIL_IN_MEMORY = 3
"""The first one encodes the messages, the second one keeps the page."""
ANCHOR = "AS min"
"""In the statement that finds the first unread message."""
POLL = "/poll Lunch?\nSoup\nSalad"


@dataclass(frozen=True)
class Scene:
    """A topic that two processes have in memory, and a third one never has."""

    client: ApiClient
    other: ApiClient
    plain: ApiClient
    reader: Person
    writer: Person
    owner: Person
    channel: ChannelRecord
    message_id: MessageId
    poll_id: MessageId

    async def change(self, method: str, path: str, as_: Person, **params: object) -> None:
        assert_success(await getattr(self.client, method)(path, as_, **params))

    async def assert_all_equal(self, *terms: Term) -> list[dict[str, Any]]:
        """Each process answers the same: the ones with the page in memory, and the one without."""
        narrow = terms or (CHANNEL,)
        expected = await read(self.plain, self.reader, *narrow)
        for client in (self.client, self.other) * _READS_UNTIL_IN_MEMORY:
            assert await read(client, self.reader, *narrow) == expected
        messages: list[dict[str, Any]] = expected["messages"]
        return messages

    async def assert_topic_is_in_memory(self, runtime: Runtime) -> None:
        with recorded_statements(runtime.database, PAGE) as recorded:
            await read(self.client, self.reader, CHANNEL, TOPIC)
        assert recorded == []


@pytest.fixture
async def scene(
    client: ApiClient,
    settings: Settings,
    clock: MovableClock,
    reader: Person,
    writer: Person,
    general: ChannelRecord,
    make_user: MakeUser,
) -> AsyncIterator[Scene]:
    owner = await make_user(Role.OWNER)
    uncached = settings.model_copy(update={"message_cache_mib": 0})
    async with AsyncExitStack() as stack:
        apps = [
            await stack.enter_async_context(running_app(each, clock))
            for each in (settings, uncached)
        ]
        other, plain = map(ApiClient, apps)
        message_id = await send(client, writer, general)
        poll_id = await send(client, writer, general, content=POLL)
        # Changed once, so that its edit history is in memory as well.
        changed_id = await send(client, writer, general, content="Draft")
        assert_success(await client.patch(f"/messages/{changed_id}", writer, content="Final"))
        scene = Scene(client, other, plain, reader, writer, owner, general, message_id, poll_id)
        for each in (client, other) * _READS_UNTIL_IN_MEMORY:
            await read(each, reader, CHANNEL)
            await read(each, reader, CHANNEL, TOPIC)
        yield scene
        await other.aclose()
        await plain.aclose()


Change = Callable[[Scene], Awaitable[None]]


async def edit_twice(scene: Scene) -> None:
    for content in ("Once", "Twice"):
        await scene.change("patch", f"/messages/{scene.message_id}", scene.writer, content=content)
        await scene.assert_all_equal()


async def add_and_remove_a_reaction(scene: Scene) -> None:
    path = f"/messages/{scene.message_id}/reactions"
    await scene.change("post", path, scene.reader, emoji_name="octopus")
    assert (await scene.assert_all_equal())[0]["reactions"]
    await scene.change("delete", path, scene.reader, emoji_name="octopus")


async def vote(scene: Scene) -> None:
    content = '{"type":"vote","key":"canned,0","vote":1}'
    await scene.change(
        "post",
        "/submessage",
        scene.reader,
        message_id=scene.poll_id,
        msg_type="widget",
        content=content,
    )


async def rename_the_topic_twice(scene: Scene) -> None:
    for topic in ("welcome", "goodbye"):
        await scene.change(
            "patch",
            f"/messages/{scene.message_id}",
            scene.owner,
            topic=topic,
            propagate_mode="change_all",
            send_notification_to_new_thread=False,
        )
        assert {each["subject"] for each in await scene.assert_all_equal()} == {topic}


async def move_one_message(scene: Scene) -> None:
    await scene.change(
        "patch",
        f"/messages/{scene.message_id}",
        scene.owner,
        topic="elsewhere",
        propagate_mode="change_one",
        send_notification_to_new_thread=False,
    )


async def rename_the_sender(scene: Scene) -> None:
    await scene.change("patch", "/settings", scene.writer, full_name="Author")
    assert (await scene.assert_all_equal())[0]["sender_full_name"] == "Author"


async def rename_the_channel(scene: Scene) -> None:
    path = f"/streams/{scene.channel.id}"
    await scene.change("patch", path, scene.owner, new_name="lobby")
    assert (await scene.assert_all_equal(["channel", scene.channel.id]))[0][
        "display_recipient"
    ] == "lobby"
    await scene.change("patch", path, scene.owner, new_name="general")


async def hide_edit_histories(scene: Scene) -> None:
    await scene.change(
        "patch", "/realm", scene.owner, message_edit_history_visibility_policy="none"
    )
    assert all("edit_history" not in each for each in await scene.assert_all_equal())


async def star_and_mark_as_unread(scene: Scene) -> None:
    await mark(scene.client, scene.reader, scene.message_id, flag="starred")
    await mark(scene.client, scene.reader, scene.message_id)
    assert set((await scene.assert_all_equal())[0]["flags"]) == {"starred", "read"}
    await mark(scene.client, scene.reader, scene.message_id, op="remove")


async def delete_a_message(scene: Scene) -> None:
    await scene.change("delete", f"/messages/{scene.message_id}", scene.owner)
    assert scene.message_id not in {each["id"] for each in await scene.assert_all_equal()}


async def send_another_message(scene: Scene) -> None:
    await send(scene.client, scene.writer, scene.channel, content="Another")


async def send_as_the_reader(scene: Scene) -> None:
    await send(scene.client, scene.reader, scene.channel, read_by_sender=True)
    assert "read" in (await scene.assert_all_equal(CHANNEL, TOPIC))[-1]["flags"]


async def mention_the_reader(scene: Scene) -> None:
    group = {"name": "cooks", "description": "", "members": [scene.reader.user_id]}
    await scene.change("post", "/user_groups/create", scene.owner, **group)
    await scene.change("post", "/users/me/alert_words", scene.reader, alert_words=["fire"])
    texts = ("@**Reader**", "@*cooks*", "@**all**", "fire")
    for content in texts:
        await send(scene.client, scene.writer, scene.channel, content=content)
    shown = await scene.assert_all_equal(CHANNEL, TOPIC)
    expected = [["mentioned"], ["mentioned"], ["stream_wildcard_mentioned"], ["has_alert_word"]]
    assert [each["flags"] for each in shown[-len(texts) :]] == expected


async def mention_the_participants(scene: Scene) -> None:
    await send(scene.client, scene.writer, scene.channel, content="@**topic**")
    await send(scene.client, scene.reader, scene.channel)
    await send(scene.client, scene.writer, scene.channel, content="@**topic**")
    first, _, second = (await scene.assert_all_equal(CHANNEL, TOPIC))[-3:]
    assert (first["flags"], second["flags"]) == ([], ["topic_wildcard_mentioned"])


async def mention_the_reader_by_an_edit(scene: Scene) -> None:
    path = f"/messages/{scene.message_id}"
    for content, flags in (("@**Reader** @**all**", 2), ("Nobody", 0)):
        await scene.change("patch", path, scene.writer, content=content)
        assert len((await scene.assert_all_equal(CHANNEL, TOPIC))[0]["flags"]) == flags


async def read_in_every_way(scene: Scene) -> None:
    last = await send(scene.client, scene.writer, scene.channel)
    await mark(scene.client, scene.reader, scene.message_id, last)
    flags = [each["flags"] for each in await scene.assert_all_equal(CHANNEL, TOPIC)]
    assert flags == [["read"], [], [], ["read"]]
    place = {"stream_id": scene.channel.id, "topic_name": "greetings"}
    await scene.change("post", "/mark_topic_as_read", scene.reader, **place)
    await send(scene.client, scene.writer, scene.channel)
    await mark(scene.client, scene.reader, scene.message_id, op="remove")
    flags = [each["flags"] for each in await scene.assert_all_equal(CHANNEL, TOPIC)]
    assert flags == [[], ["read"], ["read"], ["read"], []]
    path = "/mark_stream_as_read"
    await scene.change("post", path, scene.reader, stream_id=scene.channel.id)
    shown = await scene.assert_all_equal(CHANNEL, TOPIC)
    assert all(each["flags"] == ["read"] for each in shown)
    await send(scene.client, scene.writer, scene.channel)
    await scene.change("post", "/mark_all_as_read", scene.reader)
    shown = await scene.assert_all_equal(CHANNEL, TOPIC)
    assert all(each["flags"] == ["read"] for each in shown)


async def leave_and_come_back(scene: Scene) -> None:
    names = ["general"]
    await scene.change("delete", "/users/me/subscriptions", scene.reader, subscriptions=names)
    shown = await scene.assert_all_equal(CHANNEL, TOPIC)
    assert all("read" in each["flags"] for each in shown)
    await send(scene.client, scene.writer, scene.channel)
    subscriptions = [{"name": "general"}]
    await scene.change("post", "/users/me/subscriptions", scene.reader, subscriptions=subscriptions)
    await send(scene.client, scene.writer, scene.channel)
    missed, received = (await scene.assert_all_equal(CHANNEL, TOPIC))[-2:]
    assert ("historical" in missed["flags"], received["flags"]) == (True, [])


async def move_a_message_there(scene: Scene) -> None:
    moved = await send(scene.client, scene.writer, scene.channel, "elsewhere")
    await send(scene.client, scene.writer, scene.channel)
    await scene.assert_all_equal(CHANNEL, TOPIC)
    await scene.change(
        "patch",
        f"/messages/{moved}",
        scene.owner,
        topic="greetings",
        propagate_mode="change_one",
        send_notification_to_new_thread=False,
    )
    assert moved in {each["id"] for each in await scene.assert_all_equal(CHANNEL, TOPIC)}


@pytest.mark.parametrize(
    "change",
    [
        edit_twice,
        add_and_remove_a_reaction,
        vote,
        rename_the_topic_twice,
        move_one_message,
        rename_the_sender,
        rename_the_channel,
        hide_edit_histories,
        star_and_mark_as_unread,
        delete_a_message,
        send_another_message,
        send_as_the_reader,
        mention_the_reader,
        mention_the_participants,
        mention_the_reader_by_an_edit,
        read_in_every_way,
        leave_and_come_back,
        move_a_message_there,
    ],
)
async def test_change_is_shown_at_once_by_each_process(scene: Scene, change: Change) -> None:
    await change(scene)
    await scene.assert_all_equal()
    await scene.assert_all_equal(CHANNEL, TOPIC)


async def test_page_in_memory_is_not_shown_to_a_reader_who_left(
    scene: Scene, make_channel: MakeChannel
) -> None:
    hidden = await make_channel(
        "hidden", subscribers=[scene.reader, scene.writer], invite_only=True
    )
    await send(scene.client, scene.writer, hidden, "plans", "Secret")
    narrow: Term = ["channel", hidden.id]
    for client in (scene.other, scene.other):
        assert len((await read(client, scene.reader, narrow))["messages"]) == 1
    await scene.change("delete", "/users/me/subscriptions", scene.reader, subscriptions=["hidden"])
    response = await scene.other.get(
        "/messages", scene.reader, narrow=[narrow], anchor="newest", num_before=9, num_after=0
    )
    assert "Secret" not in str(response.body)


async def test_earlier_channel_is_hidden_from_a_reader_who_cannot_read_it(
    scene: Scene, make_channel: MakeChannel
) -> None:
    """Who can read it, and had the page in memory first, sees more of the same message."""
    hidden = await make_channel("hidden", subscribers=[scene.owner], invite_only=True)
    moved = await send(scene.client, scene.owner, hidden, "plans", "Public now")
    await scene.change(
        "patch",
        f"/messages/{moved}",
        scene.owner,
        stream_id=scene.channel.id,
        propagate_mode="change_one",
        send_notification_to_new_thread=False,
    )
    for person, sees in ((scene.owner, True), (scene.reader, False), (scene.owner, True)):
        messages = (await read(scene.client, person, CHANNEL))["messages"]
        [shown] = [each for each in messages if each["id"] == moved]
        assert ("prev_stream" in shown["edit_history"][0]) is sees


async def test_notice_in_memory_is_shown_with_the_earlier_time_it_got(
    client: ApiClient,
    runtime: Runtime,
    realm: RealmRecord,
    clock: MovableClock,
    reader: Person,
    general: ChannelRecord,
) -> None:
    """`chatapi demo` moves the service's own messages back."""
    ctx = realm_context(runtime, realm)
    async with ctx.work:
        await ctx.lock()
        await post_notices(ctx, [ChannelNotice(general, "news", "Welcome")])
    [sent] = (await read(client, reader, CHANNEL))["messages"]
    ctx = realm_context(runtime, realm)
    async with ctx.work:
        since = await make_room_for_history(ctx, clock.now() - timedelta(days=1))
    [shown] = (await read(client, reader, CHANNEL))["messages"]
    assert shown["timestamp"] == unix_seconds(since) < sent["timestamp"]


@pytest.mark.parametrize("narrow", [(CHANNEL,), (CHANNEL, TOPIC)], ids=["channel", "topic"])
async def test_page_in_memory_is_read_by_one_statement_without_texts(
    scene: Scene, runtime: Runtime, narrow: tuple[Term, ...]
) -> None:
    with recorded_statements(runtime.database, "message") as recorded:
        assert len((await read(scene.client, scene.reader, *narrow))["messages"]) == 3
    [statement] = recorded
    assert "rendered_content" not in statement
    assert (STATES in statement, PAGE in statement) == (TOPIC in narrow, TOPIC not in narrow)


async def test_page_in_memory_is_the_same_for_each_reader_but_for_flags_and_permissions(
    scene: Scene, make_user: MakeUser
) -> None:
    guest = await make_user(Role.GUEST)
    path = "/users/me/subscriptions"
    general: dict[str, object] = {"subscriptions": [{"name": "general"}]}
    await scene.change("post", path, scene.owner, **general, principals=[guest.user_id])
    await mark(scene.client, scene.reader, scene.message_id, flag="starred")
    for person in (scene.reader, scene.writer, guest, scene.owner, scene.reader, guest):
        for params in ({}, {"client_gravatar": False}, {"num_before": 2}):
            pages = [
                await read(client, person, CHANNEL, TOPIC, **params)
                for client in (scene.client, scene.plain)
            ]
            assert pages[0] == pages[1]


async def test_reader_with_flags_of_very_many_messages_between_those_of_a_page_is_shown_it(
    scene: Scene, runtime: Runtime, realm: RealmRecord
) -> None:
    """The statement that returns what differs would return more than the page has."""
    between = await send(scene.client, scene.writer, scene.channel, "elsewhere")
    others = await fill_topic(runtime, realm, scene.writer, between, 501)
    last = await send(scene.client, scene.writer, scene.channel)
    await mark(scene.client, scene.reader, last, *others, flag="starred")
    shown = await scene.assert_all_equal(CHANNEL, TOPIC)
    assert shown[-1]["flags"] == ["starred"]
    with recorded_statements(runtime.database, PAGE) as recorded:
        await read(scene.client, scene.reader, CHANNEL, TOPIC)
    assert len(recorded) == 1
    await mark(scene.client, scene.reader, *others, flag="starred", op="remove")
    await scene.assert_all_equal(CHANNEL, TOPIC)


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("method", ["edit", "delete", "send", "move"])
async def test_change_beside_the_statement_of_a_page_in_memory_shows_a_single_moment(
    scene: Scene, runtime: Runtime, moment: Literal["before", "after"], method: str
) -> None:
    """Another process changes it, and this one has not heard of that when it responds."""
    await scene.assert_topic_is_in_memory(runtime)
    before = await read(scene.plain, scene.reader, CHANNEL, TOPIC)
    path = f"/messages/{scene.message_id}"

    async def change() -> None:
        if method == "edit":
            response = await scene.other.patch(path, scene.writer, content="Second")
        elif method == "delete":
            response = await scene.other.delete(path, scene.owner)
        elif method == "move":
            response = await scene.other.patch(path, scene.owner, topic="elsewhere")
        else:
            response = await scene.other.post(
                "/messages",
                scene.writer,
                type="channel",
                to=scene.channel.id,
                topic="greetings",
                content="Hello",
            )
        assert_success(response)

    with interrupted_statement(runtime.database, STATES, change, moment=moment):
        page = await read(scene.client, scene.reader, CHANNEL, TOPIC)
    after = await read(scene.plain, scene.reader, CHANNEL, TOPIC)
    assert before != after
    assert page == after or (moment == "after" and page == before)
    await scene.assert_all_equal(CHANNEL, TOPIC)


@pytest.mark.parametrize("path", ["edit", "delete"])
async def test_change_between_the_statements_of_a_page_is_shown(
    scene: Scene, runtime: Runtime, path: str
) -> None:
    """The first statement finds messages that are not in memory; others read their texts."""
    new = await send(scene.other, scene.writer, scene.channel, content="First")

    async def change() -> None:
        if path == "edit":
            response = await scene.other.patch(f"/messages/{new}", scene.writer, content="Second")
        else:
            response = await scene.other.delete(f"/messages/{new}", scene.owner)
        assert_success(response)

    with interrupted_statement(runtime.database, PAGE, change, moment="after"):
        page = await read(scene.client, scene.reader, CHANNEL)
    shown = [each["content"] for each in page["messages"] if each["id"] == new]
    assert shown == (["<p>Second</p>"] if path == "edit" else [])
    await scene.assert_all_equal()


@pytest.mark.parametrize("part", [ANCHOR, PAGE], ids=["anchor", "older side"])
@pytest.mark.parametrize("method", ["delete", "mark", "send"])
async def test_page_around_the_first_unread_message_shows_a_single_moment(
    scene: Scene, runtime: Runtime, part: str, method: str
) -> None:
    """Anchor and sides are read by a statement each, and another process writes in between."""
    assert_success(await scene.client.post("/mark_all_as_read", scene.reader))
    first, second, _ = [await send(scene.client, scene.writer, scene.channel) for _ in range(3)]

    async def read_from(client: ApiClient) -> dict[str, Any]:
        around = {"anchor": "first_unread", "num_before": 5, "num_after": 5}
        return await read(client, scene.reader, CHANNEL, TOPIC, **around)

    async def change() -> None:
        if method == "delete":
            assert_success(await scene.other.delete(f"/messages/{first}", scene.owner))
        elif method == "mark":
            await mark(scene.other, scene.reader, first, second)
        else:
            await send(scene.other, scene.writer, scene.channel)

    assert (await read_from(scene.client))["anchor"] == first
    with interrupted_statement(runtime.database, part, change, moment="after"):
        page = await read_from(scene.client)
    assert page == await read_from(scene.plain)


async def test_page_in_memory_is_not_shown_around_an_anchor_of_another_moment(
    scene: Scene, runtime: Runtime
) -> None:
    """Nothing was unread, so the page ends with the newest message; then one becomes unread."""
    await scene.change("post", "/mark_all_as_read", scene.reader)
    around = {"anchor": "first_unread", "num_before": 100, "num_after": 5}
    newest = await read(scene.client, scene.reader, CHANNEL, TOPIC, **around)
    assert newest["found_newest"]

    async def mark_as_unread() -> None:
        await mark(scene.other, scene.reader, scene.message_id, op="remove")

    with interrupted_statement(runtime.database, ANCHOR, mark_as_unread, moment="after"):
        page = await read(scene.client, scene.reader, CHANNEL, TOPIC, **around)
    assert page["anchor"] == scene.message_id
    assert page == await read(scene.plain, scene.reader, CHANNEL, TOPIC, **around)


async def test_history_that_is_hidden_meanwhile_is_not_shown(
    scene: Scene, runtime: Runtime, make_channel: MakeChannel
) -> None:
    """The narrow was compiled while subscribers could read what was sent before they came."""
    plans = await make_channel(
        "plans",
        subscribers=[scene.writer, scene.owner],
        invite_only=True,
        history_public_to_subscribers=True,
    )
    await send(scene.client, scene.writer, plans, "plans", "Secret")
    joining = {"subscriptions": [{"name": "plans"}], "principals": [scene.reader.user_id]}
    await scene.change("post", "/users/me/subscriptions", scene.owner, **joining)
    narrow: list[Term] = [["channel", plans.id], ["topic", "plans"]]
    assert len((await read(scene.client, scene.reader, *narrow))["messages"]) == 1

    async def hide() -> None:
        hidden = {"is_private": True, "history_public_to_subscribers": False}
        assert_success(await scene.other.patch(f"/streams/{plans.id}", scene.owner, **hidden))

    with interrupted_statement(runtime.database, PAGE, hide, moment="before"):
        page = await read(scene.client, scene.reader, *narrow)
    assert page["messages"] == []


async def test_page_further_up_displaces_nothing_in_memory(
    scene: Scene, runtime: Runtime, general: ChannelRecord
) -> None:
    """Who reads a long history to its beginning is mostly alone there."""
    older = [await send(scene.client, scene.writer, general, "old") for _ in range(3)]
    await send(scene.client, scene.writer, general, "old")
    term: Term = ["topic", "old"]
    for _ in range(2):
        with recorded_statements(runtime.database, "rendered_content") as recorded:
            page = await read(scene.client, scene.reader, CHANNEL, term, anchor=older[-1])
        assert [each["id"] for each in page["messages"]] == older
        assert len(recorded) == 1
    await read(scene.client, scene.reader, CHANNEL, term)
    with recorded_statements(runtime.database, "rendered_content") as recorded:
        assert len((await read(scene.client, scene.reader, CHANNEL, term))["messages"]) == 4
    assert recorded == []


@pytest.mark.parametrize("options", [{}, {"narrow": [["search", "hello"]]}])
async def test_each_key_of_a_message_comes_once(scene: Scene, options: dict[str, object]) -> None:
    params = {"anchor": "newest", "num_before": 9, "num_after": 0, **options}
    response = await scene.client.http.get(
        "/api/v1/messages",
        params={
            key: value if isinstance(value, str) else orjson.dumps(value).decode()
            for key, value in params.items()
        },
        auth=(scene.reader.email, scene.reader.api_key),
    )
    document = response.text

    def check(pairs: list[tuple[str, object]]) -> dict[str, object]:
        assert len({name for name, _ in pairs}) == len(pairs)
        return dict(pairs)

    assert json.loads(document, object_pairs_hook=check)["messages"]

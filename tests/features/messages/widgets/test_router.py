"""Polls, todo lists and forms: how they are sent, and POST /submessage, on both databases."""

from typing import Any

import orjson
import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.channel_cache.records import ChannelRecord
from chatapi.features.messages.widgets import service
from tests.factories import MakeChannel, MakeUser, Person
from tests.support.client import ApiClient
from tests.support.listening import Listener, listen
from tests.support.responses import ApiResponse, assert_error, assert_success
from tests.support.statements import recorded_statements

VOTE = {"type": "vote", "key": "canned,0", "vote": 1}
FORM = {
    "widget_type": "zform",
    "extra_data": {
        "type": "choices",
        "heading": "What is 2 + 2?",
        "choices": [
            {"type": "multiple_choice", "short_name": "A", "long_name": "4", "reply": "answer A"}
        ],
    },
}


@pytest.fixture
async def channel(make_channel: MakeChannel, owner: Person, member: Person) -> ChannelRecord:
    return await make_channel("lunch", subscribers=[owner, member])


async def send(
    client: ApiClient, sender: Person, channel: ChannelRecord, content: str, **params: object
) -> ApiResponse:
    return await client.post(
        "/messages", sender, type="stream", to=channel.id, topic="t", content=content, **params
    )


async def send_poll(client: ApiClient, sender: Person, channel: ChannelRecord) -> int:
    response = await send(client, sender, channel, "/poll Soup?\nyes\nno")
    return int(assert_success(response)["id"])


async def act(
    client: ApiClient, person: Person | None, message_id: int, action: Any
) -> ApiResponse:
    content = action if isinstance(action, str) else orjson.dumps(action).decode()
    return await client.post(
        "/submessage", person, message_id=message_id, msg_type="widget", content=content
    )


async def submessages_of(
    client: ApiClient, reader: Person, message_id: int
) -> list[dict[str, Any]]:
    response = await client.get(f"/messages/{message_id}", reader)
    shown: list[dict[str, Any]] = assert_success(response)["message"]["submessages"]
    return shown


async def widget_of(client: ApiClient, reader: Person, message_id: int) -> Any:
    [submessage] = await submessages_of(client, reader, message_id)
    return orjson.loads(submessage["content"])


async def hear(client: ApiClient, person: Person) -> Listener:
    types = ["submessage", "message"]
    return await listen(client, person, event_types=types, fetch_event_types=[])


class TestSending:
    @pytest.mark.any_database
    @pytest.mark.parametrize(
        ("content", "widget_type", "data"),
        [
            ("/poll", "poll", {"question": "", "options": []}),
            ("/poll Soup?", "poll", {"question": "Soup?", "options": []}),
            (
                "/poll Soup?\n- yes\n* no\n\n  maybe",
                "poll",
                {"question": "Soup?", "options": ["yes", "no", "maybe"]},
            ),
            ("/poll\nyes", "poll", {"question": "", "options": ["yes"]}),
            ("/todo", "todo", {"task_list_title": "", "tasks": []}),
            (
                "/todo Lunch\nsoup: hot: very\nbread",
                "todo",
                {
                    "task_list_title": "Lunch",
                    "tasks": [
                        {"task": "soup", "desc": "hot: very"},
                        {"task": "bread", "desc": ""},
                    ],
                },
            ),
        ],
    )
    async def test_command_at_the_start_of_a_text_makes_a_widget(
        self,
        client: ApiClient,
        owner: Person,
        channel: ChannelRecord,
        content: str,
        widget_type: str,
        data: dict[str, object],
    ) -> None:
        message_id = assert_success(await send(client, owner, channel, content))["id"]
        widget = await widget_of(client, owner, message_id)
        assert widget == {"widget_type": widget_type, "extra_data": data}

    @pytest.mark.any_database
    @pytest.mark.parametrize("content", ["a /poll", "/polls", "/me polls", "/ poll", "//poll"])
    async def test_other_texts_have_no_widget(
        self, client: ApiClient, owner: Person, channel: ChannelRecord, content: str
    ) -> None:
        message_id = assert_success(await send(client, owner, channel, content))["id"]
        assert await submessages_of(client, owner, message_id) == []

    @pytest.mark.any_database
    async def test_event_and_pages_contain_the_widget(
        self, client: ApiClient, owner: Person, member: Person, channel: ChannelRecord
    ) -> None:
        listener = await hear(client, member)
        message_id = await send_poll(client, owner, channel)
        [event] = await listener.new_events()
        [submessage] = event["message"]["submessages"]
        content = orjson.loads(submessage["content"])
        assert content["extra_data"] == {"question": "Soup?", "options": ["yes", "no"]}
        assert submessage == {
            "id": submessage["id"],
            "message_id": message_id,
            "sender_id": owner.user_id,
            "msg_type": "widget",
            "content": submessage["content"],
        }
        page = await client.get("/messages", member, anchor="newest", num_before=5, num_after=0)
        [message] = assert_success(page)["messages"]
        assert message["submessages"] == event["message"]["submessages"]

    @pytest.mark.any_database
    @pytest.mark.parametrize(
        "widget",
        [
            FORM,
            {"widget_type": "poll", "extra_data": {"question": "Soup?", "options": ["yes"]}},
            {
                "widget_type": "todo",
                "extra_data": {"task_list_title": "x", "tasks": [{"task": "a", "desc": ""}]},
            },
        ],
    )
    async def test_widget_content_makes_a_widget_of_any_text(
        self, client: ApiClient, owner: Person, channel: ChannelRecord, widget: dict[str, Any]
    ) -> None:
        text = orjson.dumps(widget).decode()
        response = await send(client, owner, channel, "Hello", widget_content=text)
        message_id = assert_success(response)["id"]
        assert await widget_of(client, owner, message_id) == widget

    @pytest.mark.any_database
    @pytest.mark.parametrize(
        "widget",
        [
            "",
            "{",
            "[]",
            "{}",
            '{"widget_type": "chess", "extra_data": {}}',
            '{"widget_type": ["poll"], "extra_data": {}}',
            '{"widget_type": "poll"}',
            '{"widget_type": "poll", "extra_data": {"question": 1}}',
            '{"widget_type": "poll", "extra_data": {"answer": ""}}',
            '{"widget_type": "poll", "extra_data": {"options": [1]}}',
            '{"widget_type": "zform", "extra_data": {"type": "choices", "heading": ""}}',
            "x" * 20_001,
        ],
    )
    async def test_bad_widget_content_is_refused_and_nothing_is_sent(
        self, client: ApiClient, owner: Person, channel: ChannelRecord, widget: str
    ) -> None:
        listener = await hear(client, owner)
        response = await send(client, owner, channel, "Hello", widget_content=widget)
        assert "widget_content" in assert_error(response)
        assert await listener.new_events() == []

    @pytest.mark.any_database
    async def test_too_many_options_are_refused(
        self, client: ApiClient, owner: Person, channel: ChannelRecord
    ) -> None:
        response = await send(client, owner, channel, "/poll x\n" + "a\n" * 201)
        assert "content" in assert_error(response)

    async def test_pages_without_widgets_cost_no_statement(
        self, client: ApiClient, owner: Person, channel: ChannelRecord, runtime: Runtime
    ) -> None:
        with recorded_statements(runtime.database, "submessage") as statements:
            assert_success(await send(client, owner, channel, "Hello"))
            page = await client.get("/messages", owner, anchor="newest", num_before=5, num_after=0)
        assert len(assert_success(page)["messages"]) == 1
        assert statements == []


@pytest.mark.any_database
class TestActing:
    async def test_vote_of_a_reader_is_stored_and_sent_to_all_readers(
        self, client: ApiClient, owner: Person, member: Person, channel: ChannelRecord
    ) -> None:
        message_id = await send_poll(client, owner, channel)
        listener = await hear(client, owner)
        assert assert_success(await act(client, member, message_id, VOTE)) == {}
        [_, vote] = await submessages_of(client, owner, message_id)
        assert orjson.loads(vote["content"]) == VOTE
        assert (vote["sender_id"], vote["message_id"]) == (member.user_id, message_id)
        [event] = await listener.new_events()
        del event["id"]
        assert event == {
            "type": "submessage",
            "message_id": message_id,
            "submessage_id": vote["id"],
            "sender_id": member.user_id,
            "msg_type": "widget",
            "content": vote["content"],
        }

    @pytest.mark.parametrize(
        ("content", "action"),
        [
            ("/poll x", VOTE),
            ("/poll x", {**VOTE, "vote": -1}),
            (
                "/todo x",
                {"type": "new_task", "key": 2, "task": "a", "desc": "", "completed": True},
            ),
            ("/todo x", {"type": "strike", "key": "0,canned"}),
        ],
    )
    async def test_every_reader_may(
        self,
        client: ApiClient,
        owner: Person,
        member: Person,
        channel: ChannelRecord,
        content: str,
        action: dict[str, object],
    ) -> None:
        message_id = assert_success(await send(client, owner, channel, content))["id"]
        for person in (owner, member):
            assert_success(await act(client, person, message_id, action))

    @pytest.mark.parametrize(
        ("content", "action"),
        [
            ("/poll x", {"type": "question", "question": "y"}),
            ("/poll x", {"type": "new_option", "idx": 2, "option": "maybe"}),
            ("/todo x", {"type": "new_task_list_title", "title": "y"}),
        ],
    )
    async def test_only_the_author_may(
        self,
        client: ApiClient,
        owner: Person,
        member: Person,
        channel: ChannelRecord,
        content: str,
        action: dict[str, object],
    ) -> None:
        message_id = assert_success(await send(client, owner, channel, content))["id"]
        assert "Only the author" in assert_error(await act(client, member, message_id, action))
        assert_success(await act(client, owner, message_id, action))
        assert len(await submessages_of(client, owner, message_id)) == 2

    @pytest.mark.any_database
    @pytest.mark.parametrize(
        "action",
        [
            "",
            "{",
            "[]",
            {},
            {"type": "strike", "key": "0,canned"},
            {"type": "vote"},
            {**VOTE, "vote": 2},
            {**VOTE, "vote": "1"},
            {**VOTE, "key": 0},
            {**VOTE, "key": "k" * 101},
            {**VOTE, "more": 1},
            {"type": "question", "question": "x" * 1_001},
            {"type": "new_option", "idx": -1, "option": "x"},
            {"type": "new_option", "idx": 1_001, "option": "x"},
            "x" * 3_001,
        ],
    )
    async def test_bad_content_is_refused_and_changes_nothing(
        self, client: ApiClient, owner: Person, channel: ChannelRecord, action: Any
    ) -> None:
        message_id = await send_poll(client, owner, channel)
        assert "content" in assert_error(await act(client, owner, message_id, action))
        assert len(await submessages_of(client, owner, message_id)) == 1

    async def test_other_types_of_submessages_are_refused(
        self, client: ApiClient, owner: Person, channel: ChannelRecord
    ) -> None:
        message_id = await send_poll(client, owner, channel)
        response = await client.post(
            "/submessage", owner, message_id=message_id, msg_type="other", content="{}"
        )
        assert "msg_type" in assert_error(response)

    async def test_message_without_a_widget_and_form_take_no_submessages(
        self, client: ApiClient, owner: Person, channel: ChannelRecord
    ) -> None:
        plain = assert_success(await send(client, owner, channel, "Hello"))["id"]
        response = await act(client, owner, plain, VOTE)
        assert assert_error(response) == "message_id: This message has no widget"
        text = orjson.dumps(FORM).decode()
        form = assert_success(await send(client, owner, channel, "Hi", widget_content=text))["id"]
        assert "takes no submessages" in assert_error(await act(client, owner, form, VOTE))

    async def test_number_and_size_are_limited(
        self,
        client: ApiClient,
        owner: Person,
        channel: ChannelRecord,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        message_id = await send_poll(client, owner, channel)
        monkeypatch.setattr(service, "MAX_SUBMESSAGES", 2)
        assert_success(await act(client, owner, message_id, VOTE))
        assert "at most" in assert_error(await act(client, owner, message_id, VOTE))
        monkeypatch.setattr(service, "MAX_SUBMESSAGES", 100)
        monkeypatch.setattr(service, "MAX_CHARACTERS", 200)
        assert_success(await act(client, owner, message_id, VOTE))
        assert "at most" in assert_error(await act(client, owner, message_id, VOTE))


class TestAccess:
    @pytest.mark.any_database
    async def test_anonymous_is_refused(self, client: ApiClient, realm: RealmRecord) -> None:
        assert_error(await act(client, None, 1, VOTE), "UNAUTHORIZED", 401)

    @pytest.mark.any_database
    async def test_hidden_message_is_refused_like_a_missing_one(
        self, client: ApiClient, owner: Person, member: Person, make_channel: MakeChannel
    ) -> None:
        secret = await make_channel("secret", invite_only=True, subscribers=[owner])
        message_id = await send_poll(client, owner, secret)
        for number in (message_id, message_id + 1):
            response = await act(client, member, number, VOTE)
            assert assert_error(response) == "Invalid message(s)"

    async def test_direct_poll_is_for_its_participants(
        self, client: ApiClient, owner: Person, member: Person, make_user: MakeUser
    ) -> None:
        other = await make_user()
        response = await client.post(
            "/messages", owner, type="direct", to=[member.user_id], content="/poll Tea?"
        )
        message_id = assert_success(response)["id"]
        listeners = [await hear(client, person) for person in (owner, member, other)]
        assert_success(await act(client, member, message_id, VOTE))
        assert_error(await act(client, other, message_id, VOTE))
        assert [len(await each.new_events()) for each in listeners] == [1, 1, 0]

    @pytest.mark.any_database
    async def test_archived_channel_is_closed(
        self, client: ApiClient, owner: Person, channel: ChannelRecord
    ) -> None:
        message_id = await send_poll(client, owner, channel)
        assert_success(await client.delete(f"/streams/{channel.id}", owner))
        assert_error(await act(client, owner, message_id, VOTE))


class TestConsequences:
    @pytest.mark.any_database
    async def test_text_of_a_widget_cannot_be_edited(
        self, client: ApiClient, owner: Person, channel: ChannelRecord
    ) -> None:
        message_id = await send_poll(client, owner, channel)
        response = await client.patch(f"/messages/{message_id}", owner, content="no poll")
        assert assert_error(response) == "Widgets cannot be edited."

    async def test_widget_is_moved_and_deleted_with_its_message(
        self, client: ApiClient, owner: Person, member: Person, channel: ChannelRecord
    ) -> None:
        message_id = await send_poll(client, owner, channel)
        assert_success(await act(client, member, message_id, VOTE))
        moved = await client.patch(f"/messages/{message_id}", owner, topic="elsewhere")
        assert_success(moved)
        assert len(await submessages_of(client, member, message_id)) == 2
        listener = await hear(client, member)
        assert_success(await act(client, member, message_id, VOTE))
        assert_success(await client.delete(f"/messages/{message_id}", owner))
        assert_error(await act(client, member, message_id, VOTE))
        # The text of a deleted message is in no event.
        assert "canned" not in str(await listener.new_events())

    async def test_poll_that_is_sent_twice_with_one_local_id_is_one_poll(
        self, client: ApiClient, owner: Person, channel: ChannelRecord
    ) -> None:
        queue = (await hear(client, owner)).queue_id
        echo = {"queue_id": queue, "local_id": "1.5"}
        ids = {
            assert_success(await send(client, owner, channel, "/poll x", **echo))["id"]
            for _ in range(2)
        }
        assert len(ids) == 1

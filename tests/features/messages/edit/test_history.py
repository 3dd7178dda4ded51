"""GET /messages/{message_id}/history, and edit histories in GET /messages."""

import pytest

from chatapi.channel_cache.records import ChannelRecord
from chatapi.features.messages.edit.diff import html_diff
from tests.factories import MakeChannel, Person
from tests.features.messages.edit.editing import edit, history_of
from tests.features.messages.fetch.conversations import send, show
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.responses import assert_error, assert_success

QUIETLY = {"send_notification_to_new_thread": False}


@pytest.fixture
async def channel(make_channel: MakeChannel, owner: Person, member: Person) -> ChannelRecord:
    return await make_channel(subscribers=[owner, member])


class TestHistory:
    @pytest.mark.any_database
    async def test_message_without_changes(
        self, client: ApiClient, channel: ChannelRecord, owner: Person
    ) -> None:
        message_id = await send(client, owner, channel, "lunch", "Soup")
        shown = await show(client, owner, message_id)
        assert await history_of(client, owner, message_id) == [
            {
                "user_id": owner.user_id,
                "timestamp": shown["timestamp"],
                "topic": "lunch",
                "content": "Soup",
                "rendered_content": "<p>Soup</p>",
            }
        ]
        assert shown.keys().isdisjoint(
            {"edit_history", "last_edit_timestamp", "last_moved_timestamp"}
        )

    async def test_texts_and_topics_oldest_first(
        self,
        client: ApiClient,
        channel: ChannelRecord,
        owner: Person,
        member: Person,
        clock: MovableClock,
    ) -> None:
        message_id = await send(client, member, channel, "lunch", "Soup")
        other = await send(client, member, channel, "lunch", "Salad")
        changes = (
            (member, {"content": "Stew"}),
            (owner, {"topic": "food", "propagate_mode": "change_all"}),
            (owner, {"topic": "dinner"}),
            (owner, {"topic": "supper", "propagate_mode": "change_all"}),
        )
        for editor, params in changes:
            clock.advance(seconds=5)
            assert_success(await edit(client, editor, message_id, **params, **QUIETLY))
        history = await history_of(client, owner, message_id)
        seen = [(each["content"], each["topic"], each.get("prev_topic")) for each in history]
        assert seen == [
            ("Soup", "lunch", None),
            ("Stew", "lunch", None),
            ("Stew", "food", "lunch"),
            ("Stew", "dinner", "food"),
            ("Stew", "supper", "dinner"),
        ]
        assert [each["user_id"] for each in history[:3]] == [
            member.user_id,
            member.user_id,
            owner.user_id,
        ]
        assert history[1]["prev_content"] == "Soup"
        assert "Soup" in history[1]["content_html_diff"]
        [original, renamed] = await history_of(client, owner, other)
        assert (original["topic"], renamed["topic"]) == ("lunch", "food")
        shown = await show(client, member, message_id)
        assert [each.get("prev_topic") for each in shown["edit_history"]] == [
            "dinner",
            "food",
            "lunch",
            None,
        ]
        assert shown["last_moved_timestamp"] == shown["edit_history"][0]["timestamp"]
        assert shown["last_edit_timestamp"] == shown["edit_history"][-1]["timestamp"]

    @pytest.mark.any_database
    async def test_messages_from_before_and_after_a_renaming(
        self, client: ApiClient, channel: ChannelRecord, owner: Person
    ) -> None:
        before = await send(client, owner, channel, "lunch")
        params = {"topic": "food", "propagate_mode": "change_all", **QUIETLY}
        assert_success(await edit(client, owner, before, **params))
        after = await send(client, owner, channel, "food")
        joined = await send(client, owner, channel, "fruit")
        assert_success(await edit(client, owner, joined, topic="food", **QUIETLY))
        assert len(await history_of(client, owner, before)) == 2
        assert len(await history_of(client, owner, after)) == 1
        [_, moved] = await history_of(client, owner, joined)
        assert moved["prev_topic"] == "fruit"

    @pytest.mark.any_database
    @pytest.mark.parametrize(("policy", "shown"), [("all", 2), ("moves", 1), ("none", 0)])
    async def test_realm_setting_limits_what_is_shown(
        self, client: ApiClient, channel: ChannelRecord, owner: Person, policy: str, shown: int
    ) -> None:
        message_id = await send(client, owner, channel, "lunch", "Soup")
        assert_success(await edit(client, owner, message_id, content="Stew"))
        assert_success(await edit(client, owner, message_id, topic="food", **QUIETLY))
        setting = {"message_edit_history_visibility_policy": policy}
        assert_success(await client.patch("/realm", owner, **setting))
        message = await show(client, owner, message_id)
        assert len(message.get("edit_history", [])) == shown
        response = await client.get(f"/messages/{message_id}/history", owner)
        if policy == "none":
            assert "disabled" in assert_error(response)
            return
        history = assert_success(response)["message_history"]
        assert ("Soup" in str(history)) is (policy == "all")

    @pytest.mark.any_database
    async def test_needs_access_to_the_message(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, member: Person
    ) -> None:
        secret = await make_channel(subscribers=[owner], invite_only=True)
        message_id = await send(client, owner, secret)
        assert_error(await client.get(f"/messages/{message_id}/history", member))


class TestDiff:
    def test_marks_deletions_and_insertions(self) -> None:
        old, new = "<p>one two</p>", "<p>one <em>three</em></p>"
        assert html_diff(old, new) == (
            '<p>one <span class="highlight_text_deleted">two</span>'
            '<em><span class="highlight_text_inserted">three</span></em></p>'
        )

    def test_texts_without_common_words_are_two_marks(self) -> None:
        old, new = "a " * 5_000, "b " * 5_000
        shown = html_diff(old, new)
        assert shown.count("highlight_text_inserted") == 1
        assert len(shown) < 25_000

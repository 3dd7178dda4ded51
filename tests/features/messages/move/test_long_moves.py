"""Moves of more messages than one transaction moves: the rest follows, batch by batch."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import select

from chatapi.auth.realm_cache import RealmRecord
from chatapi.core.ids import MessageId
from chatapi.core.settings import Settings
from chatapi.db.models import Conversation, Message
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.channels.channels import subscribe
from tests.features.messages.delete.deleting import delete, delete_topic
from tests.features.messages.edit.editing import edit, history_of, listen_to_changes
from tests.features.messages.fetch.conversations import (
    Term,
    flags_of,
    ids_read,
    mark,
    send,
    show,
    unread_ids,
)
from tests.features.messages.move.long_moves import ALL, BATCH, QUIETLY, LongMoveScene
from tests.support.apps import StartApp
from tests.support.client import ApiClient
from tests.support.listening import Listener
from tests.support.responses import assert_error, assert_success
from tests.support.statements import statements_under_lock
from tests.support.waiting import catch_up_with_other_processes

MAX_STATEMENTS_OF_BATCH = 10


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"move_batch_size": BATCH})


class TestBatches:
    async def test_the_newest_messages_are_moved_by_the_request_and_earlier_ones_follow(
        self, scene: LongMoveScene
    ) -> None:
        ids = await scene.send_some()
        await scene.begin_there(ids[0])
        left = []
        for _ in range(3):
            left.append(await scene.list_here(scene.member))
            assert await scene.list_there(scene.member) == ids[len(left[-1]) :]
            await scene.runner.run_once()
        assert left == [ids[:4], ids[:2], []]

    async def test_each_batch_has_its_event(self, scene: LongMoveScene) -> None:
        ids = await scene.send_some()
        listener = await listen_to_changes(scene.client, scene.member)
        await scene.begin_there(ids[4], topic="new")
        await scene.complete()
        events = await listener.new_events()
        assert [event["message_ids"] for event in events] == [ids[4:], ids[2:4], ids[:2]]
        assert [event["message_id"] for event in events] == [ids[4], ids[2], ids[0]]
        for event in events:
            assert event["user_id"] == scene.owner.user_id
            assert event["propagate_mode"] == "change_all"
            assert (event["stream_id"], event["new_stream_id"]) == (scene.here.id, scene.there.id)
            assert (event["orig_subject"], event["subject"]) == ("topic", "new")

    async def test_a_move_of_one_batch_is_complete_with_the_request(
        self, scene: LongMoveScene
    ) -> None:
        ids = await scene.send_some(BATCH)
        await scene.begin_there(ids[0])
        assert not await scene.is_under_way()
        assert await scene.list_there() == ids

    async def test_renaming_a_topic_takes_one_transaction_however_long_it_is(
        self, scene: LongMoveScene
    ) -> None:
        ids = await scene.send_some()
        await scene.begin(ids[0], topic="new")
        assert not await scene.is_under_way()
        assert await ids_read(scene.client, scene.owner, ["topic", "new"]) == ids

    async def test_merging_topics_of_a_channel_is_done_in_batches_as_well(
        self, scene: LongMoveScene
    ) -> None:
        ids = await scene.send_some(3)
        read = {"stream_id": scene.here.id, "topic_name": "topic"}
        assert_success(await scene.client.post("/mark_topic_as_read", scene.member, **read))
        ids += await scene.send_some(2)
        other = await send(scene.client, scene.owner, scene.here, "other")
        before = await unread_ids(scene.client, scene.member)
        assert before == {*ids[3:], other}
        await scene.begin(ids[1], topic="other", propagate_mode="change_later")
        await scene.complete()
        assert await ids_read(scene.client, scene.member, ["topic", "topic"]) == ids[:1]
        assert await ids_read(scene.client, scene.member, ["topic", "other"]) == [*ids[1:], other]
        assert await unread_ids(scene.client, scene.member) == before

    async def test_notices_come_once_and_count_all_messages(self, scene: LongMoveScene) -> None:
        ids = await scene.send_some(6)
        params: dict[str, Any] = {
            "propagate_mode": "change_later",
            "send_notification_to_old_thread": True,
            "send_notification_to_new_thread": True,
        }
        await scene.begin_there(ids[1], **params)
        await scene.complete()
        [first, old_notice] = await scene.list_here()
        [*moved, new_notice] = await scene.list_there()
        assert (first, moved) == (ids[0], ids[1:])
        for notice, text in ((old_notice, "5 messages to"), (new_notice, "5 messages here")):
            assert text in (await show(scene.client, scene.owner, notice))["content"]

    async def test_a_batch_holds_the_lock_for_few_statements(self, scene: LongMoveScene) -> None:
        """Other writers wait for them; stars of subscribers of both channels take no more."""
        ids = await scene.send_some()
        await mark(scene.client, scene.member, *ids, flag="starred")
        await scene.begin_there(ids[0])
        with statements_under_lock(scene.runtime.database) as statements:
            await scene.runner.run_once()
        assert await scene.is_under_way()
        assert len(statements) <= MAX_STATEMENTS_OF_BATCH, statements
        read = ("channel", "account", "subscription_period", "user_group_member", "linkifier")
        for table in read:
            assert not [each for each in statements if f"FROM {table} " in each]

    async def test_only_messages_visible_to_the_mover_are_moved(
        self, scene: LongMoveScene, make_channel: MakeChannel
    ) -> None:
        secret = await make_channel(
            subscribers=[scene.owner], invite_only=True, history_public_to_subscribers=False
        )
        hidden = await scene.send_some(2, channel=secret)
        assert_success(
            await subscribe(
                scene.client, scene.owner, secret.name, principals=[scene.member.user_id]
            )
        )
        seen = await scene.send_some(channel=secret)
        await scene.begin_there(seen[0], mover=scene.member)
        await scene.complete()
        assert await scene.list_in(secret) == hidden
        assert await scene.list_there() == seen


class TestResult:
    @pytest.mark.parametrize("is_there", [pytest.param(True, marks=pytest.mark.slow), False])
    async def test_is_that_of_a_move_in_one_transaction(
        self,
        scene: LongMoveScene,
        start_app: StartApp,
        settings: Settings,
        make_channel: MakeChannel,
        make_user: MakeUser,
        realm: RealmRecord,
        is_there: bool,
    ) -> None:
        of_source, of_target = await make_user(), await make_user()
        people = [scene.owner, scene.member, of_source, of_target]
        results = []
        whole = await start_app(settings=settings.model_copy(update={"move_batch_size": 1000}))
        for begins_at in (scene.client, ApiClient(whole)):
            place = replace(
                scene,
                here=await make_channel(subscribers=[scene.owner, scene.member, of_source]),
                there=await make_channel(subscribers=[scene.owner, scene.member, of_target]),
            )
            ids = await self.fill(place, of_source, of_target, is_there=is_there)
            listeners = [await listen_to_changes(scene.client, person) for person in people]
            await catch_up_with_other_processes(whole.runtime, realm)
            await replace(place, client=begins_at).begin_there(ids[0])
            await place.complete()
            results.append(await self.result(place, people, listeners, ids))
        assert results[0] == results[1]

    async def fill(
        self, scene: LongMoveScene, of_source: Person, of_target: Person, *, is_there: bool
    ) -> list[MessageId]:
        """A topic that was renamed, read in part, and starred, and another one in the target."""
        client, owner, member = scene.client, scene.owner, scene.member
        ids = [await send(client, owner, scene.here, "old") for _ in range(4)]
        assert_success(await edit(client, owner, ids[0], topic="topic", **ALL))
        notice = (await scene.list_here())[-1]
        ids += [notice, *await scene.send_some(4, sender=member)]
        if is_there:
            ids += await scene.send_some(2, channel=scene.there)
        for reader in (member, of_source):
            await mark(client, reader, *ids[:3], ids[6])
        await mark(client, of_target, *ids[9:10])
        await mark(client, of_source, ids[2], flag="starred")
        await mark(client, member, ids[7], flag="starred")
        return ids

    async def result(
        self,
        scene: LongMoveScene,
        people: list[Person],
        listeners: list[Listener],
        ids: Sequence[MessageId],
    ) -> dict[str, Any]:
        """What people see, and the rows; with the places of messages in the list as their ids."""
        client, here, there = scene.client, scene.here, scene.there
        names: dict[int | None, str | None] = {here.id: "here", there.id: "there", None: None}
        in_there: Term = ["channel", there.id]
        found: dict[str, Any] = {}
        for name, person in zip("abcd", people, strict=True):
            shown = await scene.list_there(person)
            found[name] = {
                "there": [ids.index(each) for each in shown],
                "here": await scene.list_here(person),
                "unread": [each in await unread_ids(client, person) for each in ids],
                "flags": [await flags_of(client, person, each) for each in ids],
                "searched": len(await ids_read(client, person, in_there, ["search", "Hello"])),
                "history": [
                    [
                        (step.get("prev_topic"), names[step.get("prev_stream")])
                        for step in await history_of(client, person, each)
                    ]
                    for each in ids
                ],
            }
        for name, listener in zip("abcd", listeners, strict=True):
            told = await listener.new_events()
            moved = [each for event in told for each in event.get("message_ids", ())]
            found[name]["told"] = (
                sorted(ids.index(each) for each in moved),
                {event["type"] for event in told},
            )
        async with scene.runtime.reading() as db:
            rows = await db.execute(
                select(Message.channel_id, Message.last_moved_at, Message.arrival)
                .where(Message.id.in_(ids))
                .order_by(Message.id)
            )
            found["rows"] = [(names[row[0]], row[1] is None, row[2] is None) for row in rows]
            extents = await db.execute(
                select(Conversation.first_message_id, Conversation.last_message_id).where(
                    Conversation.channel_id.in_([here.id, there.id])
                )
            )
            found["extents"] = [
                tuple(ids.index(MessageId(end)) for end in extent) for extent in extents
            ]
        return found


class TestMeanwhile:
    async def test_messages_sent_between_batches_stay_where_they_were_sent(
        self, scene: LongMoveScene
    ) -> None:
        ids = await scene.send_some()
        before = await unread_ids(scene.client, scene.owner)
        await scene.begin_there(ids[0])
        new_here, new_there = [], []
        while await scene.is_under_way():
            new_here.append(await send(scene.client, scene.member, scene.here, "topic"))
            new_there.append(await send(scene.client, scene.member, scene.there, "topic"))
            await scene.runner.run_once()
        assert len(new_here) > 1
        assert await scene.list_here(scene.member) == new_here
        assert await scene.list_there(scene.member) == ids + new_there
        assert await unread_ids(scene.client, scene.owner) == before.union(new_here, new_there)

    async def test_messages_deleted_between_batches_stay_deleted(
        self, scene: LongMoveScene
    ) -> None:
        ids = await scene.send_some()
        await scene.begin_there(ids[0])
        for message_id in (ids[1], ids[4]):
            assert_success(await delete(scene.client, scene.owner, message_id))
        await scene.complete()
        assert await scene.list_there() == [ids[0], ids[2], ids[3]]

    async def test_move_ends_when_all_that_was_left_is_deleted(self, scene: LongMoveScene) -> None:
        ids = await scene.send_some(3)
        await scene.begin_there(ids[0])
        for message_id in ids[:2]:
            assert_success(await delete(scene.client, scene.owner, message_id))
        again = await send(scene.client, scene.owner, scene.here, "topic")
        await scene.complete()
        await scene.runner.run_once()
        assert await scene.list_here() == [again]
        assert await scene.list_there() == ids[2:]

    async def test_both_topics_cannot_be_moved_renamed_or_deleted_until_all_is_moved(
        self, scene: LongMoveScene
    ) -> None:
        ids = await scene.send_some()
        other = await send(scene.client, scene.owner, scene.there, "other")
        await scene.begin_there(ids[0])
        moved, left = ids[-1], ids[0]
        for message_id in (moved, left):
            for change in ({"topic": "renamed"}, {"topic": "other"}):
                response = await edit(scene.client, scene.owner, message_id, **change, **ALL)
                assert "still being moved" in assert_error(response)
        response = await edit(scene.client, scene.owner, other, topic="topic")
        assert "still being moved" in assert_error(response)
        for channel in (scene.here, scene.there):
            response = await delete_topic(scene.client, scene.owner, channel, "topic")
            assert "still being moved" in assert_error(response)
        await scene.complete()
        assert await scene.list_there() == sorted([*ids, other])
        assert_success(
            await edit(scene.client, scene.owner, left, topic="renamed", **ALL, **QUIETLY)
        )
        assert await ids_read(scene.client, scene.owner, ["topic", "renamed"]) == ids

    async def test_an_archived_channel_gets_all_that_was_promised(
        self, scene: LongMoveScene
    ) -> None:
        ids = await scene.send_some()
        await scene.begin_there(ids[0])
        assert_success(await scene.client.delete(f"/streams/{scene.there.id}", scene.owner))
        await scene.complete()
        async with scene.runtime.reading() as db:
            rows = await db.execute(select(Message.channel_id).where(Message.id.in_(ids)))
            assert {channel_id for (channel_id,) in rows} == {scene.there.id}

"""Moves of more messages than one transaction moves: the rest follows, batch by batch."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from sqlalchemy import select

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.ids import MessageId
from chatapi.core.settings import Settings
from chatapi.db.models import Conversation, Message, PendingMove
from chatapi.features.messages.move.continuation import LEASE, MoveRunner
from chatapi.jobs import moves
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
from tests.support.apps import StartApp
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.listening import Listener
from tests.support.responses import assert_error, assert_success
from tests.support.statements import interrupted_statement, statements_under_lock
from tests.support.waiting import catch_up_with_other_processes, until, until_true

BATCH = 2
QUIETLY = {"send_notification_to_new_thread": False}
ALL = {"propagate_mode": "change_all"}


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"move_batch_size": BATCH})


@pytest.fixture
def runner(runtime: Runtime) -> MoveRunner:
    """In place of the job of the application, so that tests decide when a batch is moved."""
    runtime.moves.close()
    return MoveRunner(runtime)


@pytest.fixture
async def here(make_channel: MakeChannel, owner: Person, member: Person) -> ChannelRecord:
    return await make_channel(subscribers=[owner, member])


@pytest.fixture
async def there(make_channel: MakeChannel, owner: Person, member: Person) -> ChannelRecord:
    return await make_channel(subscribers=[owner, member])


async def send_some(
    client: ApiClient, sender: Person, channel: ChannelRecord, count: int = 5
) -> list[MessageId]:
    return [await send(client, sender, channel, "topic") for _ in range(count)]


async def begin(client: ApiClient, mover: Person, message_id: object, **params: object) -> None:
    assert_success(await edit(client, mover, message_id, **{**ALL, **QUIETLY, **params}))


async def is_under_way(runtime: Runtime) -> bool:
    async with runtime.reading() as db:
        return (await db.execute(select(PendingMove.id))).first() is not None


async def complete(runtime: Runtime, runner: MoveRunner) -> None:
    while await is_under_way(runtime):
        await runner.run_once()


async def in_channel(client: ApiClient, reader: Person, channel: ChannelRecord) -> list[MessageId]:
    return await ids_read(client, reader, ["channel", channel.id])


class TestBatches:
    async def test_the_newest_messages_are_moved_by_the_request_and_earlier_ones_follow(
        self,
        client: ApiClient,
        runner: MoveRunner,
        here: ChannelRecord,
        there: ChannelRecord,
        owner: Person,
        member: Person,
    ) -> None:
        ids = await send_some(client, owner, here)
        await begin(client, owner, ids[0], stream_id=there.id)
        left = []
        for _ in range(3):
            left.append(await in_channel(client, member, here))
            assert await in_channel(client, member, there) == ids[len(left[-1]) :]
            await runner.run_once()
        assert left == [ids[:4], ids[:2], []]

    async def test_each_batch_has_its_event(
        self,
        client: ApiClient,
        runtime: Runtime,
        runner: MoveRunner,
        here: ChannelRecord,
        there: ChannelRecord,
        owner: Person,
        member: Person,
    ) -> None:
        ids = await send_some(client, owner, here)
        listener = await listen_to_changes(client, member)
        await begin(client, owner, ids[4], stream_id=there.id, topic="new")
        await complete(runtime, runner)
        events = await listener.new_events()
        assert [event["message_ids"] for event in events] == [ids[4:], ids[2:4], ids[:2]]
        assert [event["message_id"] for event in events] == [ids[4], ids[2], ids[0]]
        for event in events:
            assert event["user_id"] == owner.user_id
            assert event["propagate_mode"] == "change_all"
            assert (event["stream_id"], event["new_stream_id"]) == (here.id, there.id)
            assert (event["orig_subject"], event["subject"]) == ("topic", "new")

    @pytest.mark.usefixtures("runner")
    async def test_a_move_of_one_batch_is_complete_with_the_request(
        self,
        client: ApiClient,
        runtime: Runtime,
        here: ChannelRecord,
        there: ChannelRecord,
        owner: Person,
    ) -> None:
        ids = await send_some(client, owner, here, BATCH)
        await begin(client, owner, ids[0], stream_id=there.id)
        assert not await is_under_way(runtime)
        assert await in_channel(client, owner, there) == ids

    @pytest.mark.usefixtures("runner")
    async def test_renaming_a_topic_takes_one_transaction_however_long_it_is(
        self,
        client: ApiClient,
        runtime: Runtime,
        here: ChannelRecord,
        owner: Person,
    ) -> None:
        ids = await send_some(client, owner, here)
        await begin(client, owner, ids[0], topic="new")
        assert not await is_under_way(runtime)
        assert await ids_read(client, owner, ["topic", "new"]) == ids

    async def test_merging_topics_of_a_channel_is_done_in_batches_as_well(
        self,
        client: ApiClient,
        runtime: Runtime,
        runner: MoveRunner,
        here: ChannelRecord,
        owner: Person,
        member: Person,
    ) -> None:
        ids = await send_some(client, owner, here, 3)
        read = {"stream_id": here.id, "topic_name": "topic"}
        assert_success(await client.post("/mark_topic_as_read", member, **read))
        ids += await send_some(client, owner, here, 2)
        other = await send(client, owner, here, "other")
        before = await unread_ids(client, member)
        assert before == {*ids[3:], other}
        await begin(client, owner, ids[1], topic="other", propagate_mode="change_later")
        await complete(runtime, runner)
        assert await ids_read(client, member, ["topic", "topic"]) == ids[:1]
        assert await ids_read(client, member, ["topic", "other"]) == [*ids[1:], other]
        assert await unread_ids(client, member) == before

    async def test_notices_come_once_and_count_all_messages(
        self,
        client: ApiClient,
        runtime: Runtime,
        runner: MoveRunner,
        here: ChannelRecord,
        there: ChannelRecord,
        owner: Person,
    ) -> None:
        ids = await send_some(client, owner, here, 6)
        told = {"send_notification_to_old_thread": True, "send_notification_to_new_thread": True}
        later = {"propagate_mode": "change_later"}
        await begin(client, owner, ids[1], stream_id=there.id, **later, **told)
        await complete(runtime, runner)
        [first, old_notice] = await in_channel(client, owner, here)
        [*moved, new_notice] = await in_channel(client, owner, there)
        assert (first, moved) == (ids[0], ids[1:])
        assert "moved 5 messages to" in (await show(client, owner, old_notice))["content"]
        assert "moved 5 messages here" in (await show(client, owner, new_notice))["content"]

    async def test_only_messages_visible_to_the_mover_are_moved(
        self,
        client: ApiClient,
        runtime: Runtime,
        runner: MoveRunner,
        make_channel: MakeChannel,
        there: ChannelRecord,
        owner: Person,
        member: Person,
    ) -> None:
        secret = await make_channel(
            subscribers=[owner], invite_only=True, history_public_to_subscribers=False
        )
        hidden = await send_some(client, owner, secret, 2)
        assert_success(await subscribe(client, owner, secret.name, principals=[member.user_id]))
        seen = await send_some(client, owner, secret)
        await begin(client, member, seen[0], stream_id=there.id)
        await complete(runtime, runner)
        assert await in_channel(client, owner, secret) == hidden
        assert await in_channel(client, owner, there) == seen


class TestResult:
    @pytest.mark.parametrize("is_there", [True, False])
    async def test_is_that_of_a_move_in_one_transaction(
        self,
        client: ApiClient,
        runtime: Runtime,
        runner: MoveRunner,
        start_app: StartApp,
        settings: Settings,
        make_channel: MakeChannel,
        make_user: MakeUser,
        realm: RealmRecord,
        owner: Person,
        member: Person,
        is_there: bool,
    ) -> None:
        of_source, of_target = await make_user(), await make_user()
        people = [owner, member, of_source, of_target]
        results = []
        whole = await start_app(settings=settings.model_copy(update={"move_batch_size": 1000}))
        for app_client in (client, ApiClient(whole)):
            here = await make_channel(subscribers=[owner, member, of_source])
            there = await make_channel(subscribers=[owner, member, of_target])
            ids = [await send(client, owner, here, "old") for _ in range(4)]
            assert_success(await edit(client, owner, ids[0], topic="topic", **ALL))
            notice = (await in_channel(client, owner, here))[-1]
            ids += [notice, *await send_some(client, member, here, 4)]
            if is_there:
                ids += [await send(client, owner, there, "topic") for _ in range(2)]
            for reader in (member, of_source):
                await mark(client, reader, *ids[:3], ids[6])
            await mark(client, of_target, *ids[9:10])
            await mark(client, of_source, ids[2], flag="starred")
            await mark(client, member, ids[7], flag="starred")
            listeners = [await listen_to_changes(client, person) for person in people]
            await catch_up_with_other_processes(whole.runtime, realm)
            await begin(app_client, owner, ids[0], stream_id=there.id)
            await complete(runtime, runner)
            results.append(await self.result(client, runtime, people, listeners, ids, here, there))
        assert results[0] == results[1]

    async def result(
        self,
        client: ApiClient,
        runtime: Runtime,
        people: list[Person],
        listeners: list[Listener],
        ids: Sequence[MessageId],
        here: ChannelRecord,
        there: ChannelRecord,
    ) -> dict[str, Any]:
        """What people see, and the rows; with the places of messages in the list as their ids."""
        names: dict[int | None, str | None] = {here.id: "here", there.id: "there", None: None}
        in_there: Term = ["channel", there.id]
        found: dict[str, Any] = {}
        for name, person in zip("abcd", people, strict=True):
            shown = await in_channel(client, person, there)
            found[name] = {
                "there": [ids.index(each) for each in shown],
                "here": await in_channel(client, person, here),
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
        async with runtime.reading() as db:
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
        self,
        client: ApiClient,
        runtime: Runtime,
        runner: MoveRunner,
        here: ChannelRecord,
        there: ChannelRecord,
        owner: Person,
        member: Person,
    ) -> None:
        ids = await send_some(client, owner, here)
        before = await unread_ids(client, owner)
        await begin(client, owner, ids[0], stream_id=there.id)
        new_here, new_there = [], []
        while await is_under_way(runtime):
            new_here.append(await send(client, member, here, "topic"))
            new_there.append(await send(client, member, there, "topic"))
            await runner.run_once()
        assert len(new_here) > 1
        assert await in_channel(client, member, here) == new_here
        assert await in_channel(client, member, there) == ids + new_there
        assert await unread_ids(client, owner) == before.union(new_here, new_there)

    async def test_messages_deleted_between_batches_stay_deleted(
        self,
        client: ApiClient,
        runtime: Runtime,
        runner: MoveRunner,
        here: ChannelRecord,
        there: ChannelRecord,
        owner: Person,
    ) -> None:
        ids = await send_some(client, owner, here)
        await begin(client, owner, ids[0], stream_id=there.id)
        for message_id in (ids[1], ids[4]):
            assert_success(await delete(client, owner, message_id))
        await complete(runtime, runner)
        assert await in_channel(client, owner, there) == [ids[0], ids[2], ids[3]]

    async def test_move_ends_when_all_that_was_left_is_deleted(
        self,
        client: ApiClient,
        runtime: Runtime,
        runner: MoveRunner,
        here: ChannelRecord,
        there: ChannelRecord,
        owner: Person,
    ) -> None:
        ids = await send_some(client, owner, here, 3)
        await begin(client, owner, ids[0], stream_id=there.id)
        for message_id in ids[:2]:
            assert_success(await delete(client, owner, message_id))
        again = await send(client, owner, here, "topic")
        await complete(runtime, runner)
        await runner.run_once()
        assert await in_channel(client, owner, here) == [again]
        assert await in_channel(client, owner, there) == ids[2:]

    async def test_both_topics_cannot_be_moved_renamed_or_deleted_until_all_is_moved(
        self,
        client: ApiClient,
        runtime: Runtime,
        runner: MoveRunner,
        here: ChannelRecord,
        there: ChannelRecord,
        owner: Person,
    ) -> None:
        ids = await send_some(client, owner, here)
        other = await send(client, owner, there, "other")
        await begin(client, owner, ids[0], stream_id=there.id)
        moved, left = ids[-1], ids[0]
        for message_id in (moved, left):
            for change in ({"topic": "renamed"}, {"topic": "other"}):
                response = await edit(client, owner, message_id, **change, **ALL)
                assert "still being moved" in assert_error(response)
        response = await edit(client, owner, other, topic="topic")
        assert "still being moved" in assert_error(response)
        for channel in (here, there):
            response = await delete_topic(client, owner, channel, "topic")
            assert "still being moved" in assert_error(response)
        await complete(runtime, runner)
        assert await in_channel(client, owner, there) == sorted([*ids, other])
        assert_success(await edit(client, owner, left, topic="renamed", **ALL, **QUIETLY))
        assert await ids_read(client, owner, ["topic", "renamed"]) == ids

    async def test_an_archived_channel_gets_all_that_was_promised(
        self,
        client: ApiClient,
        runtime: Runtime,
        runner: MoveRunner,
        here: ChannelRecord,
        there: ChannelRecord,
        owner: Person,
    ) -> None:
        ids = await send_some(client, owner, here)
        await begin(client, owner, ids[0], stream_id=there.id)
        assert_success(await client.delete(f"/streams/{there.id}", owner))
        await complete(runtime, runner)
        async with runtime.reading() as db:
            rows = await db.execute(select(Message.channel_id).where(Message.id.in_(ids)))
            assert {channel_id for (channel_id,) in rows} == {there.id}


class TestProcesses:
    async def test_the_job_of_the_process_continues_at_once(
        self,
        monkeypatch: pytest.MonkeyPatch,
        start_app: StartApp,
        runtime: Runtime,
        runner: MoveRunner,
        here: ChannelRecord,
        there: ChannelRecord,
        owner: Person,
    ) -> None:
        """However long it would have slept."""
        monkeypatch.setattr(moves, "POLL_INTERVAL_SECONDS", 3600)
        client = ApiClient(await start_app())
        ids = await send_some(client, owner, here)
        await begin(client, owner, ids[0], stream_id=there.id)

        async def is_complete() -> bool:
            return not await is_under_way(runtime)

        await until_true(is_complete)
        assert await in_channel(client, owner, there) == ids

    async def test_another_process_goes_on_when_one_has_died(
        self,
        client: ApiClient,
        runtime: Runtime,
        runner: MoveRunner,
        clock: MovableClock,
        here: ChannelRecord,
        there: ChannelRecord,
        owner: Person,
    ) -> None:
        """After a while, since it cannot know whether the other one is only slow."""
        ids = await send_some(client, owner, here)
        await begin(client, owner, ids[0], stream_id=there.id)
        await runner.run_once()
        other = MoveRunner(runtime)
        await other.run_once()
        assert await in_channel(client, owner, there) == ids[2:]
        clock.advance(seconds=LEASE.total_seconds())
        await other.run_once()
        assert await in_channel(client, owner, there) == ids
        assert not await is_under_way(runtime)

    async def test_two_processes_that_begin_at_once_move_one_batch(
        self,
        client: ApiClient,
        runtime: Runtime,
        runner: MoveRunner,
        here: ChannelRecord,
        there: ChannelRecord,
        owner: Person,
        member: Person,
    ) -> None:
        ids = await send_some(client, owner, here)
        await begin(client, owner, ids[0], stream_id=there.id)
        listener = await listen_to_changes(client, member)
        await asyncio.gather(runner.run_once(), MoveRunner(runtime).run_once())
        [event] = await listener.new_events()
        assert event["message_ids"] == ids[2:4]

    async def test_a_send_that_waited_for_a_batch_joins_the_next_group_commit(
        self,
        client: ApiClient,
        runtime: Runtime,
        runner: MoveRunner,
        realm: RealmRecord,
        here: ChannelRecord,
        there: ChannelRecord,
        owner: Person,
        member: Person,
    ) -> None:
        """A request that started over with the lock would read everything again under it."""
        ids = await send_some(client, owner, here)
        await begin(client, owner, ids[0], stream_id=there.id)
        turn = runtime.database.writer_turn(realm.id)
        sending: list[asyncio.Task[MessageId]] = []

        async def send_behind() -> None:
            sending.append(asyncio.create_task(send(client, member, there, "topic")))
            await until(lambda: turn.waiting == 1)

        database = runtime.database
        with (
            statements_under_lock(database) as statements,
            interrupted_statement(database, "UPDATE message", send_behind, moment="before"),
        ):
            await runner.run_once()
            [sent] = await asyncio.gather(*sending)
        assert (await in_channel(client, owner, there))[-1] == sent
        assert not [each for each in statements if "FROM channel" in each]

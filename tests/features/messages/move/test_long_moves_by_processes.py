"""Processes that continue long moves, one of which may die, and what they have in memory."""

import asyncio
from dataclasses import replace

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.core.ids import MessageId
from chatapi.core.settings import Settings
from chatapi.features.messages.move.continuation import LEASE, MoveRunner
from chatapi.jobs import moves
from tests.factories import MakeChannel
from tests.features.messages.edit.editing import listen_to_changes
from tests.features.messages.fetch.conversations import send
from tests.features.messages.move.long_moves import BATCH, LongMoveScene
from tests.support.apps import StartApp
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.statements import (
    interrupted_statement,
    recorded_statements,
    statements_under_lock,
)
from tests.support.waiting import catch_up_with_other_processes, until, until_true


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"move_batch_size": BATCH})


class TestProcesses:
    async def test_the_job_of_the_process_continues_at_once(
        self, scene: LongMoveScene, monkeypatch: pytest.MonkeyPatch, start_app: StartApp
    ) -> None:
        """However long it would have slept."""
        monkeypatch.setattr(moves, "POLL_INTERVAL_SECONDS", 3600)
        ids = await scene.send_some()
        await replace(scene, client=ApiClient(await start_app())).begin_there(ids[0])

        async def is_complete() -> bool:
            return not await scene.is_under_way()

        await until_true(is_complete)
        assert await scene.list_there() == ids

    async def test_another_process_goes_on_when_one_has_died(
        self, scene: LongMoveScene, clock: MovableClock
    ) -> None:
        """After a while, since it cannot know whether the other one is only slow."""
        ids = await scene.send_some()
        await scene.begin_there(ids[0])
        await scene.runner.run_once()
        other = MoveRunner(scene.runtime)
        await other.run_once()
        assert await scene.list_there() == ids[2:]
        clock.advance(seconds=LEASE.total_seconds())
        await other.run_once()
        assert await scene.list_there() == ids
        assert not await scene.is_under_way()

    async def test_two_processes_that_begin_at_once_move_one_batch(
        self, scene: LongMoveScene
    ) -> None:
        ids = await scene.send_some()
        await scene.begin_there(ids[0])
        listener = await listen_to_changes(scene.client, scene.member)
        await asyncio.gather(scene.runner.run_once(), MoveRunner(scene.runtime).run_once())
        [event] = await listener.new_events()
        assert event["message_ids"] == ids[2:4]

    async def test_a_send_that_waited_for_a_batch_joins_the_next_group_commit(
        self, scene: LongMoveScene, realm: RealmRecord
    ) -> None:
        """A request that started over with the lock would read everything again under it."""
        ids = await scene.send_some()
        await scene.begin_there(ids[0])
        turn = scene.runtime.database.writer_turn(realm.id)
        sending: list[asyncio.Task[MessageId]] = []

        async def send_behind() -> None:
            sending.append(
                asyncio.create_task(send(scene.client, scene.member, scene.there, "topic"))
            )
            await until(lambda: turn.waiting == 1)

        database = scene.runtime.database
        with (
            statements_under_lock(database) as statements,
            interrupted_statement(database, "UPDATE message", send_behind, moment="before"),
        ):
            await scene.runner.run_once()
            [sent] = await asyncio.gather(*sending)
        assert (await scene.list_there())[-1] == sent
        assert not [each for each in statements if "FROM channel" in each]


class TestCaches:
    async def test_a_batch_leaves_what_it_does_not_change_in_memory(
        self, scene: LongMoveScene, make_channel: MakeChannel
    ) -> None:
        """Sends to other channels, and to other topics of the same one, look nothing up."""
        other = await make_channel(subscribers=[scene.owner, scene.member])
        ids = await scene.send_some()
        await scene.begin_there(ids[0])
        places = [(other, "topic"), (scene.here, "other")]
        for channel, topic in places:
            await send(scene.client, scene.owner, channel, topic)
        await scene.runner.run_once()
        await send(scene.client, scene.owner, scene.here, "other")
        with (
            recorded_statements(scene.runtime.database, "channel") as of_channels,
            recorded_statements(scene.runtime.database, "FROM conversation") as of_topics,
        ):
            for channel, topic in places:
                await send(scene.client, scene.owner, channel, topic)
        assert [each for each in of_channels if "FROM channel" in each] == []
        assert of_topics == []

    async def test_a_topic_that_the_last_batch_emptied_is_begun_again_by_every_process(
        self, scene: LongMoveScene, start_app: StartApp, realm: RealmRecord
    ) -> None:
        other = await start_app()
        other.runtime.moves.close()
        elsewhere = replace(scene, client=ApiClient(other))
        ids = await scene.send_some(3)
        ids += await elsewhere.send_some(1)
        await scene.begin_there(ids[0])
        await scene.complete()
        await catch_up_with_other_processes(other.runtime, realm)
        [again] = await elsewhere.send_some(1)
        assert await scene.list_here() == await elsewhere.list_here() == [again]
        assert await elsewhere.list_there() == ids

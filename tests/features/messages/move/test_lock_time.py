"""What a long move does while it holds the lock of the realm does not grow with its topic.

Other writers wait for it. What takes long happens before the lock.
"""

import pytest
from sqlalchemy import bindparam, select, text, update

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.ids import ConversationId
from chatapi.core.settings import Settings
from chatapi.db.models import Message
from chatapi.db.session import DatabaseSession
from chatapi.features.messages.repository import DeletionRepository
from tests.features.messages.fetch.large_history import fill_topic
from tests.features.messages.move.long_moves import BATCH, LongMoveScene
from tests.support.query_plans import captured_statements, explain
from tests.support.statements import (
    forget_compiled,
    recorded_statements,
    statements_under_lock,
)

MAX_STATEMENTS_OF_LAST_BATCH = 19
EXTENTS = "SELECT conversation.id, conversation.channel_id, conversation.last_message_id, ("


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"move_batch_size": BATCH})


async def leave_last_batch(scene: LongMoveScene, count: int = 5) -> None:
    """Move all but the last batch of a topic of some messages."""
    ids = await scene.send_some(count)
    await scene.begin_there(ids[0])
    while len(await scene.list_here()) > BATCH:
        await scene.runner.run_once()


class TestEndsOfTopics:
    """The first and last messages of both topics, which the last batch looks up."""

    async def test_are_searched_in_the_index_of_their_topic(
        self, scene: LongMoveScene, realm: RealmRecord
    ) -> None:
        """PostgreSQL would look for a topic that used to be long among all messages of all."""
        [first] = await scene.send_some(1)
        await fill_topic(scene.runtime, realm, scene.owner, first, 3_000)
        ids = await scene.send_some()
        await analyze(scene.runtime)
        await scene.begin_there(ids[0], propagate_mode="change_later")
        database = scene.runtime.database
        with captured_statements(database, EXTENTS) as captured:
            await scene.complete()
        plan = await explain(database, *captured[0])
        assert plan.count("ix_message_conversation_id_id") == 2, plan
        assert "pk_message" not in plan

    async def test_are_searched_before_the_lock_as_well(self, scene: LongMoveScene) -> None:
        """PostgreSQL then skips the index entries of moved messages under the lock."""
        await leave_last_batch(scene)
        database = scene.runtime.database
        with (
            recorded_statements(database, EXTENTS) as all_statements,
            statements_under_lock(database) as under_lock,
        ):
            await scene.runner.run_once()
        assert not await scene.is_under_way()
        assert len(all_statements) == 2
        assert len([each for each in under_lock if EXTENTS in each]) == 1
        assert len(under_lock) <= MAX_STATEMENTS_OF_LAST_BATCH, under_lock

    async def test_are_searched_once_in_a_long_move(self, scene: LongMoveScene) -> None:
        database = scene.runtime.database
        with recorded_statements(database, EXTENTS) as statements:
            await leave_last_batch(scene, count=9)
        assert not statements


class TestDeletedTopic:
    """A topic that has no messages any more is deleted with the last batch."""

    @pytest.fixture
    def backend(self) -> str:
        return "postgresql"

    async def test_not_all_messages_are_read_to_check_that_none_is_left(
        self, scene: LongMoveScene, realm: RealmRecord
    ) -> None:
        [first] = await scene.send_some(1)
        await fill_topic(scene.runtime, realm, scene.owner, first, 3_000)
        await analyze(scene.runtime)
        [other] = await scene.send_some(1, channel=scene.there)
        topic_of = select(Message.conversation_id).where(Message.id == bindparam("message"))
        async with DatabaseSession(scene.runtime.database) as db:
            await db.lock_realm(realm.id)
            source = (await db.execute(topic_of, {"message": first})).scalar_one()
            target = (await db.execute(topic_of, {"message": other})).scalar_one()
            await db.execute(
                update(Message)
                .where(Message.conversation_id == source)
                .values(conversation_id=target)
            )
            before = await self.count_scans(db)
            rows = DeletionRepository(db, realm.id)
            assert await rows.update_extents([ConversationId(source)]) == {source}
            assert await self.count_scans(db) == before

    async def count_scans(self, db: DatabaseSession) -> int:
        """How often this transaction has read all messages."""
        scans = "SELECT seq_scan FROM pg_stat_xact_user_tables WHERE relid = 'message'::regclass"
        return int((await db.execute(text(scans))).scalar_one())


class TestCompiling:
    """What only moves need is compiled before the lock, in the first move of a process."""

    async def test_of_a_request(self, scene: LongMoveScene) -> None:
        ids = await scene.send_some()
        forget_compiled(scene.runtime.database)
        with statements_under_lock(scene.runtime.database, only_new=True) as compiled:
            await scene.begin_there(ids[0])
        for table in ("message_edit", "conversation_read_position", "read_exception"):
            assert not [each for each in compiled if table in each]
        assert not [each for each in compiled if each.startswith(("UPDATE ", "DELETE FROM m"))]

    async def test_of_batches(self, scene: LongMoveScene) -> None:
        ids = await scene.send_some()
        await scene.begin_there(ids[0])
        forget_compiled(scene.runtime.database)
        with statements_under_lock(scene.runtime.database, only_new=True) as compiled:
            await scene.complete()
        # Every transaction ends with this one.
        assert not [each for each in compiled if "realm_clock" not in each]


async def analyze(runtime: Runtime) -> None:
    """Without VACUUM, which PostgreSQL does later than a move takes."""
    async with runtime.begin() as work:
        await work.db.write()
        await work.db.execute(text("ANALYZE"))

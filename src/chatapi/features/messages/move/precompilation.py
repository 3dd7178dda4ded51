"""Runs the large statements of a move before the lock, so that they are compiled there."""

from datetime import UTC, datetime

from chatapi.core.ids import ChannelId, ConversationId, EventNumber, MessageId, RealmId, UserId
from chatapi.db.database import Database
from chatapi.db.precompilation import precompile
from chatapi.db.session import DatabaseSession
from chatapi.features.messages.move.repository import (
    BatchRepository,
    Change,
    MoveRepository,
    Places,
    ReadStateRepository,
)
from chatapi.features.messages.move.selection import MessageSelection
from chatapi.features.messages.repository import (
    DeletionRepository,
    Extent,
    PendingMoveRepository,
)

_NAME = "moves"
_NOBODY = UserId(0)
_NO_REALM = RealmId(0)
_NO_MESSAGE = MessageId(0)
_HERE, _THERE = ConversationId(0), ConversationId(-1)
_CHANNEL, _OTHER_CHANNEL = ChannelId(0), ChannelId(-1)


def are_moves_precompiled(database: Database) -> bool:
    return _NAME in database.precompiled


async def precompile_moves(database: Database) -> None:
    """Compile what moving messages needs, before this process does so for the first time."""
    await precompile(database, _NAME, _run_statements)


async def _run_statements(db: DatabaseSession) -> None:
    """Move no messages, between topics of one channel and between channels."""
    await _move_messages(db)
    for target_channel in (_OTHER_CHANNEL, _CHANNEL):
        await _move_read_state(db, Places(_HERE, _CHANNEL, _THERE, target_channel, _NO_MESSAGE))
    await _update_topics(db)


async def _move_messages(db: DatabaseSession) -> None:
    batches = BatchRepository(db)
    await batches.find_newest(MessageSelection(_HERE), most=1)
    await batches.copy_renamings([])
    change = Change(_NOBODY, datetime.now(UTC), prev_topic=None, prev_channel_id=None)
    for arrival in ((_OTHER_CHANNEL, EventNumber(0)), None):
        await batches.move([], _THERE, change, arrival)
    await batches.list_stars([])
    await batches.list_stars_of_others([], _CHANNEL, _OTHER_CHANNEL)


async def _move_read_state(db: DatabaseSession, places: Places) -> None:
    read_state = ReadStateRepository(db, places)
    await read_state.begin()
    await read_state.join(_NO_MESSAGE)
    await read_state.count_different(_NO_MESSAGE)
    await read_state.forget_unread([])
    await read_state.add_exceptions([])
    await read_state.move_exceptions([])


async def _update_topics(db: DatabaseSession) -> None:
    topics = MoveRepository(db, _NO_REALM)
    await topics.find_topic(_CHANNEL, "")
    await topics.find_both(_HERE, _CHANNEL, "")
    rows = DeletionRepository(db, _NO_REALM)
    await rows.find_ends([])
    ends = [Extent(each, _NO_MESSAGE, _NO_MESSAGE) for each in (_HERE, _THERE)]
    # Of one row, SQLAlchemy compiles it differently.
    for some in (ends, ends[:1]):
        await rows.set_extents(some)
    await rows.delete_topics([])
    pending = PendingMoveRepository(db)
    await pending.find(0)
    await pending.store_progress(0, _NO_MESSAGE, datetime.now(UTC))
    await pending.remove(0)

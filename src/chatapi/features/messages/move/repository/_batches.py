"""Writes batches of messages to their new place.

The messages of a batch are known by their ids, so each statement is built once: a long move runs
them again and again while other writers wait.
"""

from collections import defaultdict
from collections.abc import Collection
from datetime import datetime
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict
from sqlalchemy import (
    BigInteger,
    BindParameter,
    ColumnElement,
    Insert,
    Select,
    bindparam,
    exists,
    insert,
    not_,
    or_,
    select,
    update,
)

from chatapi.core.ids import ChannelId, ConversationId, EventNumber, MessageId, UserId
from chatapi.db.base import TableColumn, aliased
from chatapi.db.id_lists import is_one_of
from chatapi.db.models import Message, MessageEdit, MessageFlag, ReadException
from chatapi.db.session import DatabaseSession
from chatapi.features.messages.move.repository._conditions import subscribes_to_both
from chatapi.features.messages.move.selection import MessageSelection
from chatapi.permissions.messages import sent_during

_LAST_ID = 2**63 - 1


class Change(Struct, frozen=True):
    """Which user moves messages, when, and their previous place; None for what stays unchanged."""

    editor_id: UserId
    now: datetime
    prev_topic: str | None
    prev_channel_id: ChannelId | None


class FoundMessages(Struct, frozen=True):
    """Some messages of a conversation."""

    arrivals: dict[MessageId, EventNumber | None]
    """Their ids in order, each with the number of the event that moved it there, if any."""
    have_exceptions: bool
    """Whether any messages of the conversation are read, or unread, by exception."""


def _parameter(name: str, column: TableColumn[Any]) -> BindParameter[Any]:
    return bindparam(name, type_=column.type)


_own_move = aliased(MessageEdit)
_IN_BATCH = is_one_of(Message.id, "message_ids")
_HAS_EXCEPTIONS = exists().where(ReadException.conversation_id == bindparam("conversation"))
_NEWEST: Select[*tuple[Any, ...]] = (
    # Checked here, since most topics have none, and then two statements are left out.
    select(Message.id, Message.arrival, _HAS_EXCEPTIONS)
    .where(
        Message.conversation_id == bindparam("conversation"),
        Message.id.between(bindparam("first"), bindparam("last")),
    )
    .order_by(Message.id.desc())
    .limit(bindparam("most", type_=BigInteger))
)
_STARS = select(MessageFlag.user_id, MessageFlag.message_id).where(
    is_one_of(MessageFlag.message_id, "message_ids"), MessageFlag.starred
)
_STARS_OF_OTHERS = _STARS.where(
    not_(subscribes_to_both(MessageFlag, "source_channel", "target_channel"))
)
_TO_TOPIC = (
    update(Message)
    .where(_IN_BATCH)
    .values(conversation_id=bindparam("target"), last_moved_at=bindparam("now"))
)
_TO_CHANNEL = _TO_TOPIC.values(
    channel_id=bindparam("target_channel"), arrival=bindparam("new_arrival")
)


def _note_move() -> Insert:
    """Adds this move to the edit history of each message."""
    noted = {
        "message_id": Message.id,
        "editor_id": _parameter("editor_id", MessageEdit.editor_id),
        "edited_at": _parameter("now", MessageEdit.edited_at),
        "prev_topic": _parameter("prev_topic", MessageEdit.prev_topic),
        "prev_channel_id": _parameter("prev_channel_id", MessageEdit.prev_channel_id),
        "prev_conversation_id": Message.conversation_id,
    }
    rows = select(*noted.values()).where(_IN_BATCH).order_by(Message.id)
    return insert(MessageEdit).from_select(list(noted), rows)


def _copy_renamings() -> Insert:
    """Copies the earlier renames of the topic to each moved message, so that they follow it."""
    moved_since = (
        exists()
        .where(
            _own_move.message_id == Message.id,
            _own_move.prev_topic.is_not(None) | _own_move.prev_channel_id.is_not(None),
            _own_move.id > MessageEdit.id,
        )
        .correlate(Message, MessageEdit)
    )
    copied: dict[str, ColumnElement[Any]] = {
        "message_id": Message.id,
        "editor_id": MessageEdit.editor_id,
        "edited_at": MessageEdit.edited_at,
        "prev_topic": MessageEdit.prev_topic,
        "prev_channel_id": MessageEdit.prev_channel_id,
    }
    rows = (
        select(*copied.values())
        .join(MessageEdit, MessageEdit.conversation_id == Message.conversation_id)
        .where(_IN_BATCH, Message.id <= MessageEdit.up_to, not_(moved_since))
        .order_by(MessageEdit.id)
    )
    return insert(MessageEdit).from_select(list(copied), rows)


_NOTE_MOVE = _note_move()
_COPY_RENAMINGS = _copy_renamings()


class BatchRepository:
    """Messages of one conversation that are moved together."""

    def __init__(self, db: DatabaseSession) -> None:
        self._db = db

    async def find_newest(self, selection: MessageSelection, most: int) -> FoundMessages:
        """The newest messages of a selection."""
        newest, periods = _NEWEST, selection.subscription_periods
        if periods is not None:
            newest = newest.where(or_(*map(sent_during, periods)))
        only, since, up_to = selection.only, selection.since, selection.up_to
        values = {
            "conversation": selection.conversation_id,
            "first": only or since or 0,
            "last": only or up_to or _LAST_ID,
            "most": most,
        }
        rows = (await self._db.execute(newest, values)).all()
        arrivals = {MessageId(row[0]): row[1] for row in reversed(rows)}
        return FoundMessages(arrivals, have_exceptions=bool(rows and rows[0][2]))

    async def list_stars(self, message_ids: Collection[MessageId]) -> dict[UserId, list[MessageId]]:
        """Which of the messages are starred, by the users who did that."""
        return await self._list_stars(_STARS, {"message_ids": list(message_ids)})

    async def list_stars_of_others(
        self, message_ids: Collection[MessageId], source: ChannelId, target: ChannelId
    ) -> dict[UserId, list[MessageId]]:
        """The same, except for users who are subscribed to both channels."""
        channels = {"source_channel": source, "target_channel": target}
        return await self._list_stars(
            _STARS_OF_OTHERS, {"message_ids": list(message_ids), **channels}
        )

    async def _list_stars(
        self, statement: Select[*tuple[int, int]], values: dict[str, Any]
    ) -> dict[UserId, list[MessageId]]:
        found: defaultdict[UserId, list[MessageId]] = defaultdict(list)
        for user_id, message_id in await self._db.execute(statement, values):
            found[UserId(user_id)].append(MessageId(message_id))
        return found

    async def copy_renamings(self, message_ids: Collection[MessageId]) -> None:
        """Copy the earlier renames of the topic to each moved message, so that they follow it."""
        await self._db.execute(_COPY_RENAMINGS, {"message_ids": list(message_ids)})

    async def move(
        self,
        message_ids: Collection[MessageId],
        target: ConversationId,
        change: Change,
        arrival: tuple[ChannelId, EventNumber] | None,
    ) -> None:
        """Move messages to another conversation, and to another channel if one is given."""
        values = {**asdict(change), "message_ids": list(message_ids), "target": target}
        await self._db.execute(_NOTE_MOVE, values)
        if arrival is None:
            await self._db.execute(_TO_TOPIC, values)
            return
        channel_id, number = arrival
        in_channel = {"target_channel": channel_id, "new_arrival": number}
        await self._db.execute(_TO_CHANNEL, {**values, **in_channel})

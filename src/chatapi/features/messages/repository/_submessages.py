"""Every SQL statement on submessages."""

from collections import defaultdict
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import asdict
from sqlalchemy import bindparam, func, insert, select

from chatapi.core.ids import MessageId, UserId
from chatapi.db.id_lists import is_one_of
from chatapi.db.models import Submessage
from chatapi.db.session import DatabaseSession
from chatapi.features.messages.payloads import SubmessagePayload

WIDGET = "widget"
"""The only type of submessages."""

_OF_MESSAGES = (
    select(
        Submessage.id,
        Submessage.message_id,
        Submessage.sender_id,
        Submessage.content,
    )
    .where(is_one_of(Submessage.message_id, "message_ids"))
    .order_by(Submessage.id)
)
_FIRST = (
    select(Submessage.content)
    .where(Submessage.message_id == bindparam("message_id"))
    .order_by(Submessage.id)
    .limit(1)
)
_USAGE = (
    select(Submessage.message_id, func.count(), func.sum(func.length(Submessage.content)))
    .where(is_one_of(Submessage.message_id, "message_ids"))
    .group_by(Submessage.message_id)
)
_ADD = insert(Submessage).returning(Submessage.id, sort_by_parameter_order=True)


class NewSubmessage(Struct, frozen=True):
    """A submessage to write."""

    message_id: MessageId
    sender_id: UserId
    content: str

    def payload(self, submessage_id: int) -> SubmessagePayload:
        """The submessage as clients see it, once it has an id."""
        return {
            "id": submessage_id,
            "message_id": self.message_id,
            "sender_id": self.sender_id,
            "msg_type": WIDGET,
            "content": self.content,
        }


class SubmessageUsage(Struct, frozen=True):
    """How much the submessages of one message are."""

    count: int
    characters: int


class SubmessageRepository:
    """Submessages of messages; the caller has checked that the reader may see these."""

    def __init__(self, db: DatabaseSession) -> None:
        self._db = db

    async def list_of(
        self, message_ids: Sequence[MessageId]
    ) -> dict[MessageId, list[SubmessagePayload]]:
        """The submessages of some messages, the oldest first."""
        found: defaultdict[MessageId, list[SubmessagePayload]] = defaultdict(list)
        rows = await self._db.execute(_OF_MESSAGES, {"message_ids": message_ids})
        for submessage_id, message_id, sender_id, content in rows:
            submessage = NewSubmessage(MessageId(message_id), UserId(sender_id), content)
            found[submessage.message_id].append(submessage.payload(submessage_id))
        return found

    async def find_widget(self, message_id: MessageId) -> str | None:
        """The widget of a message, as JSON."""
        rows = await self._db.execute(_FIRST, {"message_id": message_id})
        return rows.scalar_one_or_none()

    async def measure(self, message_ids: Sequence[MessageId]) -> dict[MessageId, SubmessageUsage]:
        """How much the submessages of messages are; those without any are left out."""
        rows = await self._db.execute(_USAGE, {"message_ids": message_ids})
        return {
            MessageId(message_id): SubmessageUsage(count, characters)
            for message_id, count, characters in rows
        }

    async def add(self, submessages: Sequence[NewSubmessage]) -> list[SubmessagePayload]:
        rows = [{**asdict(each), "msg_type": WIDGET} for each in submessages]
        ids = [submessage_id for (submessage_id,) in await self._db.execute(_ADD, rows)]
        return [
            each.payload(submessage_id)
            for submessage_id, each in zip(ids, submessages, strict=True)
        ]

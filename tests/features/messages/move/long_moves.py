"""Two channels, and moves between them that take several batches."""

from dataclasses import dataclass

from sqlalchemy import select

from chatapi.auth.runtime import Runtime
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.ids import MessageId
from chatapi.db.models import PendingMove
from chatapi.features.messages.move.continuation import MoveRunner
from tests.factories import Person
from tests.features.messages.edit.editing import edit
from tests.features.messages.fetch.conversations import ids_read, send
from tests.support.client import ApiClient
from tests.support.responses import assert_success

BATCH = 2
QUIETLY = {"send_notification_to_new_thread": False}
ALL = {"propagate_mode": "change_all"}


@dataclass(frozen=True)
class LongMoveScene:
    """An owner and a member in two channels; tests decide when the next batch is moved."""

    client: ApiClient
    runtime: Runtime
    runner: MoveRunner
    """In place of the job of the application."""
    here: ChannelRecord
    there: ChannelRecord
    owner: Person
    member: Person

    async def send_some(
        self, count: int = 5, *, sender: Person | None = None, channel: ChannelRecord | None = None
    ) -> list[MessageId]:
        """Send to the topic `topic`, as the owner and to the first channel by default."""
        by, to = sender or self.owner, channel or self.here
        return [await send(self.client, by, to, "topic") for _ in range(count)]

    async def begin(
        self, message_id: MessageId, *, mover: Person | None = None, **params: object
    ) -> None:
        """Request to move the whole topic of a message, without a notice by default."""
        wanted = {**ALL, **QUIETLY, **params}
        assert_success(await edit(self.client, mover or self.owner, message_id, **wanted))

    async def begin_there(
        self, message_id: MessageId, *, mover: Person | None = None, **params: object
    ) -> None:
        """The same to the second channel."""
        await self.begin(message_id, mover=mover, stream_id=self.there.id, **params)

    async def is_under_way(self) -> bool:
        async with self.runtime.reading() as db:
            return (await db.execute(select(PendingMove.id))).first() is not None

    async def complete(self) -> None:
        """Move all that is left."""
        while await self.is_under_way():
            await self.runner.run_once()

    async def list_here(self, reader: Person | None = None) -> list[MessageId]:
        return await self.list_in(self.here, reader)

    async def list_there(self, reader: Person | None = None) -> list[MessageId]:
        return await self.list_in(self.there, reader)

    async def list_in(
        self, channel: ChannelRecord, reader: Person | None = None
    ) -> list[MessageId]:
        """The messages of a channel that a reader sees, by default the owner."""
        return await ids_read(self.client, reader or self.owner, ["channel", channel.id])

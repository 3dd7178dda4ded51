"""How a scheduled message is sent, or fails."""

from collections.abc import Sequence

from chatapi.auth.context import Context, RealmContext
from chatapi.auth.notices import DirectNotice
from chatapi.core.clock import unix_seconds
from chatapi.events.audience import Users
from chatapi.events.event import Event
from chatapi.features.messages.notices import post_notices
from chatapi.features.messages.outgoing import OutgoingMessage
from chatapi.features.messages.schedule_records import ScheduledRecord
from chatapi.features.messages.scheduled.events import (
    ScheduledMessageRemoved,
    ScheduledMessageUpdated,
)
from chatapi.features.messages.scheduled.rules import as_request
from chatapi.features.messages.send.service import MessageService
from chatapi.rendering import quoted


class MessageDelivery:
    """The parts of a delivery that are specific to scheduled messages."""

    async def compose(self, ctx: Context, record: ScheduledRecord) -> OutgoingMessage:
        """As if its owner sent it now: the same rules, and rendered again."""
        return await MessageService(ctx).prepare(as_request(record))

    def removed(self, record: ScheduledRecord) -> Event:
        return ScheduledMessageRemoved(scheduled_message_id=record.id)

    async def notify_failed(self, ctx: RealmContext, records: Sequence[ScheduledRecord]) -> None:
        """Emit the failure to the owners' clients, and notify the owners of the reason."""
        for record in records:
            event = ScheduledMessageUpdated(scheduled_message=record.payload())
            ctx.emit(event, to=Users.only(record.owner_id))
        await post_notices(ctx, [_notice(record) for record in records])


def _notice(record: ScheduledRecord) -> DirectNotice:
    when = f"<time:{unix_seconds(record.deliver_at)}>"
    text = (
        f"The message you scheduled for {when} could not be sent:\n\n{quoted(record.failure or '')}"
    )
    return DirectNotice(record.owner_id, text)

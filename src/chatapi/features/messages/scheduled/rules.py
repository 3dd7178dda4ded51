"""Rules for scheduled messages and their times; pure."""

from datetime import UTC, datetime

from chatapi.core.errors import BadRequestError
from chatapi.features.messages.outgoing import DirectTarget, OutgoingMessage
from chatapi.features.messages.rules import is_read_by_sender
from chatapi.features.messages.schedule_records import ScheduledRecord
from chatapi.features.messages.scheduled.params import EditScheduledMessageParams
from chatapi.features.messages.send.params import SendMessageParams

MAX_SCHEDULED = 500
"""Limit of scheduled messages per user, and of reminders per user."""


def check_time(timestamp: int, now: datetime) -> datetime:
    """The delivery time, which must be in the future."""
    moment = datetime.fromtimestamp(timestamp, UTC)
    if moment <= now:
        raise BadRequestError("scheduled_delivery_timestamp must be in the future")
    return moment


def is_read_later(outgoing: OutgoingMessage) -> bool:
    """Whether a scheduled message counts as read by its sender, if the client did not say.

    Notes to oneself stay unread, so that the sender notices them.
    """
    is_note = isinstance(outgoing.to, DirectTarget) and len(outgoing.to.people) == 1
    return is_read_by_sender(outgoing.client_name) and not is_note


def as_request(record: ScheduledRecord) -> SendMessageParams:
    """The request that would send a scheduled message now."""
    return SendMessageParams(
        type="direct" if record.is_direct else "channel",
        to=record.to,
        content=record.content,
        topic=None if record.is_direct else record.topic,
        read_by_sender=record.read_by_sender,
    )


def edited(record: ScheduledRecord, params: EditScheduledMessageParams) -> SendMessageParams:
    """The request that would send a scheduled message now, with the changes applied."""
    before = as_request(record)
    is_direct = record.is_direct if params.type is None else params.type in {"direct", "private"}
    topic = params.topic
    if is_direct != record.is_direct:
        if params.to is None:
            raise BadRequestError("Missing 'to' argument: it has to change with the type")
        if not is_direct and topic is None:
            raise BadRequestError("Missing 'topic' argument: messages to channels need one")
    elif topic is None:
        topic = before.topic
    return before.model_copy(
        update={
            "type": "direct" if is_direct else "channel",
            "to": before.to if params.to is None else params.to,
            "content": before.content if params.content is None else params.content,
            "topic": topic,
        }
    )

"""Endpoints of scheduled messages."""

from typing import Annotated

from pydantic import Field

from chatapi.auth.guards import LoggedIn
from chatapi.channel_cache.errors import StreamIdDoesNotExistError
from chatapi.core.ids import ScheduledMessageId
from chatapi.features.messages.errors import (
    StreamWildcardMentionNotAllowedError,
    TopicWildcardMentionNotAllowedError,
)
from chatapi.features.messages.schedule_payloads import ScheduledMessagesPayload, ScheduledPayload
from chatapi.features.messages.scheduled.errors import ScheduledMessageDoesNotExistError
from chatapi.features.messages.scheduled.params import (
    EditScheduledMessageParams,
    ScheduleMessageParams,
)
from chatapi.features.messages.scheduled.service import ScheduledMessageService
from chatapi.http.route import FeatureRouter, raises
from chatapi.wire.types import Id

ScheduledMessageInPath = Annotated[
    Id, Field(description="The scheduled message, which must be yours.")
]

router = FeatureRouter("Scheduled messages", "Messages that are sent later.")

_REFUSALS = (
    StreamIdDoesNotExistError,
    StreamWildcardMentionNotAllowedError,
    TopicWildcardMentionNotAllowedError,
)


@router.get("/scheduled_messages")
async def get_scheduled_messages(ctx: LoggedIn) -> ScheduledMessagesPayload:
    """Get the messages you have scheduled.

    By time. Those that could not be sent are listed as well, with `failed`.
    """
    return {"scheduled_messages": await ScheduledMessageService(ctx).list_own()}


@router.post("/scheduled_messages", responses=raises(*_REFUSALS))
async def create_scheduled_message(
    ctx: LoggedIn, params: ScheduleMessageParams
) -> ScheduledPayload:
    """Schedule a message.

    It is sent at its time as if you sent it then. If that is not allowed any more, it is marked as
    failed and you are notified of the reason.
    """
    return await ScheduledMessageService(ctx).schedule(params)


@router.patch(
    "/scheduled_messages/{scheduled_message_id:int}",
    responses=raises(*_REFUSALS, ScheduledMessageDoesNotExistError),
)
async def update_scheduled_message(
    ctx: LoggedIn, scheduled_message_id: ScheduledMessageInPath, params: EditScheduledMessageParams
) -> None:
    """Change a scheduled message.

    Only what is passed changes. One that failed needs a new time, and is tried again then. Your
    clients receive a `scheduled_messages/update` event.
    """
    service = ScheduledMessageService(ctx)
    await service.edit(ScheduledMessageId(scheduled_message_id), params)


@router.delete(
    "/scheduled_messages/{scheduled_message_id:int}",
    responses=raises(ScheduledMessageDoesNotExistError),
)
async def delete_scheduled_message(
    ctx: LoggedIn, scheduled_message_id: ScheduledMessageInPath
) -> None:
    """Delete a scheduled message.

    It is not sent then. Your clients receive a `scheduled_messages/remove` event.
    """
    await ScheduledMessageService(ctx).remove(ScheduledMessageId(scheduled_message_id))

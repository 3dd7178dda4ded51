"""Endpoints of flags."""

from chatapi.auth.guards import LoggedIn
from chatapi.core.errors import TooExpensiveError
from chatapi.core.ids import ChannelId
from chatapi.features.messages.flags.mark_as_read import MarkAsReadService
from chatapi.features.messages.flags.narrow_flags import change_in_narrow
from chatapi.features.messages.flags.params import (
    ChangeFlagsParams,
    ChangeNarrowFlagsParams,
    MarkChannelParams,
    MarkTopicParams,
)
from chatapi.features.messages.flags.payloads import (
    ChangedFlagsPayload,
    MarkedAllPayload,
    NarrowFlagsPayload,
)
from chatapi.features.messages.flags.service import FlagService
from chatapi.http.route import FeatureRouter, raises
from chatapi.narrow import BadNarrowError

router = FeatureRouter("Flags", "What you have read, starred and collapsed.")


@router.post("/messages/flags")
async def change_flags(ctx: LoggedIn, params: ChangeFlagsParams) -> ChangedFlagsPayload:
    """Add or remove a flag of messages.

    You can change the flags `read`, `starred` and `collapsed`. Returns the messages that changed.
    Messages of channels to which you are not subscribed cannot be marked as unread.
    """
    return await FlagService(ctx).change(params)


@router.post("/messages/flags/narrow", responses=raises(BadNarrowError, TooExpensiveError))
async def change_flags_in_narrow(
    ctx: LoggedIn, params: ChangeNarrowFlagsParams
) -> NarrowFlagsPayload:
    """Add or remove a flag of the messages of a narrow.

    Processes the messages around the anchor, 5,000 at most, as `GET /messages` would return them;
    to continue, repeat it with `last_processed_id` or `first_processed_id` as the anchor.
    """
    async with ctx.heavy_read():
        return await change_in_narrow(ctx, params)


@router.post("/mark_all_as_read")
async def mark_all_as_read(ctx: LoggedIn) -> MarkedAllPayload:
    """Mark all messages as read.

    Your clients receive one `update_message_flags/add` event with `all`, without the ids of the
    messages.
    """
    await MarkAsReadService(ctx).mark_all()
    return {"complete": True}


@router.post("/mark_stream_as_read")
async def mark_channel_as_read(ctx: LoggedIn, params: MarkChannelParams) -> None:
    """Mark all messages of a channel as read.

    Your clients receive an `update_message_flags/add` event with the messages that were unread.
    """
    await MarkAsReadService(ctx).mark_channel(ChannelId(params.stream_id))


@router.post("/mark_topic_as_read", deprecated=True)
async def mark_topic_as_read(ctx: LoggedIn, params: MarkTopicParams) -> None:
    """Mark all messages of a topic as read.

    Your clients receive an `update_message_flags/add` event. `POST /messages/flags/narrow` does the
    same for any narrow.
    """
    await MarkAsReadService(ctx).mark_topic(params)

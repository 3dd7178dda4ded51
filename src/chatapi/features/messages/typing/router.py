"""Endpoints of typing notifications."""

from chatapi.auth.guards import LoggedIn
from chatapi.channel_cache.errors import StreamIdDoesNotExistError
from chatapi.core.ids import MessageId
from chatapi.features.messages.typing.editing import notify_of_edit
from chatapi.features.messages.typing.params import EditTypingParams, TypingParams
from chatapi.features.messages.typing.service import TypingService
from chatapi.http.route import FeatureRouter, raises
from chatapi.wire.types import MessageInPath

router = FeatureRouter("Typing", "Show others that you are about to say something.")


@router.post("/typing", responses=raises(StreamIdDoesNotExistError))
async def set_typing_status(ctx: LoggedIn, params: TypingParams) -> None:
    """Notify others that you are typing, or no longer.

    Send `start` repeatedly while typing, and `stop` when done; `POST /register` returns the
    interval. Only users with a connected client are notified; in channels only if there are at most
    a hundred subscribers, and only clients with the capability `stream_typing_notifications`.
    """
    await TypingService(ctx).notify(params)


@router.post("/messages/{message_id:int}/typing")
async def set_edit_typing_status(
    ctx: LoggedIn, message_id: MessageInPath, params: EditTypingParams
) -> None:
    """Notify others that you are editing a message of yours, or no longer.

    The same settings and limits hold as for new messages.
    """
    await notify_of_edit(ctx, MessageId(message_id), params)

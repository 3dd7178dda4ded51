"""Endpoints of editing messages."""

from chatapi.auth.guards import LoggedIn
from chatapi.channel_cache.errors import StreamIdDoesNotExistError
from chatapi.core.errors import TooExpensiveError
from chatapi.core.ids import MessageId
from chatapi.features.messages.edit.errors import ContentChangedError
from chatapi.features.messages.edit.history import EditHistory
from chatapi.features.messages.edit.params import EditHistoryParams, EditMessageParams
from chatapi.features.messages.edit.payloads import EditedPayload, MessageHistoryPayload
from chatapi.features.messages.edit.service import EditService
from chatapi.features.messages.errors import (
    StreamWildcardMentionNotAllowedError,
    TopicWildcardMentionNotAllowedError,
)
from chatapi.features.messages.move.errors import MoveTimeLimitError
from chatapi.http.route import FeatureRouter, raises
from chatapi.wire.types import MessageInPath

router = FeatureRouter("Edits", "Change and move what was written, and see what was there before.")


@router.patch(
    "/messages/{message_id:int}",
    responses=raises(
        ContentChangedError,
        MoveTimeLimitError,
        StreamIdDoesNotExistError,
        StreamWildcardMentionNotAllowedError,
        TopicWildcardMentionNotAllowedError,
    ),
)
async def edit_message(
    ctx: LoggedIn, message_id: MessageInPath, params: EditMessageParams
) -> EditedPayload:
    """Change the text of a message, or move it to another topic or channel.

    With `propagate_mode`, the later messages of its topic, or the whole topic, are moved with it.
    Of several hundred messages, the newest are moved at once, and the others within seconds after
    the response, with an event for each part. Until then, requests that move, rename or delete one
    of the two topics are refused.
    """
    return await EditService(ctx).edit(MessageId(message_id), params)


@router.get("/messages/{message_id:int}/history", responses=raises(TooExpensiveError))
async def get_message_history(
    ctx: LoggedIn, message_id: MessageInPath, params: EditHistoryParams
) -> MessageHistoryPayload:
    """Get the edit history of a message, the oldest version first.

    Where this would be more than 8 MiB, older changes have no `content_html_diff`.
    """
    return await EditHistory(ctx).show(MessageId(message_id), params)

"""Endpoints of deleting."""

from chatapi.auth.guards import LoggedIn
from chatapi.core.ids import ChannelId, MessageId
from chatapi.features.messages.delete.errors import TopicDeletionNotAllowedError
from chatapi.features.messages.delete.params import DeleteTopicParams
from chatapi.features.messages.delete.payloads import DeletedTopicPayload
from chatapi.features.messages.delete.service import DeletionService
from chatapi.http.route import FeatureRouter, raises
from chatapi.wire.types import ChannelInPath, MessageInPath

router = FeatureRouter("Deleting", "Take messages away for good.")


@router.delete("/messages/{message_id:int}")
async def delete_message(ctx: LoggedIn, message_id: MessageInPath) -> None:
    """Delete a message.

    Members of `can_delete_any_message_group` of the organization or of the channel may delete any
    message they can see. Members of `can_delete_own_message_group` of either may delete what they
    or their bots sent, until `message_content_delete_limit_seconds` have passed.
    """
    await DeletionService(ctx).delete_message(MessageId(message_id))


@router.post(
    "/streams/{stream_id:int}/delete_topic", responses=raises(TopicDeletionNotAllowedError)
)
async def delete_topic(
    ctx: LoggedIn, stream_id: ChannelInPath, params: DeleteTopicParams
) -> DeletedTopicPayload:
    """Delete a topic: all messages in it that you can see.

    For members of `can_delete_any_message_group` of the organization or of the channel. The newest
    messages are deleted first. If there are more than one request can delete, `complete` is false:
    call again.
    """
    complete = await DeletionService(ctx).delete_topic(ChannelId(stream_id), params.topic_name)
    return {"complete": complete}

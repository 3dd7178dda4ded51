"""POST /messages."""

from chatapi.auth.guards import Sender
from chatapi.channel_cache.errors import StreamDoesNotExistError, StreamIdDoesNotExistError
from chatapi.features.messages.errors import (
    StreamWildcardMentionNotAllowedError,
    TopicWildcardMentionNotAllowedError,
)
from chatapi.features.messages.payloads import SentPayload
from chatapi.features.messages.send.params import SendMessageParams
from chatapi.features.messages.send.service import MessageService
from chatapi.http.route import FeatureRouter, raises

router = FeatureRouter("Messages", "Send messages to channels and people.")


@router.post(
    "/messages",
    responses=raises(
        StreamDoesNotExistError,
        StreamIdDoesNotExistError,
        StreamWildcardMentionNotAllowedError,
        TopicWildcardMentionNotAllowedError,
    ),
)
async def send_message(ctx: Sender, params: SendMessageParams) -> SentPayload:
    """Send a message to a channel or to users.

    Everyone who may read it receives a `message` event. In channels you need
    `can_send_message_group`, and `can_create_topic_group` for a new topic; wildcard mentions of
    many users need `can_mention_many_users_group`. Pass an `Idempotency-Key`, or `queue_id` and
    `local_id`, to be able to repeat the request safely.
    """
    return await MessageService(ctx).send(params)

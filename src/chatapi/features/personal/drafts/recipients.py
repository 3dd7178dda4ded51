"""Checks the recipients of a draft: only channels and users that its owner may see."""

from collections.abc import Sequence

from chatapi.auth.context import Context
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import ChannelId
from chatapi.features.personal.drafts.records import DraftText
from chatapi.permissions.channel_lookup import readable_channel
from chatapi.permissions.user_lookup import people_by_id
from chatapi.wire.limits import MAX_TOPIC_LENGTH
from chatapi.wire.topics import INVALID_CHARACTERS, has_valid_characters


async def check_recipients(ctx: Context, drafts: Sequence[DraftText]) -> None:
    """Refuse drafts to channels and users that do not exist or that the caller may not see."""
    channels = {each for draft in drafts if draft.kind == "stream" for each in draft.recipient_ids}
    for channel_id in sorted(channels):
        await readable_channel(ctx, ChannelId(channel_id))
    people = {each for draft in drafts if draft.kind == "private" for each in draft.recipient_ids}
    if people:
        await people_by_id(ctx, sorted(people))


def check_form(draft: DraftText) -> None:
    """Refuse a malformed draft; independent of whether its recipients exist."""
    if draft.kind != "stream":
        return
    if len(draft.recipient_ids) != 1:
        raise BadRequestError("to: Must specify exactly 1 channel ID for channel messages")
    if not has_valid_characters(draft.topic):
        raise BadRequestError(f"topic: {INVALID_CHARACTERS}")
    if len(draft.topic) > MAX_TOPIC_LENGTH:
        raise BadRequestError(f"topic is too long (limit: {MAX_TOPIC_LENGTH} characters)")

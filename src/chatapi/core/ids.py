"""Types for the integers and strings that identify things."""

import hashlib
import os
import secrets
import string
from typing import NewType

RealmId = NewType("RealmId", int)
UserId = NewType("UserId", int)
ApiKeyId = NewType("ApiKeyId", int)
GroupId = NewType("GroupId", int)
EventNumber = NewType("EventNumber", int)
"""Number of a logged event, in the order of its realm."""
EventId = NewType("EventId", int)
"""Id of any event a queue delivers; see `events/event_ids.py`."""
QueueId = NewType("QueueId", str)
ProfileFieldId = NewType("ProfileFieldId", int)
ChannelId = NewType("ChannelId", int)
ConversationId = NewType("ConversationId", int)
MessageId = NewType("MessageId", int)
AttachmentId = NewType("AttachmentId", int)
EmojiId = NewType("EmojiId", int)
ChannelFolderId = NewType("ChannelFolderId", int)
DefaultChannelGroupId = NewType("DefaultChannelGroupId", int)
ScheduledMessageId = NewType("ScheduledMessageId", int)
DraftId = NewType("DraftId", int)
SavedSnippetId = NewType("SavedSnippetId", int)
LinkifierId = NewType("LinkifierId", int)
DeviceId = NewType("DeviceId", int)
PlaygroundId = NewType("PlaygroundId", int)

MAX_ID = 2**63 - 1
"""The largest integer both databases can hold."""

_API_KEY_LENGTH = 32
_API_KEY_CHARACTERS = string.ascii_letters + string.digits


def new_queue_id() -> QueueId:
    """Returns an id that cannot be guessed, although the owner is checked as well."""
    return QueueId(secrets.token_urlsafe(18))


def new_api_key() -> str:
    """Returns 32 letters and digits: tools refuse keys with other characters."""
    return "".join(secrets.choice(_API_KEY_CHARACTERS) for _ in range(_API_KEY_LENGTH))


def new_request_id() -> str:
    return os.urandom(8).hex()


def hash_api_key(api_key: str) -> str:
    """API keys are long and random, so a plain digest is as safe as a slow hash."""
    return hashlib.sha256(api_key.encode()).hexdigest()

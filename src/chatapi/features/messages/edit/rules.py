"""Which users may edit which texts, and until when; pure."""

import hashlib
from datetime import datetime

from chatapi.core.errors import BadRequestError
from chatapi.core.ids import UserId
from chatapi.features.messages.edit.errors import ContentChangedError
from chatapi.features.messages.edit.params import EditMessageParams
from chatapi.features.messages.repository import MAX_EARLIER_TEXT
from chatapi.wire.realm_settings import RealmSettings

_GRACE_SECONDS = 20
"""Users who began to edit within the limit may finish writing."""
_MAX_EDITS = 1_000
"""Limit of edits of one message's text; even a bot that reports progress in it needs far fewer."""
DELETED = "(deleted)"
"""The text of a message whose text was removed."""


def check_combination(params: EditMessageParams) -> None:
    """Refuse parameters that contradict each other."""
    changes_place = params.topic is not None or params.stream_id is not None
    if params.content is None and not changes_place:
        raise BadRequestError("Nothing to change: content, topic or stream_id is needed")
    if params.propagate_mode != "change_one" and not changes_place:
        raise BadRequestError("propagate_mode: Invalid without a new topic or channel")
    if params.content is not None and params.stream_id is not None:
        raise BadRequestError("content: Cannot be changed together with the channel (stream_id)")


def is_in_time(sent_at: datetime, now: datetime, limit_seconds: int | None) -> bool:
    """Whether a message is young enough; without a limit, every message is."""
    if limit_seconds is None:
        return True
    return (now - sent_at).total_seconds() <= limit_seconds + _GRACE_SECONDS


def check_may_edit(
    editor_id: UserId, sender_id: UserId, sent_at: datetime, now: datetime, options: RealmSettings
) -> None:
    """Only the sender may edit a text, within the time limit."""
    if sender_id != editor_id:
        raise BadRequestError("You don't have permission to edit this message")
    if not options.allow_message_editing:
        raise BadRequestError("Your organization has turned off message editing")
    if not is_in_time(sent_at, now, options.message_content_edit_limit_seconds):
        raise BadRequestError("The time limit for editing this message has passed")


def check_edits_so_far(count: int, length: int) -> None:
    """Refuse more earlier texts of a message than can be returned to readers."""
    if count >= _MAX_EDITS:
        message = f"content: This message was edited too often (maximum {_MAX_EDITS} times)"
        raise BadRequestError(message)
    if length >= MAX_EARLIER_TEXT:
        raise BadRequestError(
            "content: The earlier texts of this message are too long to keep more"
        )


def check_digest(content: str, digest: str | None) -> None:
    """Refuse to replace a text other than the one the client knows."""
    if digest is not None and hashlib.sha256(content.encode()).hexdigest() != digest.lower():
        raise ContentChangedError

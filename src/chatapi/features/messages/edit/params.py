"""Parameters of editing and of the edit history."""

import hashlib
from typing import Annotated

from pydantic import Field

from chatapi.features.messages.move.propagation import PropagateMode
from chatapi.wire.limits import MAX_MESSAGE_LENGTH
from chatapi.wire.params import Alias, Params
from chatapi.wire.topics import Topic
from chatapi.wire.types import Id

_DIGEST = hashlib.sha256(b"Hello **world**").hexdigest()


class EditMessageParams(Params):
    """PATCH /messages/{message_id}: a new text, or a new place."""

    content: Annotated[str | None, Field(max_length=MAX_MESSAGE_LENGTH)] = None
    """The new text, in Markdown; a blank one becomes "(deleted)". Only the sender may change a
    text."""
    prev_content_sha256: Annotated[
        str | None, Field(max_length=100, pattern="^[0-9a-fA-F]{64}$", examples=[_DIGEST])
    ] = None
    """The SHA-256 of the text that you are replacing, in hexadecimal: refused if the text was
    changed meanwhile."""
    topic: Annotated[Topic | None, Alias("subject")] = None
    """The topic to move the message to."""
    stream_id: Id | None = None
    """The channel to move the message to. Cannot be combined with `content`."""
    propagate_mode: PropagateMode = "change_one"
    """Which messages are moved: only this one, also the later ones of its topic, or the whole
    topic."""
    send_notification_to_old_thread: bool = False
    """Whether a notice in the old topic tells where the messages went."""
    send_notification_to_new_thread: bool = True
    """Whether a notice in the new topic tells where the messages came from."""


class EditHistoryParams(Params):
    """GET /messages/{message_id}/history."""

    allow_empty_topic_name: bool = False
    """Whether your client understands a topic with an empty name; otherwise it is called `general
    chat`."""

"""Parameters of editing and of the edit history."""

import hashlib
from typing import Annotated

from pydantic import Field

from chatapi.features.messages.move.propagation import PropagateMode
from chatapi.wire.limits import MAX_MESSAGE_LENGTH
from chatapi.wire.params import Alias, Params, with_example
from chatapi.wire.topics import Topic
from chatapi.wire.types import Id

_DIGEST = hashlib.sha256(b"Hello **world**").hexdigest()


class EditMessageParams(Params):
    """PATCH /messages/{message_id}: a new text, or a new place."""

    model_config = with_example(content="Hello **again**")

    content: Annotated[
        str | None, Field(max_length=MAX_MESSAGE_LENGTH, examples=["Hello **again**"])
    ] = None
    """The new text, in Markdown; blank for "(deleted)"."""
    prev_content_sha256: Annotated[
        str | None, Field(max_length=100, pattern="^[0-9a-fA-F]{64}$", examples=[_DIGEST])
    ] = None
    """A digest of the text that is to be replaced: refused if it was changed meanwhile."""
    topic: Annotated[Topic | None, Alias("subject")] = None
    stream_id: Id | None = None
    """The channel to move to."""
    propagate_mode: PropagateMode = "change_one"
    """Whether to move only this message, also the later ones of its topic, or the whole topic."""
    send_notification_to_old_thread: bool = False
    send_notification_to_new_thread: bool = True


class EditHistoryParams(Params):
    """GET /messages/{message_id}/history."""

    allow_empty_topic_name: bool = False

"""The edits of a message, reconstructed backwards from its current state."""

from collections.abc import Collection, Iterable, Sequence
from typing import Literal, Protocol

from msgspec import Struct

from chatapi.core.clock import unix_seconds
from chatapi.core.ids import ChannelId, ConversationId, MessageId
from chatapi.features.messages.edit.payloads import EditPayload
from chatapi.features.messages.repository import EditRecord
from chatapi.wire.topics import show_topic

Shown = Literal["all", "moves", "none"]
"""How much of the edit history a realm shows."""


class LocatedMessage(Protocol):
    """A message and its current conversation."""

    @property
    def id(self) -> MessageId: ...

    @property
    def conversation_id(self) -> ConversationId: ...

    @property
    def channel_id(self) -> ChannelId | None: ...

    @property
    def topic(self) -> str: ...


class EditStep(Struct, frozen=True):
    """One edit, and the message's place before and after it; None: hidden from this reader."""

    edit: EditRecord
    topic: str | None
    channel_id: ChannelId | None
    prev_topic: str | None
    prev_channel_id: ChannelId | None

    def payload(self, shown: Shown, *, allow_empty: bool) -> EditPayload | None:
        """The payload of the step, None if the reader may see nothing of it."""
        edit = self.edit
        payload: EditPayload = {
            "user_id": edit.editor_id,
            "timestamp": unix_seconds(edit.edited_at),
        }
        if edit.prev_topic is not None:
            if self.prev_topic is not None:
                payload["prev_topic"] = show_topic(self.prev_topic, allow_empty=allow_empty)
            if self.topic is not None:
                payload["topic"] = show_topic(self.topic, allow_empty=allow_empty)
        if edit.prev_channel_id is not None:
            if self.prev_channel_id is not None:
                payload["prev_stream"] = self.prev_channel_id
            if self.channel_id is not None:
                payload["stream"] = self.channel_id
        if shown == "all" and edit.prev_content is not None:
            payload["prev_content"] = edit.prev_content
            payload["prev_rendered_content"] = edit.prev_rendered_content or ""
        is_shown = shown == "all" or (shown == "moves" and edit.is_move)
        return payload if is_shown else None


def edits_of(message: LocatedMessage, edits: Iterable[EditRecord]) -> list[EditRecord]:
    """The edits of one message among those of many, in their order.

    A renamed topic renames its messages, except those that were moved into it afterwards.
    """
    found = list(edits)
    own = [edit for edit in found if edit.message_id == message.id]
    came = max((edit.id for edit in own if edit.is_move), default=0)
    return [
        edit
        for edit in found
        if edit.message_id == message.id
        or (
            edit.conversation_id == message.conversation_id
            and edit.up_to is not None
            and edit.up_to >= message.id
            and edit.id > came
        )
    ]


def trace_back(
    message: LocatedMessage, edits: Sequence[EditRecord], readable: Collection[ChannelId]
) -> list[EditStep]:
    """The steps, the newest first; channels that the reader may not read are left out."""
    steps: list[EditStep] = []
    topic, channel_id = message.topic, message.channel_id
    for edit in reversed(edits):
        prev_topic = topic if edit.prev_topic is None else edit.prev_topic
        prev_channel_id = channel_id if edit.prev_channel_id is None else edit.prev_channel_id
        is_open = channel_id == message.channel_id or channel_id in readable
        was_open = prev_channel_id == message.channel_id or prev_channel_id in readable
        steps.append(
            EditStep(
                edit,
                topic=topic if is_open else None,
                channel_id=channel_id if is_open else None,
                prev_topic=prev_topic if was_open else None,
                prev_channel_id=prev_channel_id if was_open else None,
            )
        )
        topic, channel_id = prev_topic, prev_channel_id
    return steps


def source_channels(edits: Iterable[EditRecord]) -> set[ChannelId]:
    """The channels from which messages were moved."""
    return {edit.prev_channel_id for edit in edits if edit.prev_channel_id is not None}

"""The edit history of messages on one page; a page without edits costs no statement."""

from collections.abc import Sequence

from msgspec import Struct

from chatapi.auth.context import RealmContext
from chatapi.core.clock import unix_seconds
from chatapi.core.ids import MessageId
from chatapi.features.messages.edit.edit_trail import (
    EditStep,
    Shown,
    edits_of,
    source_channels,
    trace_back,
)
from chatapi.features.messages.fetch.payloads import TrailPayload
from chatapi.features.messages.repository import EditRepository, PageRow
from chatapi.permissions.channels import readable_channels

_MAX_SHARED_TEXT = 8 * 1024
"""Characters of earlier texts; so many of each message of a page are below the limit of a page."""


class EditTrail(Struct, frozen=True):
    """The edits of one message, the newest first."""

    steps: Sequence[EditStep]

    @property
    def is_shared(self) -> bool:
        """Whether it is the same for all readers, and on every page with the message.

        A reader does not see from which channels a message came that the reader cannot read. Long
        earlier texts are left out where a page has too many of them.
        """
        edits = [step.edit for step in self.steps]
        if any(edit.prev_channel_id is not None for edit in edits):
            return False
        texts = [
            text
            for edit in edits
            if edit.changes_text
            for text in (edit.prev_content, edit.prev_rendered_content)
        ]
        return None not in texts and sum(len(text or "") for text in texts) <= _MAX_SHARED_TEXT

    def payload(self, shown: Shown, *, allow_empty: bool) -> TrailPayload:
        payload: TrailPayload = {}
        edited = [step.edit.edited_at for step in self.steps if step.edit.changes_text]
        moved = [step.edit.edited_at for step in self.steps if step.edit.is_move]
        if edited:
            payload["last_edit_timestamp"] = unix_seconds(edited[0])
        if moved:
            payload["last_moved_timestamp"] = unix_seconds(moved[0])
        steps = [step.payload(shown, allow_empty=allow_empty) for step in self.steps]
        if history := [step for step in steps if step is not None]:
            payload["edit_history"] = history
        return payload


async def edit_trails_of(
    ctx: RealmContext, changed: Sequence[PageRow]
) -> dict[MessageId, EditTrail]:
    """The edits of each of the messages that has any."""
    if not changed:
        return {}
    edits = await EditRepository(ctx.db).list_edits(
        [row.id for row in changed], {row.conversation_id for row in changed}
    )
    readable = await readable_channels(ctx, source_channels(edits))
    trails = {row.id: trace_back(row, edits_of(row, edits), readable) for row in changed}
    return {message_id: EditTrail(trail) for message_id, trail in trails.items() if trail}

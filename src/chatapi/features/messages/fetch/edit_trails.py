"""The edit history of messages on one page; a page without edits costs no statement."""

from collections.abc import Sequence

from chatapi.auth.context import RealmContext
from chatapi.core.ids import MessageId
from chatapi.features.messages.edit.edit_trail import (
    EditStep,
    edits_of,
    source_channels,
    trace_back,
)
from chatapi.features.messages.repository import EditRepository, HistoryRow
from chatapi.permissions.channels import readable_channels


async def edit_trails_of(
    ctx: RealmContext, rows: Sequence[HistoryRow]
) -> dict[MessageId, list[EditStep]]:
    """The edits of each message that has any, the newest first."""
    changed = [row for row in rows if _was_changed(row)]
    if not changed:
        return {}
    edits = await EditRepository(ctx.db).list_edits(
        [row.id for row in changed], {row.conversation_id for row in changed}
    )
    readable = await readable_channels(ctx, source_channels(edits))
    trails = {row.id: trace_back(row, edits_of(row, edits), readable) for row in changed}
    return {message_id: trail for message_id, trail in trails.items() if trail}


def _was_changed(row: HistoryRow) -> bool:
    if row.last_edited_at is not None or row.last_moved_at is not None:
        return True
    return row.renamed_up_to is not None and row.renamed_up_to >= row.id

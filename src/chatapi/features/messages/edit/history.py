"""Use case: read the edit history of a message."""

from chatapi.auth.context import Context
from chatapi.core.clock import unix_seconds
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import MessageId
from chatapi.features.messages.edit.diff import html_diff
from chatapi.features.messages.edit.edit_trail import (
    EditStep,
    edits_of,
    source_channels,
    trace_back,
)
from chatapi.features.messages.edit.params import EditHistoryParams
from chatapi.features.messages.edit.payloads import MessageHistoryPayload, SnapshotPayload
from chatapi.features.messages.repository import EditRepository, MessageText
from chatapi.permissions.channels import readable_channels
from chatapi.permissions.message_lookup import FoundMessage, visible_message
from chatapi.wire.topics import show_topic

_MAX_SHOWN = 8 * 1024 * 1024
"""Up to this many characters of texts in a response, diffs are added."""


class EditHistory:
    """Earlier versions, for readers who may see the message, if the realm shows them."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx

    async def show(self, message_id: MessageId, params: EditHistoryParams) -> MessageHistoryPayload:
        """GET /messages/{message_id}/history."""
        if self._ctx.realm.options.message_edit_history_visibility_policy == "none":
            raise BadRequestError("Message edit history is disabled in this organization")
        async with self._ctx.heavy_read():
            snapshots = await self._read(message_id, allow_empty=params.allow_empty_topic_name)
            await self._add_diffs(snapshots)
        return {"message_history": snapshots[::-1]}

    async def _read(self, message_id: MessageId, *, allow_empty: bool) -> list[SnapshotPayload]:
        ctx = self._ctx
        await ctx.snapshot()
        message = await visible_message(ctx, message_id)
        repository = EditRepository(ctx.db)
        edits = edits_of(
            message, await repository.list_edits([message.id], [message.conversation_id])
        )
        readable = await readable_channels(ctx, source_channels(edits))
        text = await repository.get_text(message.id)
        # The diffs take a while and need no database connection.
        await ctx.release_connection()
        steps = trace_back(message, edits, readable)
        return self._snapshots(message, text, steps, allow_empty=allow_empty)

    def _snapshots(
        self, message: FoundMessage, text: MessageText, steps: list[EditStep], *, allow_empty: bool
    ) -> list[SnapshotPayload]:
        """The versions, the newest first."""
        shown = self._ctx.realm.options.message_edit_history_visibility_policy
        content, rendered = text.content, text.rendered_content
        snapshots: list[SnapshotPayload] = []
        for step in steps:
            edit = step.edit
            payload = step.payload(shown, allow_empty=allow_empty)
            if payload is not None:
                snapshots.append(
                    {
                        "topic": show_topic(step.topic or "", allow_empty=allow_empty),
                        "content": content,
                        "rendered_content": rendered,
                        **payload,  # type: ignore[typeddict-item]  # it only says more about some keys
                    }
                )
            if shown == "all" and edit.changes_text:
                if edit.prev_content is None:
                    # Older texts would exceed the size of one response.
                    return snapshots
                content, rendered = edit.prev_content, edit.prev_rendered_content or ""
        first_topic = message.topic if not steps else steps[-1].prev_topic
        snapshots.append(
            {
                "user_id": message.sender_id,
                "timestamp": unix_seconds(text.sent_at),
                "topic": show_topic(first_topic or "", allow_empty=allow_empty),
                "content": content,
                "rendered_content": rendered,
            }
        )
        return snapshots

    async def _add_diffs(self, snapshots: list[SnapshotPayload]) -> None:
        """Compare each version with the previous one, in a process, as far as there is room."""
        size = sum(_text_length(snapshot) for snapshot in snapshots)
        for snapshot in snapshots:
            if "prev_rendered_content" not in snapshot:
                continue
            if size > _MAX_SHOWN:
                return
            diff = await self._ctx.runtime.rendering_processes.run(
                html_diff, snapshot["prev_rendered_content"], snapshot["rendered_content"]
            )
            snapshot["content_html_diff"] = diff
            size += len(diff)


def _text_length(snapshot: SnapshotPayload) -> int:
    earlier = len(snapshot.get("prev_content", "")) + len(snapshot.get("prev_rendered_content", ""))
    return earlier + len(snapshot["content"]) + len(snapshot["rendered_content"])

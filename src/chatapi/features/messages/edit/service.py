"""Use case: edit messages."""

from chatapi.auth.context import Context
from chatapi.core.ids import ChannelId, MessageId
from chatapi.features.messages.edit.content import ContentChange
from chatapi.features.messages.edit.params import EditMessageParams
from chatapi.features.messages.edit.payloads import EditedPayload
from chatapi.features.messages.edit.rules import DELETED, check_combination
from chatapi.features.messages.move.move import MoveRequest
from chatapi.features.messages.move.precompilation import are_moves_precompiled, precompile_moves
from chatapi.features.messages.move.service import MoveService
from chatapi.features.messages.rendering import render
from chatapi.features.uploads import AttachmentPayload
from chatapi.permissions.message_lookup import message_to_change


class EditService:
    """Edits and moves messages on behalf of a caller."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx

    async def edit(self, message_id: MessageId, params: EditMessageParams) -> EditedPayload:
        """PATCH /messages/{message_id}: a new text, a new place, or both."""
        ctx = self._ctx
        check_combination(params)
        content = None if params.content is None else params.content.rstrip() or DELETED
        # Before the lock: rendering a long text must not make other writers wait.
        rendered = None if content is None else await render(ctx, content)
        moves = params.topic is not None or params.stream_id is not None
        if moves and not are_moves_precompiled(ctx.runtime.database):
            await ctx.release_connection()
            await precompile_moves(ctx.runtime.database)
        await ctx.lock()
        message = await message_to_change(ctx, message_id)
        detached: list[AttachmentPayload] = []
        if content is not None and rendered is not None:
            change = ContentChange(ctx, message)
            detached = await change.apply(content, rendered, params.prev_content_sha256)
        if moves:
            await MoveService(ctx).move(message, _move_request(params))
        return {"detached_uploads": detached}


def _move_request(params: EditMessageParams) -> MoveRequest:
    return MoveRequest(
        topic=params.topic,
        channel_id=None if params.stream_id is None else ChannelId(params.stream_id),
        mode=params.propagate_mode,
        notifies_old_topic=params.send_notification_to_old_thread,
        notifies_new_topic=params.send_notification_to_new_thread,
    )

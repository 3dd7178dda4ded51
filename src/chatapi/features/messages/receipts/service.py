"""Use case: read receipts."""

from chatapi.auth.context import Context
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import MessageId
from chatapi.features.messages.receipts.payloads import ReadReceiptsPayload
from chatapi.features.messages.receipts.repository import ReceiptRepository
from chatapi.permissions.message_lookup import visible_message
from chatapi.permissions.user_visibility import user_visibility


class ReceiptService:
    """Lists the readers of a message, for users who may see it, if the realm permits it."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx

    async def list_readers(self, message_id: MessageId) -> ReadReceiptsPayload:
        """GET /messages/{message_id}/read_receipts."""
        ctx = self._ctx
        if not ctx.realm.options.enable_read_receipts:
            raise BadRequestError("Read receipts are disabled in this organization.")
        await ctx.snapshot()
        message = await visible_message(ctx, message_id)
        readers = await ReceiptRepository(ctx.db, ctx.user.id).list_readers(message)
        visibility = await user_visibility(ctx)
        return {"user_ids": [each for each in readers if visibility.can_see_id(each)]}

"""The endpoint of read receipts."""

from chatapi.auth.guards import LoggedIn
from chatapi.core.ids import MessageId
from chatapi.features.messages.receipts.payloads import ReadReceiptsPayload
from chatapi.features.messages.receipts.service import ReceiptService
from chatapi.http.route import FeatureRouter
from chatapi.wire.types import MessageInPath

router = FeatureRouter("Read receipts", "See who has read a message.")


@router.get("/messages/{message_id:int}/read_receipts")
async def get_read_receipts(ctx: LoggedIn, message_id: MessageInPath) -> ReadReceiptsPayload:
    """Get the ids of the users who have read a message.

    Never among them are its sender, users who set `send_read_receipts` to false, users who have
    muted the sender or you, and users whom you have muted. In channels, only users count who are
    subscribed now and were when it was sent.
    """
    return await ReceiptService(ctx).list_readers(MessageId(message_id))

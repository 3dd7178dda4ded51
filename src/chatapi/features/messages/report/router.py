"""Endpoint of reports."""

from chatapi.auth.guards import LoggedIn
from chatapi.core.ids import MessageId
from chatapi.features.messages.report.params import ReportParams
from chatapi.features.messages.report.service import ReportService
from chatapi.http.route import FeatureRouter
from chatapi.wire.types import MessageInPath

router = FeatureRouter("Reports", "Tell moderators about a message.")


@router.post("/messages/{message_id:int}/report")
async def report_message(ctx: LoggedIn, message_id: MessageInPath, params: ReportParams) -> None:
    """Report a message.

    The report, with the text of the message, is posted in the channel that administrators chose
    by `moderation_request_channel_id`; without such a private channel it is refused.
    """
    await ReportService(ctx).report(MessageId(message_id), params)

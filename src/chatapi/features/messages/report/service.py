"""Use case: report a message to the moderators."""

from chatapi.auth.context import Context
from chatapi.auth.notices import ChannelNotice
from chatapi.auth.user_rows import UserRows
from chatapi.auth.users import UserRecord
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import ChannelId, MessageId
from chatapi.features.channels import mention
from chatapi.features.messages.notices import post_notices
from chatapi.features.messages.report.params import REPORT_TYPES, ReportParams
from chatapi.features.messages.repository import HistoryRepository, HistoryRow
from chatapi.permissions.messages import message_access
from chatapi.rendering import Directory, NamedUser, quoted
from chatapi.wire.limits import MAX_TOPIC_LENGTH

_MAX_QUOTED_LENGTH = 5_000


class ReportService:
    """Posts reports in the channel that administrators chose for them."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx

    async def report(self, message_id: MessageId, params: ReportParams) -> None:
        """POST /messages/{message_id}/report: the moderators see the text of the message."""
        if params.report_type == "other" and not params.description.strip():
            raise BadRequestError("description: An explanation is required for this reason")
        await self._ctx.lock()
        message = await self._visible(message_id)
        channel = await self._channel()
        sender = await UserRows(self._ctx.db, self._ctx.realm.id).get(message.sender_id)
        notice = ChannelNotice(channel, _topic(sender), self._text(message, sender, params))
        names = Directory.of(
            users=[NamedUser(user.id, user.full_name) for user in (self._ctx.user, sender)]
        )
        await post_notices(self._ctx, [notice], names)

    async def _visible(self, message_id: MessageId) -> HistoryRow:
        message = await HistoryRepository(self._ctx.db, self._ctx.realm.id).find(message_id)
        access = await message_access(self._ctx)
        if message is None or not await access.can_see_message(message):
            raise BadRequestError("Invalid message(s)")
        return message

    async def _channel(self) -> ChannelRecord:
        channel_id = ChannelId(self._ctx.realm.options.moderation_request_channel_id)
        known = await self._ctx.runtime.channels.by_id(self._ctx.db, self._ctx.realm.id, channel_id)
        if known is None or known.record.is_archived or not known.record.invite_only:
            # One that was made public meanwhile must not show direct messages to everyone.
            raise BadRequestError("The organization has no channel for reports of messages")
        return known.record

    def _text(self, message: HistoryRow, sender: UserRecord, params: ReportParams) -> str:
        content = message.content
        if len(content) > _MAX_QUOTED_LENGTH:
            content = content[:_MAX_QUOTED_LENGTH] + "…"
        lines = [
            f"{mention(self._ctx.user)} reported message {message.id} of {mention(sender)}.",
            f"Reason: **{REPORT_TYPES[params.report_type]}**",
        ]
        if params.description.strip():
            lines.append(quoted(params.description.strip()))
        return "\n\n".join([*lines, "The message:", quoted(content)])


def _topic(sender: UserRecord) -> str:
    return f"Reports about {sender.full_name}"[:MAX_TOPIC_LENGTH].rstrip()

"""Which users may move messages, to where, and until when."""

from datetime import timedelta

from chatapi.auth.context import Context
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.errors import BadRequestError
from chatapi.core.roles import Role
from chatapi.features.messages.move.errors import MoveTimeLimitError
from chatapi.features.messages.move.repository import MoveRepository
from chatapi.features.messages.move.selection import MessageSelection
from chatapi.features.messages.move.topics import is_only_resolving
from chatapi.features.messages.recipients import may_enter
from chatapi.permissions.channels import is_allowed_in_channel, may_administer
from chatapi.permissions.realm import is_allowed_in_realm
from chatapi.permissions.settings import ChannelPermission, RealmPermission


class MovePermissions:
    """Checks what the caller may move."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx

    async def check_topic(self, channel: ChannelRecord, old: str, new: str) -> None:
        """Check that the caller may move messages of a channel to another topic."""
        if await self._is_allowed(
            channel,
            RealmPermission.CAN_MOVE_MESSAGES_BETWEEN_TOPICS,
            ChannelPermission.CAN_MOVE_MESSAGES_WITHIN_CHANNEL,
        ):
            return
        if is_only_resolving(old, new) and await self._is_allowed(
            channel, RealmPermission.CAN_RESOLVE_TOPICS, ChannelPermission.CAN_RESOLVE_TOPICS
        ):
            return
        raise BadRequestError("You don't have permission to edit the topic of this message")

    async def check_channel(self, source: ChannelRecord) -> None:
        """Check that the caller may move messages out of a channel."""
        if not await self._is_allowed(
            source,
            RealmPermission.CAN_MOVE_MESSAGES_BETWEEN_CHANNELS,
            ChannelPermission.CAN_MOVE_MESSAGES_OUT_OF_CHANNEL,
        ):
            raise BadRequestError("You don't have permission to move this message")

    async def check_new_topic(self, channel: ChannelRecord) -> None:
        if not await is_allowed_in_channel(self._ctx, ChannelPermission.CAN_CREATE_TOPIC, channel):
            raise BadRequestError(
                f"You do not have permission to start new topics in {channel.name}."
            )

    async def check_age(
        self, repository: MoveRepository, selection: MessageSelection, *, crosses_channels: bool
    ) -> None:
        """Check the time limits: only moderators may move old messages."""
        ctx, options = self._ctx, self._ctx.realm.options
        limit = (
            options.move_messages_between_streams_limit_seconds
            if crosses_channels
            else options.move_messages_within_stream_limit_seconds
        )
        if limit is None or ctx.user.role.at_least(Role.MODERATOR):
            return
        oldest_allowed = ctx.now() - timedelta(seconds=limit)
        bounds = await repository.find_bounds(selection)
        if bounds is None or await repository.get_sent_at(bounds.first) >= oldest_allowed:
            return
        if selection.only is not None:
            raise BadRequestError("The time limit for moving this message has passed")
        whole = MessageSelection(
            selection.conversation_id, subscription_periods=selection.subscription_periods
        )
        first, allowed = await repository.find_young(whole, oldest_allowed)
        raise MoveTimeLimitError(first, allowed, await repository.count(whole))

    async def _is_allowed(
        self, channel: ChannelRecord, in_realm: RealmPermission, in_channel: ChannelPermission
    ) -> bool:
        """Whether a setting of the realm or the channel permits it, or administering the channel.

        The caller must have access to the channel in any case: being able to see it is not enough.
        """
        return await may_enter(self._ctx, channel) and (
            await is_allowed_in_realm(self._ctx, in_realm)
            or await is_allowed_in_channel(self._ctx, in_channel, channel)
            or await may_administer(self._ctx, channel)
        )

"""Use cases: set policies for topics."""

from chatapi.auth.context import Context
from chatapi.channel_cache.records import ChannelRecord
from chatapi.channel_cache.visibility import VisibilityPolicy
from chatapi.core.ids import ChannelId
from chatapi.features.channels.repository import UserTopicKey, UserTopicRepository
from chatapi.features.channels.topic_policies.changes import PolicyChange, change_policies
from chatapi.features.channels.topic_policies.params import (
    MuteTopicParams,
    SetVisibilityPolicyParams,
)
from chatapi.permissions.channel_lookup import readable_channel, readable_channel_named


class UserTopicService:
    """Sets a user's policies for topics, whether or not these have messages."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._repository = UserTopicRepository(ctx.db)

    async def choose(self, params: SetVisibilityPolicyParams) -> None:
        """POST /user_topics (SPEC 4.9)."""
        await self._ctx.lock()
        channel = await readable_channel(self._ctx, ChannelId(params.stream_id))
        old = await self._policy(channel, params.topic)
        new = VisibilityPolicy(params.visibility_policy)
        await self._change(channel, params.topic, old, new)

    async def mute(self, params: MuteTopicParams) -> None:
        """PATCH /users/me/subscriptions/muted_topics (SPEC 4.10)."""
        await self._ctx.lock()
        channel = await self._channel(params)
        old = await self._policy(channel, params.topic)
        if params.op == "add":
            await self._change(channel, params.topic, old, VisibilityPolicy.MUTED)
        elif old is VisibilityPolicy.MUTED:
            # A followed topic is not muted, and stays followed.
            await self._change(channel, params.topic, old, VisibilityPolicy.INHERIT)

    async def _channel(self, params: MuteTopicParams) -> ChannelRecord:
        if params.stream_id is not None:
            return await readable_channel(self._ctx, ChannelId(params.stream_id))
        return await readable_channel_named(self._ctx, params.stream or "")

    async def _policy(self, channel: ChannelRecord, topic: str) -> VisibilityPolicy:
        key = UserTopicKey.of(self._ctx.user.id, channel.id, topic)
        chosen = await self._repository.find_policies([key])
        return chosen.get(key, VisibilityPolicy.INHERIT)

    async def _change(
        self, channel: ChannelRecord, topic: str, old: VisibilityPolicy, new: VisibilityPolicy
    ) -> None:
        """Choosing the same policy again is no change: nothing is written or emitted."""
        if old is not new:
            ctx = self._ctx
            change = PolicyChange(ctx.user.id, channel.id, topic, old, new)
            await change_policies(ctx.work, ctx.realm.id, ctx.now(), [change])

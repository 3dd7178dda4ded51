"""The topic policies part of the POST /register response."""

from functools import partial

from typing_extensions import TypedDict

from chatapi.auth.context import Context
from chatapi.channel_cache.visibility import VisibilityPolicy
from chatapi.core.clock import unix_seconds
from chatapi.events.client import ClientProfile
from chatapi.features.channels.repository import UserTopicRecord, UserTopicRepository
from chatapi.features.channels.topic_policies.events import show_muted
from chatapi.features.channels.topic_policy_payloads import MutedTopicPayload, UserTopicPayload
from chatapi.features.state import state_section
from chatapi.permissions.channels import channel_access
from chatapi.wire.topics import show_topic


class UserTopicsState(TypedDict):
    """The caller's policies for topics of channels they may read."""

    user_topics: list[UserTopicPayload]
    """Your policies for topics, of channels that you may read in."""


class MutedTopicsState(TypedDict):
    """Only the muted ones, for clients that know only the older format."""

    muted_topics: list[MutedTopicPayload]
    """Your muted topics for clients that do not know `user_topics`: channel name, topic, and when
    it was muted in Unix seconds."""


@state_section("user_topic")
async def load_user_topics(ctx: Context, profile: ClientProfile) -> UserTopicsState:
    topics = await _own_topics(ctx)
    channel_ids = {topic.channel_id for topic in topics}
    channels = await ctx.runtime.channels.many(ctx.db, ctx.realm.id, channel_ids)
    access = await channel_access(ctx)
    return {
        "user_topics": [
            {
                "stream_id": topic.channel_id,
                "topic_name": show_topic(topic.topic, allow_empty=profile.knows_empty_topic),
                "last_updated": unix_seconds(topic.last_updated),
                "visibility_policy": topic.visibility_policy,
            }
            for topic in topics
            if access.can_read(channels[topic.channel_id])
        ]
    }


@state_section("muted_topics")
async def load_muted_topics(ctx: Context, profile: ClientProfile) -> MutedTopicsState:
    if not any(each.visibility_policy == VisibilityPolicy.MUTED for each in await _own_topics(ctx)):
        # Most users mute none, and need no other statement.
        return {"muted_topics": []}
    muted = await UserTopicRepository(ctx.db).list_muted([ctx.user.id])
    topics = muted[ctx.user.id]
    return {"muted_topics": show_muted(topics, allow_empty=profile.knows_empty_topic)}


async def _own_topics(ctx: Context) -> list[UserTopicRecord]:
    """The caller's policies; in a snapshot they are read once."""
    repository = UserTopicRepository(ctx.db)
    return await ctx.db.memoize("topic policies", partial(repository.list_of, ctx.user.id))

"""Moves users' topic policies together with the topic."""

from collections.abc import Collection

from chatapi.auth.context import Context
from chatapi.auth.user_rows import UserRows
from chatapi.channel_cache.records import ChannelRecord
from chatapi.channel_cache.visibility import VisibilityPolicy
from chatapi.core.ids import UserId
from chatapi.features.channels import (
    PersonalStateDiff,
    PolicyChange,
    UserTopicKey,
    find_policies,
    list_policies_of_topic,
    write_policies,
)
from chatapi.features.messages.repository import MessageRepository

_BY_VISIBILITY = (
    VisibilityPolicy.MUTED,
    VisibilityPolicy.INHERIT,
    VisibilityPolicy.UNMUTED,
    VisibilityPolicy.FOLLOWED,
)

TopicPlace = tuple[ChannelRecord, str]
"""A channel and a topic of it."""


async def move_policies(ctx: Context, old: TopicPlace, new: TopicPlace, *, is_merged: bool) -> None:
    """Carry policies over after a whole topic was moved, perhaps merged into another topic."""
    source, old_topic = old
    target, new_topic = new
    chosen = await list_policies_of_topic(ctx.db, source.id, old_topic)
    if not chosen:
        return
    keys = {UserTopicKey.of(user_id, target.id, new_topic) for user_id in chosen}
    target_topic = await find_policies(ctx.db, keys)
    follow = await _users_who_may_follow(ctx, source, target, chosen)
    changes: list[PolicyChange] = []
    for user_id, policy in sorted(chosen.items()):
        changes.append(
            PolicyChange(user_id, source.id, old_topic, policy, VisibilityPolicy.INHERIT)
        )
        key = UserTopicKey.of(user_id, target.id, new_topic)
        before = target_topic.get(key, VisibilityPolicy.INHERIT)
        after = _merged(before, policy) if is_merged else policy
        if user_id in follow and after is not before:
            changes.append(PolicyChange(user_id, target.id, new_topic, before, after))
    # Users who may not read there at the time keep their policies, and get no event of the move.
    diff = await PersonalStateDiff.before(
        ctx, channel_ids={source.id, target.id}, user_ids=frozenset(chosen)
    )
    await write_policies(ctx.db, ctx.now(), changes)
    await diff.read_after()
    diff.emit_lost()
    diff.emit_gained()


def _merged(one: VisibilityPolicy, other: VisibilityPolicy) -> VisibilityPolicy:
    """Of two merged topics, the policy that shows the user more counts."""
    return max(one, other, key=_BY_VISIBILITY.index)


async def _users_who_may_follow(
    ctx: Context, source: ChannelRecord, target: ChannelRecord, among: Collection[UserId]
) -> frozenset[UserId]:
    """The users who can see the target channel: no others get a policy for a topic in it."""
    if source.id == target.id:
        return frozenset(among)
    inside = await MessageRepository(ctx.db, ctx.realm.id).list_subscribed(target.id, among)
    if not target.is_public:
        return inside
    users = await UserRows(ctx.db, ctx.realm.id).list_some(sorted(among))
    return inside | {user.id for user in users if user.role.is_member}

"""What people chose for a topic goes with the topic."""

from collections.abc import Collection

from chatapi.auth.context import Context
from chatapi.channels.records import ChannelRecord
from chatapi.channels.visibility import VisibilityPolicy
from chatapi.core.ids import UserId
from chatapi.features.belongings.watch import BelongingsWatch
from chatapi.features.messages.repository import MessageRepository
from chatapi.features.user_topics.changes import PolicyChange, write_policies
from chatapi.features.user_topics.repository import TopicKey, UserTopicRepository
from chatapi.features.users.repository import UserRepository

_BY_VISIBILITY = (
    VisibilityPolicy.MUTED,
    VisibilityPolicy.INHERIT,
    VisibilityPolicy.UNMUTED,
    VisibilityPolicy.FOLLOWED,
)

Place = tuple[ChannelRecord, str]
"""A channel and a topic of it."""


async def move_policies(ctx: Context, old: Place, new: Place, *, is_merged: bool) -> None:
    """A whole topic has gone somewhere else, perhaps among the messages of another topic."""
    source, old_topic = old
    target, new_topic = new
    repository = UserTopicRepository(ctx.db)
    chosen = await repository.list_of_topic(source.id, old_topic)
    if not chosen:
        return
    keys = {TopicKey.of(user_id, target.id, new_topic) for user_id in chosen}
    there = await repository.find_policies(keys)
    follow = await _who_may_follow(ctx, source, target, chosen)
    changes: list[PolicyChange] = []
    for user_id, policy in sorted(chosen.items()):
        changes.append(
            PolicyChange(user_id, source.id, old_topic, policy, VisibilityPolicy.INHERIT)
        )
        key = TopicKey.of(user_id, target.id, new_topic)
        before = there.get(key, VisibilityPolicy.INHERIT)
        after = _merged(before, policy) if is_merged else policy
        if user_id in follow and after is not before:
            changes.append(PolicyChange(user_id, target.id, new_topic, before, after))
    # People who may not read there at the time keep their choices, and hear nothing of the move.
    watch = await BelongingsWatch.before(
        ctx, channel_ids={source.id, target.id}, user_ids=frozenset(chosen)
    )
    await write_policies(ctx.db, ctx.now(), changes)
    await watch.look_again()
    watch.tell_lost()
    watch.tell_gained()


def _merged(one: VisibilityPolicy, other: VisibilityPolicy) -> VisibilityPolicy:
    """Of two topics that become one, people see as much as of the one they wanted more of."""
    return max(one, other, key=_BY_VISIBILITY.index)


async def _who_may_follow(
    ctx: Context, source: ChannelRecord, target: ChannelRecord, among: Collection[UserId]
) -> frozenset[UserId]:
    """Nobody is left with a choice about a channel they may not know of."""
    if source.id == target.id:
        return frozenset(among)
    inside = await MessageRepository(ctx.db, ctx.realm.id).list_subscribed(target.id, among)
    if not target.is_public:
        return inside
    users = await UserRepository(ctx.db, ctx.realm.id).list_some(sorted(among))
    return inside | {user.id for user in users if user.role.is_member}

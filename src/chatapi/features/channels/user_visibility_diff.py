"""Emits which users become visible or invisible to restricted guests by a change.

A guest who sees only some users sees those with whom they share a channel or a conversation.
Code that changes this wraps the change in a UserVisibilityDiff: it reads who is visible before
and after, and emits the difference.
"""

from collections import Counter
from collections.abc import Collection, Mapping
from typing import NamedTuple

from chatapi.auth.context import RealmContext
from chatapi.auth.visibility_changes import UserVisibilityChange, VisiblePairs
from chatapi.core.ids import ChannelId, UserId
from chatapi.events.restarts import restart_clients
from chatapi.features.channels.repository import (
    MembershipDelta,
    SubscriptionRepository,
    UserChannelPairs,
)
from chatapi.permissions.user_visibility import sees_all_users, visible_pairs

MAX_PER_GUEST = 200
"""The most users who become visible or invisible to a guest by events; each takes several."""
_MAX_PAIRS = 20_000
"""The most pairs of guests and users to compare under the lock."""


class _Comparison(NamedTuple):
    """Guests, and the users who may become visible or invisible to them."""

    guests: frozenset[UserId]
    users: frozenset[UserId]

    @property
    def size(self) -> int:
        return len(self.guests) * len(self.users)


class UserVisibilityDiff:
    """Compares who is visible to guests before and after one change; the realm is locked.

    Where too many users would have to be compared or emitted, the guests' clients restart.
    Executes no statement in realms where guests see all users.
    """

    def __init__(self, ctx: RealmContext, comparisons: Collection[_Comparison]) -> None:
        self._ctx = ctx
        self._comparisons = [each for each in comparisons if 0 < each.size <= _MAX_PAIRS]
        self._restarted = {
            guest for each in comparisons if each.size > _MAX_PAIRS for guest in each.guests
        }
        self._before: VisiblePairs = frozenset()

    @classmethod
    async def before_subscriptions(
        cls, ctx: RealmContext, moved: MembershipDelta
    ) -> "UserVisibilityDiff":
        """Read who is visible before users are subscribed to channels, or unsubscribed."""
        if sees_all_users(ctx.realm, None):
            return cls(ctx, ())
        repository = SubscriptionRepository(ctx.db, ctx.realm.id)
        moving = frozenset[UserId]().union(*moved.values())
        guests = await repository.list_guests(UserChannelPairs(moved, moving))
        comparisons = [_Comparison(guests - moving, moving)]
        if moving_guests := guests & moving:
            inside = await repository.list_all_subscribers(moved, _MAX_PAIRS + 1)
            comparisons.append(_Comparison(moving_guests, inside | moving))
        return await cls._reading(ctx, comparisons)

    @classmethod
    async def before_conversation(
        cls, ctx: RealmContext, guests: Collection[UserId], people: Collection[UserId]
    ) -> "UserVisibilityDiff":
        """Read who is visible to guests before they take part in conversations with people."""
        if sees_all_users(ctx.realm, None):
            return cls(ctx, ())
        return await cls._reading(ctx, [_Comparison(frozenset(guests), frozenset(people))])

    @classmethod
    async def _reading(
        cls, ctx: RealmContext, comparisons: Collection[_Comparison]
    ) -> "UserVisibilityDiff":
        diff = cls(ctx, comparisons)
        diff._before = await diff._read()
        return diff

    async def emit(self, left: Mapping[ChannelId, frozenset[UserId]] | None = None) -> None:
        """Emit the difference after the change was written.

        Call it before emitting that users subscribed or sent something, and after emitting that
        they unsubscribed; `left` are the subscriptions that ended.
        """
        after = await self._read()
        gained, lost = after - self._before, self._before - after
        counts = Counter(guest for guest, _user in (*gained, *lost))
        many = {guest for guest, count in counts.items() if count > MAX_PER_GUEST}
        restarted = self._restarted | many
        await restart_clients(self._ctx.work, self._ctx.realm.id, restarted)
        change = UserVisibilityChange(
            gained=frozenset(pair for pair in gained if pair[0] not in restarted),
            lost=frozenset(pair for pair in lost if pair[0] not in restarted),
            left=left or {},
        )
        if change.gained or change.lost:
            await self._ctx.runtime.emit_user_visibility(self._ctx, change)

    async def _read(self) -> VisiblePairs:
        found = [
            await visible_pairs(self._ctx.db, each.guests, each.users) for each in self._comparisons
        ]
        return frozenset[tuple[UserId, UserId]]().union(*found)

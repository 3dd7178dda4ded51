"""User visibility: which users a reader may see; reads and events about users share this rule."""

from collections.abc import Iterable

from msgspec import Struct
from sqlalchemy import bindparam, select, union

from chatapi.auth.context import RealmContext
from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.users import UserRecord
from chatapi.auth.visibility_changes import VisiblePairs
from chatapi.core.ids import GroupId, UserId
from chatapi.core.roles import Role
from chatapi.core.system_groups import system_groups_of
from chatapi.db.base import aliased
from chatapi.db.id_lists import is_one_of
from chatapi.db.models import ConversationMember, Subscription
from chatapi.db.session import DatabaseSession
from chatapi.events.audience import UserVisibleTo
from chatapi.permissions.settings import RealmPermission
from chatapi.permissions.stored import realm_permissions

_own_subscription = aliased(Subscription)
_own_conversation = aliased(ConversationMember)
_VISIBLE_USER_IDS = union(
    select(Subscription.user_id)
    .join(_own_subscription, _own_subscription.channel_id == Subscription.channel_id)
    .where(
        _own_subscription.user_id == bindparam("user_id"),
        _own_subscription.is_active,
        Subscription.is_active,
    ),
    select(ConversationMember.user_id)
    .join(
        _own_conversation,
        _own_conversation.conversation_id == ConversationMember.conversation_id,
    )
    .where(_own_conversation.user_id == bindparam("user_id")),
)
"""The users who share a channel or a direct-message conversation with a user."""
_VISIBLE_PAIRS = union(
    select(_own_subscription.user_id, Subscription.user_id)
    .join(Subscription, Subscription.channel_id == _own_subscription.channel_id)
    .where(
        is_one_of(_own_subscription.user_id, "reader_ids"),
        is_one_of(Subscription.user_id, "user_ids"),
        _own_subscription.is_active,
        Subscription.is_active,
    ),
    select(_own_conversation.user_id, ConversationMember.user_id)
    .join(
        ConversationMember,
        ConversationMember.conversation_id == _own_conversation.conversation_id,
    )
    .where(
        is_one_of(_own_conversation.user_id, "reader_ids"),
        is_one_of(ConversationMember.user_id, "user_ids"),
    ),
)
"""The same for several users, limited to some others."""


def sees_all_users(realm: RealmRecord, reader: UserRecord | None) -> bool:
    """Whether a reader sees all users; visitors without an account see no more than guests.

    The setting names a system group, so the role decides and no statement is needed.
    """
    role = Role.GUEST if reader is None else reader.role
    is_full_member = reader is not None and reader.is_full_member
    groups = system_groups_of(role, is_full_member=is_full_member)
    allowed = realm_permissions(realm).permission(RealmPermission.CAN_ACCESS_ALL_USERS)
    return not allowed.subgroups.isdisjoint(GroupId(realm.system_groups[name]) for name in groups)


class UserVisibility(Struct, frozen=True):
    """Which users a reader may see."""

    reader: UserRecord | None
    sees_all_users: bool
    visible_user_ids: frozenset[UserId]
    """The users a restricted reader sees: those who share a channel or conversation with them."""

    def can_see(self, user: UserRecord) -> bool:
        if self.sees_all_users or user.id in self.visible_user_ids or user.is_system_bot:
            return True
        return self.reader is not None and self.reader.id in {user.id, user.bot_owner_id}

    def can_see_id(self, user_id: UserId) -> bool:
        """Same as `can_see` when only the id is known; the reader's own bots may be missing."""
        if self.sees_all_users or user_id in self.visible_user_ids:
            return True
        return self.reader is not None and self.reader.id == user_id

    def among(self, user_ids: Iterable[UserId]) -> list[UserId]:
        """Returns those of the users for whom `can_see_id` is true; for lists of members."""
        if self.sees_all_users:
            return list(user_ids)
        return [user_id for user_id in user_ids if self.can_see_id(user_id)]


async def user_visibility(ctx: RealmContext) -> UserVisibility:
    """Returns the user visibility of the reader; costs a statement only for restricted readers."""
    if sees_all_users(ctx.realm, ctx.reader):
        return UserVisibility(ctx.reader, sees_all_users=True, visible_user_ids=frozenset())
    known = frozenset() if ctx.reader is None else await _visible_user_ids(ctx.db, ctx.reader.id)
    return UserVisibility(ctx.reader, sees_all_users=False, visible_user_ids=known)


async def _visible_user_ids(db: DatabaseSession, user_id: UserId) -> frozenset[UserId]:
    rows = await db.execute(_VISIBLE_USER_IDS, {"user_id": user_id})
    return frozenset(UserId(each) for (each,) in rows)


async def visible_pairs(
    db: DatabaseSession, reader_ids: Iterable[UserId], user_ids: Iterable[UserId]
) -> VisiblePairs:
    """Returns which of some users share a channel or conversation with each of some readers."""
    rows = await db.execute(
        _VISIBLE_PAIRS, {"reader_ids": sorted(reader_ids), "user_ids": sorted(user_ids)}
    )
    return frozenset((UserId(reader), UserId(user)) for reader, user in rows if reader != user)


def user_visible_to(user: UserRecord) -> UserVisibleTo:
    """Returns the audience of events about a user: readers whose `UserVisibility` includes them."""
    return UserVisibleTo(user_id=user.id, bot_owner_id=user.bot_owner_id)

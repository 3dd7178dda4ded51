"""Whom a reader may see: the one rule that reads and events about users share."""

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import bindparam, select, union
from sqlalchemy.orm import aliased

from chatapi.auth.context import RealmContext
from chatapi.auth.people import UserRecord
from chatapi.auth.realms import RealmRecord
from chatapi.core.ids import GroupId, UserId
from chatapi.core.roles import Role
from chatapi.core.system_groups import system_groups_of
from chatapi.db.models import ConversationMember, Subscription
from chatapi.db.session import DatabaseSession
from chatapi.events.audience import WhoSees
from chatapi.permissions.realm import RealmPermissions

_own_subscription = aliased(Subscription)
_own_conversation = aliased(ConversationMember)
_ACQUAINTANCES = union(
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
"""The people somebody shares a channel or a direct-message conversation with."""


def sees_everybody(realm: RealmRecord, reader: UserRecord | None) -> bool:
    """Whether all users exist for a reader; nobody without an account sees more than a guest.

    The setting names a system group, so the role says it all and nothing has to be read.
    """
    role = Role.GUEST if reader is None else reader.role
    is_full_member = reader is not None and reader.is_full_member
    groups = system_groups_of(role, is_full_member=is_full_member)
    allowed = RealmPermissions(realm).permission("can_access_all_users_group")
    return not allowed.subgroups.isdisjoint(GroupId(realm.system_groups[name]) for name in groups)


@dataclass(frozen=True)
class Sight:
    """Which users exist for a reader."""

    reader: UserRecord | None
    sees_everybody: bool
    acquaintances: frozenset[UserId]
    """Whom somebody sees who does not see everybody: the people they talk with."""

    def sees(self, user: UserRecord) -> bool:
        if self.sees_everybody or user.id in self.acquaintances or user.is_system_bot:
            return True
        return self.reader is not None and self.reader.id in {user.id, user.bot_owner_id}

    def sees_id(self, user_id: UserId) -> bool:
        """The same of somebody of whom nothing else is known; one's bots may be missing."""
        if self.sees_everybody or user_id in self.acquaintances:
            return True
        return self.reader is not None and self.reader.id == user_id

    def among(self, user_ids: Iterable[UserId]) -> list[UserId]:
        """Those of some users that `sees_id` says yes of, for lists of members."""
        if self.sees_everybody:
            return list(user_ids)
        return [user_id for user_id in user_ids if self.sees_id(user_id)]


async def sight_of(ctx: RealmContext) -> Sight:
    """Whom whoever asks may see; costs a statement only where guests do not see everybody."""
    if sees_everybody(ctx.realm, ctx.reader):
        return Sight(ctx.reader, sees_everybody=True, acquaintances=frozenset())
    known = frozenset() if ctx.reader is None else await _acquaintances(ctx.db, ctx.reader.id)
    return Sight(ctx.reader, sees_everybody=False, acquaintances=known)


async def _acquaintances(db: DatabaseSession, user_id: UserId) -> frozenset[UserId]:
    rows = await db.execute(_ACQUAINTANCES, {"user_id": user_id})
    return frozenset(UserId(each) for (each,) in rows)


def who_sees(user: UserRecord) -> WhoSees:
    """The audience of events about a user: those whose `Sight` includes them."""
    return WhoSees(user_id=user.id, bot_owner_id=user.bot_owner_id)

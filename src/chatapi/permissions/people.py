"""Whom a reader may see: the one rule that reads and events about users share."""

from chatapi.auth.people import UserRecord
from chatapi.auth.realms import RealmRecord
from chatapi.core.ids import GroupId
from chatapi.core.roles import Role
from chatapi.core.system_groups import system_groups_of
from chatapi.events.audience import WhoSees
from chatapi.permissions.realm import RealmPermissions


def sees_everybody(realm: RealmRecord, reader: UserRecord | None) -> bool:
    """Whether all users exist for a reader; nobody without an account sees more than a guest.

    The setting names a system group, so the role says it all and nothing has to be read.
    """
    role = Role.GUEST if reader is None else reader.role
    is_full_member = reader is not None and reader.is_full_member
    groups = system_groups_of(role, is_full_member=is_full_member)
    allowed = RealmPermissions(realm).permission("can_access_all_users_group")
    return not allowed.subgroups.isdisjoint(GroupId(realm.system_groups[name]) for name in groups)


def may_see(realm: RealmRecord, reader: UserRecord | None, user: UserRecord) -> bool:
    """Whether a user exists for a reader; for some only they themselves and their bots do."""
    if sees_everybody(realm, reader):
        return True
    return reader is not None and reader.id in {user.id, user.bot_owner_id}


def who_sees(user: UserRecord) -> WhoSees:
    """The audience of events about a user: those for whom `may_see` says yes."""
    return WhoSees(user_id=user.id, bot_owner_id=user.bot_owner_id)

"""The one question: is this person in the group a setting names?"""

from typing import Protocol

from chatapi.auth.callers import Caller
from chatapi.auth.context import Context, RealmContext, VisitorContext
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import GroupId
from chatapi.core.roles import Role
from chatapi.core.system_groups import SystemGroup
from chatapi.permissions.memberships import Memberships
from chatapi.permissions.settings import PermissionSetting
from chatapi.wire.group_values import GroupValue


class Guarded(Protocol):
    """Something whose settings say who may do what with it: a realm, a channel, a group."""

    def permission(self, name: str) -> GroupValue: ...


async def groups_of_reader(ctx: RealmContext) -> frozenset[GroupId]:
    """The groups of whoever asks; worked out once and remembered until a group changes."""
    caller = _caller_of(ctx)
    if caller is None:
        # A person without an account is in one group only.
        return frozenset({GroupId(ctx.realm.system_groups[SystemGroup.INTERNET])})
    return await caller.remember(
        "groups", lambda: Memberships(ctx.db, ctx.realm).groups_of(caller.user)
    )


def _caller_of(ctx: RealmContext) -> Caller | None:
    match ctx:
        case Context():
            return ctx.caller
        case VisitorContext():
            return ctx.visitor
        case _:
            return None


async def is_allowed(ctx: Context, setting: PermissionSetting, guarded: Guarded) -> bool:
    """Whether the caller is named by a setting; costs no statement after the first time."""
    if ctx.user.role is Role.GUEST and not setting.allows(SystemGroup.EVERYONE):
        # What cannot be given to everyone is not given to guests in a roundabout way either.
        return False
    value = guarded.permission(setting.name)
    return value.includes(ctx.user.id, await groups_of_reader(ctx))


async def require(ctx: Context, setting: PermissionSetting, guarded: Guarded) -> None:
    """Refuse a caller whom the setting does not name."""
    if not await is_allowed(ctx, setting, guarded):
        raise BadRequestError("Insufficient permission")

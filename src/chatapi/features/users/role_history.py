"""Users' previous roles: events logged earlier are delivered by the role at their time."""

from collections.abc import Iterable
from datetime import timedelta

from msgspec.structs import replace

from chatapi.auth.context import RealmContext
from chatapi.auth.users import PastRoleRow, UserRecord
from chatapi.core.clock import unix_seconds
from chatapi.core.ids import EventNumber
from chatapi.core.roles import Role
from chatapi.events.membership import PastRole
from chatapi.features.users.repository import UserRepository
from chatapi.permissions.memberships import GroupMemberships

_LOG_LENGTHS_KEPT = 2
"""The log is trimmed only occasionally, so it may reach back farther than configured."""


async def record_role_change(ctx: RealmContext, before: Iterable[UserRecord]) -> None:
    """Record the current roles of users whose role changes with the next events.

    Call it under the lock, in the transaction of the change. Other changes that affect which events
    a user receives (groups that channels name, which users guests see) restart the clients
    concerned.
    """
    until_event = await ctx.lock()
    notes = {
        user.id: [
            *_recent_past_roles(ctx, user),
            PastRoleRow(
                until_event=until_event,
                changed_at=unix_seconds(ctx.now()),
                role=user.role,
            ),
        ]
        for user in before
    }
    await UserRepository(ctx.db, ctx.realm.id).update_past_roles(notes)


async def past_roles(ctx: RealmContext, user: UserRecord) -> tuple[PastRole, ...]:
    """A user's earlier roles, as far back as the log may reach; most users have none."""
    found = []
    for row in _recent_past_roles(ctx, user):
        was = replace(user, role=Role(row["role"]))
        groups = await GroupMemberships(ctx.db, ctx.realm).groups_of(was)
        found.append(PastRole(EventNumber(row["until_event"]), was.role, groups))
    return tuple(found)


def _recent_past_roles(ctx: RealmContext, user: UserRecord) -> list[PastRoleRow]:
    reach = timedelta(hours=ctx.settings.event_log_hours * _LOG_LENGTHS_KEPT)
    oldest = unix_seconds(ctx.now() - reach)
    return [row for row in user.past_roles or () if row["changed_at"] >= oldest]

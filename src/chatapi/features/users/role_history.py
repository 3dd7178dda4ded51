"""What users were before: events of that time are for whoever they were then."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta

from chatapi.auth.context import RealmContext
from chatapi.auth.users import PastRoleRow, UserRecord
from chatapi.core.clock import unix_seconds
from chatapi.core.ids import EventNumber
from chatapi.core.roles import Role
from chatapi.events.membership import PastRole
from chatapi.features.users.repository import UserRepository
from chatapi.permissions.memberships import GroupMemberships

_LOG_LENGTHS_KEPT = 2
"""The log is cut once in a while, so that it may reach farther back than it has to."""


async def record_role_change(ctx: RealmContext, before: Iterable[UserRecord]) -> None:
    """Note what users are whose role changes with the next events.

    Call it under the lock, in the transaction of the change. Other things that decide for whom
    events are (groups that channels name, whom guests see) restart the clients they concern.
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
    """What a user was as far back as the log may reach; costs nothing for most of them."""
    found = []
    for row in _recent_past_roles(ctx, user):
        was = replace(user, role=Role(row["role"]))
        groups = await GroupMemberships(ctx.db, ctx.realm).groups_of(was)
        found.append(PastRole(EventNumber(row["until_event"]), was.role, groups))
    return tuple(found)


def _recent_past_roles(ctx: RealmContext, user: UserRecord) -> list[PastRoleRow]:
    reach = timedelta(hours=ctx.settings.event_log_hours * _LOG_LENGTHS_KEPT)
    oldest = unix_seconds(ctx.now() - reach)
    return [row for row in user.earlier_standings or () if row["changed_at"] >= oldest]

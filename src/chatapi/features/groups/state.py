"""The user groups part of the POST /register response."""

from typing_extensions import TypedDict

from chatapi.auth.context import Context, RealmContext
from chatapi.events.client import ClientProfile
from chatapi.features.groups.events import knows_deactivated_groups
from chatapi.features.groups.listing import GroupReader
from chatapi.features.groups.payloads import UserGroupPayload, group_payload
from chatapi.features.groups.repository import GroupRepository
from chatapi.features.state import public_section, state_section
from chatapi.permissions.memberships import GroupMemberships
from chatapi.permissions.user_visibility import sees_all_users


class UserGroupsState(TypedDict):
    """All groups by id; deactivated ones only for clients that know them."""

    realm_user_groups: list[UserGroupPayload]
    """All groups by id; deactivated ones only for clients with `include_deactivated_groups`."""


def _cache_key(ctx: Context, profile: ClientProfile) -> bool | None:
    """None for a reader who does not see all members."""
    if not sees_all_users(ctx.realm, ctx.user):
        return None
    return knows_deactivated_groups(profile)


@public_section("realm_user_groups", for_users=False)
async def load_system_groups(ctx: RealmContext, _profile: ClientProfile) -> UserGroupsState:
    """Visitors see the groups that every organization has, without their members."""
    groups = await GroupRepository(ctx.db, ctx.realm.id).list_groups(include_deactivated=False)
    subgroups = await GroupMemberships(ctx.db, ctx.realm).direct_subgroups()
    return {
        "realm_user_groups": [
            group_payload(ctx.realm, group, [], subgroups.get(group.id, []))
            for group in groups
            if group.is_system_group
        ]
    }


@state_section("realm_user_groups", cache_key=_cache_key)
async def load_user_groups(ctx: Context, profile: ClientProfile) -> UserGroupsState:
    """Read in the same snapshot at which the event queue begins."""
    groups = await GroupReader(ctx).list_groups(
        include_deactivated=knows_deactivated_groups(profile)
    )
    return {"realm_user_groups": groups}

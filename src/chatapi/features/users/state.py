"""What POST /register tells about users."""

from functools import partial

from typing_extensions import TypedDict

from chatapi.auth.context import Context
from chatapi.core.roles import Role
from chatapi.events.client import ClientProfile
from chatapi.features.state import state_section
from chatapi.features.users.people import EncodedUsers, load_people
from chatapi.features.users.rules import gravatar_url, medium_gravatar_url
from chatapi.permissions.realm import is_allowed_in_realm


class UsersState(TypedDict):
    """Everybody, and the caller among them."""

    realm_users: EncodedUsers
    realm_non_active_users: EncodedUsers
    cross_realm_bots: EncodedUsers
    user_id: int
    email: str
    delivery_email: str
    full_name: str
    avatar_source: str
    avatar_url: str
    avatar_url_medium: str
    is_admin: bool
    is_owner: bool
    is_moderator: bool
    is_guest: bool
    can_create_public_streams: bool
    can_create_private_streams: bool
    can_create_web_public_streams: bool
    can_subscribe_other_users: bool
    can_invite_others_to_realm: bool


@state_section("realm_user")
async def load_users(ctx: Context, profile: ClientProfile) -> UsersState:
    """Whom the caller may see, read in the snapshot the queue begins at."""
    me = ctx.user
    people = await load_people(ctx, profile)
    may = partial(is_allowed_in_realm, ctx)
    return {
        "realm_users": people.active,
        "realm_non_active_users": people.inactive,
        "cross_realm_bots": people.system_bots,
        "user_id": me.id,
        "email": me.api_email(ctx.realm, ctx.settings.root_domain),
        "delivery_email": me.delivery_email,
        "full_name": me.full_name,
        "avatar_source": "G",
        "avatar_url": gravatar_url(me.delivery_email, me.avatar_version),
        "avatar_url_medium": medium_gravatar_url(me.delivery_email, me.avatar_version),
        "is_admin": me.role.at_least(Role.ADMIN),
        "is_owner": me.role is Role.OWNER,
        "is_moderator": me.role is Role.MODERATOR,
        "is_guest": me.role is Role.GUEST,
        "can_create_public_streams": await may("can_create_public_channel_group"),
        "can_create_private_streams": await may("can_create_private_channel_group"),
        "can_create_web_public_streams": (
            _has_web_public_channels(ctx) and await may("can_create_web_public_channel_group")
        ),
        "can_subscribe_other_users": await may("can_add_subscribers_group"),
        "can_invite_others_to_realm": await may("can_invite_users_group"),
    }


def _has_web_public_channels(ctx: Context) -> bool:
    is_open = ctx.realm.options.enable_spectator_access
    return is_open and ctx.settings.web_public_streams_enabled

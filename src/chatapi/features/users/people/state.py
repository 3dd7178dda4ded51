"""The users part of the POST /register response."""

from collections.abc import Hashable
from functools import partial

from typing_extensions import TypedDict

from chatapi.auth.context import Context, RealmContext
from chatapi.auth.users import UserRecord
from chatapi.core.cooperative import map_in_steps
from chatapi.core.roles import Role
from chatapi.events.client import ClientProfile
from chatapi.features.state import public_section, state_section
from chatapi.features.users.avatar_addresses import (
    Avatar,
    medium_avatar_url,
    shown_avatar_url,
)
from chatapi.features.users.payloads import UserPayload
from chatapi.features.users.people.params import ListUsersParams
from chatapi.features.users.people.service import UserReader
from chatapi.features.users.people.shared_lists import SECTION, reader_kind
from chatapi.features.users.repository import UserRepository
from chatapi.features.users.rules import user_payload
from chatapi.permissions.realm import is_allowed_in_realm
from chatapi.permissions.settings import RealmPermission
from chatapi.permissions.user_visibility import user_visibility

_NO_USER = -1


class PeopleState(TypedDict):
    """All users whom the caller may see."""

    realm_users: list[UserPayload]
    """The active users whom you may see, bots included."""
    realm_non_active_users: list[UserPayload]
    """The deactivated users whom you may see, as senders of old messages."""
    cross_realm_bots: list[UserPayload]
    """Bots of the service itself, which are in every organization."""


class UsersState(TypedDict):
    """The caller's user and permissions."""

    user_id: int
    """Your own id; -1 for visitors without an account."""
    email: str
    """Your API email; empty for visitors."""
    delivery_email: str
    """Your real address; empty for visitors."""
    full_name: str
    """Your name."""
    avatar_source: str
    """Where your picture comes from. `U`: uploaded, `G`: Gravatar, `J`: initials."""
    avatar_url: str
    """Your picture in 100 x 100 pixels."""
    avatar_url_medium: str
    """Your picture in 500 x 500 pixels."""
    is_admin: bool
    """Whether you are an administrator or an owner."""
    is_owner: bool
    """Whether you are an owner."""
    is_moderator: bool
    """Whether you are a moderator."""
    is_guest: bool
    """Whether you are a guest."""
    can_create_streams: bool
    """Whether you may create public or private channels, for older clients."""
    can_create_public_streams: bool
    """Whether you may create public channels."""
    can_create_private_streams: bool
    """Whether you may create private channels."""
    can_create_web_public_streams: bool
    """Whether you may create channels that can be read without an account."""
    can_subscribe_other_users: bool
    """Whether you may subscribe others to channels in which you can read."""
    can_invite_others_to_realm: bool
    """Whether you may invite people."""


def _shared_cache_key(ctx: Context, profile: ClientProfile) -> Hashable | None:
    role = reader_kind(ctx)
    return None if role is None else (role, profile.client_gravatar)


@state_section(SECTION, cache_key=_shared_cache_key)
async def load_people(ctx: Context, profile: ClientProfile) -> PeopleState:
    """In large realms most of a client's state; most readers share the same lists."""
    repository = UserRepository(ctx.db, ctx.realm.id)
    users = await repository.list_all()
    profiles = await repository.profiles()

    def show(user: UserRecord) -> UserPayload:
        return user_payload(
            user,
            user.api_email(ctx.realm, ctx.settings.root_domain),
            realm=ctx.realm,
            shows_email=user.shows_email_to(ctx.user),
            client_gravatar=profile.client_gravatar,
            profile_data=profiles.get(user.id, {}),
        )

    visibility = await user_visibility(ctx)
    seen = [user for user in users if visibility.can_see(user)]
    return {
        "realm_users": await map_in_steps(show, [user for user in seen if user.is_active]),
        "realm_non_active_users": await map_in_steps(
            show, [user for user in seen if not user.is_active]
        ),
        "cross_realm_bots": [show(bot) for bot in await repository.list_system_bots()],
    }


@public_section("realm_user", for_users=False)
async def load_people_for_visitors(ctx: RealmContext, profile: ClientProfile) -> PeopleState:
    """The users whom `GET /users` shows to visitors, without their addresses and profiles."""
    wanted = ListUsersParams(client_gravatar=profile.client_gravatar)
    users = (await UserReader(ctx).list_users(wanted))["members"]
    bots = await UserRepository(ctx.db, ctx.realm.id).list_system_bots()
    return {
        "realm_users": [user for user in users if user["is_active"]],
        "realm_non_active_users": [user for user in users if not user["is_active"]],
        "cross_realm_bots": [
            user_payload(
                bot,
                bot.api_email(ctx.realm, ctx.settings.root_domain),
                realm=ctx.realm,
                shows_email=True,
                client_gravatar=profile.client_gravatar,
                profile_data=None,
            )
            for bot in bots
        ],
    }


@public_section("realm_user", for_users=False)
async def load_visitor(ctx: RealmContext, _profile: ClientProfile) -> UsersState:
    """A visitor has no account in the organization, and may change nothing."""
    name = "Anonymous User"
    avatar = Avatar(_NO_USER, name, 1, default=ctx.realm.options.default_avatar_source)
    return {
        "user_id": _NO_USER,
        "email": "",
        "delivery_email": "",
        "full_name": name,
        "avatar_source": avatar.source,
        "avatar_url": shown_avatar_url(avatar, ""),
        "avatar_url_medium": medium_avatar_url(avatar, ""),
        "is_admin": False,
        "is_owner": False,
        "is_moderator": False,
        "is_guest": False,
        "can_create_streams": False,
        "can_create_public_streams": False,
        "can_create_private_streams": False,
        "can_create_web_public_streams": False,
        "can_subscribe_other_users": False,
        "can_invite_others_to_realm": False,
    }


@state_section("realm_user")
async def load_users(ctx: Context, _profile: ClientProfile) -> UsersState:
    """The caller as of the snapshot, so nothing has to be read again."""
    me = ctx.user
    avatar = Avatar.of(me, ctx.realm)
    may = partial(is_allowed_in_realm, ctx)
    creates_public = await may(RealmPermission.CAN_CREATE_PUBLIC_CHANNEL)
    creates_private = await may(RealmPermission.CAN_CREATE_PRIVATE_CHANNEL)
    return {
        "user_id": me.id,
        "email": me.api_email(ctx.realm, ctx.settings.root_domain),
        "delivery_email": me.delivery_email,
        "full_name": me.full_name,
        "avatar_source": avatar.source,
        "avatar_url": shown_avatar_url(avatar, me.delivery_email),
        "avatar_url_medium": medium_avatar_url(avatar, me.delivery_email),
        "is_admin": me.role.at_least(Role.ADMIN),
        "is_owner": me.role is Role.OWNER,
        "is_moderator": me.role is Role.MODERATOR,
        "is_guest": me.role is Role.GUEST,
        "can_create_streams": creates_public or creates_private,
        "can_create_public_streams": creates_public,
        "can_create_private_streams": creates_private,
        "can_create_web_public_streams": (
            _has_web_public_channels(ctx)
            and await may(RealmPermission.CAN_CREATE_WEB_PUBLIC_CHANNEL)
        ),
        "can_subscribe_other_users": await may(RealmPermission.CAN_ADD_SUBSCRIBERS),
        "can_invite_others_to_realm": await may(RealmPermission.CAN_INVITE_USERS),
    }


def _has_web_public_channels(ctx: Context) -> bool:
    is_open = ctx.realm.options.enable_spectator_access
    return is_open and ctx.settings.web_public_streams_enabled

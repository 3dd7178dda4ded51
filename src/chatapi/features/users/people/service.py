"""Use cases: read users, and create them."""

from functools import partial
from typing import cast

from chatapi.auth.context import Context, RealmContext
from chatapi.auth.users import UserRecord
from chatapi.core.cooperative import map_in_steps
from chatapi.core.errors import NotLoggedInError
from chatapi.core.ids import UserId
from chatapi.events.shared_state_cache import BlockKey
from chatapi.features.users.avatar_addresses import Avatar, shown_avatar_url
from chatapi.features.users.creation import NewUser, add_user
from chatapi.features.users.payloads import (
    CreatedUserPayload,
    OneUserPayload,
    OwnUserPayload,
    ProfileData,
    RememberedUserPayload,
    UserPayload,
    UsersPayload,
)
from chatapi.features.users.people.params import CreateUserParams, GetUserParams, ListUsersParams
from chatapi.features.users.people.shared_lists import SECTION, reader_kind
from chatapi.features.users.repository import UserRepository
from chatapi.features.users.rules import check_password, user_payload
from chatapi.permissions.user_lookup import find_user
from chatapi.permissions.user_visibility import user_visibility


class UserReader:
    """Reads users for any reader the realm admits, logged in or not."""

    def __init__(self, ctx: RealmContext) -> None:
        self._ctx = ctx
        self._reader = ctx.reader
        self._users = UserRepository(ctx.db, ctx.realm.id)

    async def list_users(self, params: ListUsersParams) -> UsersPayload:
        """The users the reader may see; anonymous readers need a realm with public access."""
        if self._reader is None and not self._ctx.realm.options.enable_spectator_access:
            raise NotLoggedInError
        role = reader_kind(self._ctx)
        if params.user_ids is not None or role is None:
            return await self._list_users(params)
        options = (params.client_gravatar, params.include_custom_profile_fields)
        encoded = await self._ctx.runtime.shared_state.get(
            self._ctx.realm.id,
            BlockKey(SECTION, ("members", role, *options)),
            await self._ctx.snapshot(),
            partial(self._list_users, params),
        )
        return cast(UsersPayload, encoded)

    async def _list_users(self, params: ListUsersParams) -> UsersPayload:
        if params.user_ids is None:
            users = await self._users.list_all()
        else:
            users = await self._users.list_some(params.user_ids)
        visibility = await user_visibility(self._ctx)
        users = [user for user in users if visibility.can_see(user)]
        profiles: dict[UserId, ProfileData] | None = None
        # Custom profile values are for users of the realm only.
        if params.include_custom_profile_fields and self._reader is not None:
            some = None if params.user_ids is None else [user.id for user in users]
            profiles = await self._users.profiles(some)
        return {
            "members": await map_in_steps(lambda user: self._show(user, params, profiles), users)
        }

    async def get(self, reference: str, params: GetUserParams) -> OneUserPayload:
        """By id, by API email, or by a real address that the reader may see."""
        user = await find_user(self._ctx, reference)
        profiles = None
        if params.include_custom_profile_fields:
            profiles = {user.id: await self._users.profile_of(user.id)}
        return {"user": self._show(user, params, profiles)}

    def _show(
        self,
        user: UserRecord,
        params: GetUserParams,
        profiles: dict[UserId, ProfileData] | None,
    ) -> UserPayload:
        is_hidden = self._reader is None and not user.is_bot
        email_of = user.made_up_email if is_hidden else user.api_email
        return user_payload(
            user,
            email_of(self._ctx.realm, self._ctx.settings.root_domain),
            realm=self._ctx.realm,
            shows_email=user.shows_email_to(self._reader),
            client_gravatar=params.client_gravatar,
            profile_data=None if profiles is None else profiles.get(user.id, {}),
        )


class UserService:
    """What a user of the realm can do with users, including themselves."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._users = UserRepository(ctx.db, ctx.realm.id)

    async def get_own(self) -> OwnUserPayload:
        """The caller, cached until their user changes, and the newest message id."""
        own = await self._ctx.caller.memoize("own_user", self._own_user)
        newest = await self._ctx.runtime.newest_messages.of(self._ctx.db, self._ctx.realm.id)
        return {**own, "max_message_id": newest}

    async def _own_user(self) -> RememberedUserPayload:
        user = self._ctx.user
        profile = None if user.is_bot else await self._users.profile_of(user.id)
        shown = user_payload(
            user,
            user.api_email(self._ctx.realm, self._ctx.settings.root_domain),
            realm=self._ctx.realm,
            shows_email=True,
            client_gravatar=False,
            profile_data=profile,
        )
        payload: RememberedUserPayload = {
            "user_id": shown["user_id"],
            "delivery_email": user.delivery_email,
            "email": shown["email"],
            "full_name": shown["full_name"],
            "date_joined": shown["date_joined"],
            "is_active": shown["is_active"],
            "is_owner": shown["is_owner"],
            "is_admin": shown["is_admin"],
            "is_guest": shown["is_guest"],
            "is_bot": shown["is_bot"],
            "role": shown["role"],
            "timezone": shown["timezone"],
            "avatar_url": shown_avatar_url(Avatar.of(user, self._ctx.realm), user.delivery_email),
            "avatar_version": shown["avatar_version"],
            "is_imported_stub": shown["is_imported_stub"],
        }
        if profile is not None:
            payload["profile_data"] = profile
        return payload

    async def create(self, params: CreateUserParams) -> CreatedUserPayload:
        """Create a user with a password; the guard admits only administrators."""
        password = check_password(params.password)
        created = await add_user(
            self._ctx,
            NewUser(
                email=params.email,
                full_name=params.full_name,
                password_hash=await self._ctx.runtime.passwords.hash(password),
            ),
        )
        return {"user_id": created.user.id}

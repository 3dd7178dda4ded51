"""Use cases: change one's own picture, and find pictures of users."""

from chatapi.auth.context import Context, RealmContext
from chatapi.core.errors import BadRequestError, NotFoundError, NotLoggedInError
from chatapi.core.ids import RealmId
from chatapi.core.roles import Role
from chatapi.features.users.avatar_addresses import (
    MEDIUM,
    Avatar,
    medium_avatar_url,
    shown_avatar_url,
)
from chatapi.features.users.avatar_changes import change_avatar, stored_avatar
from chatapi.features.users.avatars.payloads import AvatarPayload
from chatapi.features.users.repository import UserRepository
from chatapi.files.names import key_of, variant_key
from chatapi.permissions.user_lookup import find_user
from chatapi.wire.files import UploadedFile


class AvatarService:
    """Changes the caller's own picture."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx

    async def upload(self, file: UploadedFile) -> AvatarPayload:
        """POST /users/me/avatar."""
        self._check_allowed()
        async with stored_avatar(self._ctx, file) as path:
            return await self._change(path)

    async def remove(self) -> AvatarPayload:
        """DELETE /users/me/avatar: back to the default picture."""
        return await self._change(None)

    async def _change(self, path: str | None) -> AvatarPayload:
        await self._ctx.lock()
        self._check_allowed()
        changed = self._ctx.user
        if path is not None or changed.avatar_path is not None:
            changed = await change_avatar(self._ctx, changed, path)
        avatar = Avatar.of(changed, self._ctx.realm)
        return {"avatar_url": shown_avatar_url(avatar, changed.delivery_email)}

    def _check_allowed(self) -> None:
        is_fixed = self._ctx.realm.options.avatar_changes_disabled
        if is_fixed and not self._ctx.user.role.at_least(Role.ADMIN):
            raise BadRequestError("Avatar changes are disabled in this organization.")


async def find_avatar_url(ctx: RealmContext, reference: str, *, is_medium: bool) -> str:
    """The address of a user's picture, for a reader who may see the user."""
    if ctx.reader is None and not ctx.realm.options.enable_spectator_access:
        raise NotLoggedInError
    try:
        user = await find_user(ctx, reference)
    except BadRequestError:
        raise NotFoundError from None
    shows_email = user.shows_email_to(ctx.reader)
    domain = ctx.settings.root_domain
    is_hidden = ctx.reader is None and not user.is_bot
    api_email = (user.made_up_email if is_hidden else user.api_email)(ctx.realm, domain)
    address_of = medium_avatar_url if is_medium else shown_avatar_url
    return address_of(Avatar.of(user, ctx.realm), user.delivery_email if shows_email else api_email)


async def read_avatar(ctx: RealmContext, realm_id: int, folder: str, filename: str) -> bytes:
    """The content of an uploaded picture: the server has drawn it, and it is small."""
    is_medium = filename == f"avatar-{MEDIUM}.png"
    if RealmId(realm_id) != ctx.realm.id or not (is_medium or filename == "avatar.png"):
        raise NotFoundError
    path = f"{realm_id}/{folder}/avatar.png"
    if not await UserRepository(ctx.db, ctx.realm.id).has_avatar(path):
        raise NotFoundError
    # Reading bytes takes a while and needs no database connection.
    await ctx.release_connection()
    key = variant_key(path, MEDIUM) if is_medium else key_of(path)
    return await ctx.runtime.files.read_whole(key)

"""Changes pictures of users; callers have checked permissions."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from msgspec.structs import replace

from chatapi.auth.context import Context, RealmContext
from chatapi.auth.pictures import redraw
from chatapi.auth.users import UserRecord
from chatapi.core.ids import RealmId
from chatapi.core.roles import EmailVisibility
from chatapi.db.session import DatabaseSession
from chatapi.features.users.avatar_addresses import MEDIUM, MEDIUM_SIZE, SIZE, Avatar
from chatapi.features.users.events import PicturedBy, UserUpdated
from chatapi.features.users.repository import UserRepository
from chatapi.files.names import key_of, new_path, variant_key
from chatapi.permissions.user_visibility import user_visible_to
from chatapi.pictures import Fit, Recipe, Variant
from chatapi.wire.files import UploadedFile

MAX_AVATAR_MIB = 5
_SMALL = "small"
_RECIPE = Recipe(
    (
        Variant(_SMALL, SIZE, SIZE, Fit.CROP, "PNG"),
        Variant(MEDIUM, MEDIUM_SIZE, MEDIUM_SIZE, Fit.CROP, "PNG"),
    )
)


@asynccontextmanager
async def stored_avatar(ctx: Context, file: UploadedFile) -> AsyncIterator[str]:
    """Draw and store a picture; yields its path. If the block fails, it is discarded.

    This takes long: it releases the connection, so check permissions before, and again after it.
    """
    drawn = await redraw(ctx, file, _RECIPE, MAX_AVATAR_MIB)
    files = ctx.runtime.files
    path = new_path(ctx.realm.id, "avatar.png", await files.deployment_tag())
    contents = {
        key_of(path): drawn.variants[_SMALL],
        variant_key(path, MEDIUM): drawn.variants[MEDIUM],
    }
    async with files.storing(contents):
        yield path


async def list_avatar_keys(db: DatabaseSession, realm_id: RealmId) -> list[str]:
    """The storage keys of all uploaded pictures of a realm's users."""
    paths = await UserRepository(db, realm_id).list_avatar_paths()
    return [key for path in paths for key in avatar_keys(path)]


def avatar_keys(path: str) -> list[str]:
    """The storage keys of all sizes of an uploaded picture."""
    return [key_of(path), variant_key(path, MEDIUM)]


async def change_avatar(ctx: RealmContext, user: UserRecord, path: str | None) -> UserRecord:
    """Give a user an uploaded picture, or, with None, the default one; the realm is locked."""
    version = user.avatar_version + 1
    changed = replace(user, avatar_path=path, avatar_version=version)
    await UserRepository(ctx.db, ctx.realm.id).change(
        user.id, avatar_path=path, avatar_version=version
    )
    emit_avatar(ctx, changed)
    if (old := user.avatar_path) is not None:
        ctx.work.after_commit(lambda: ctx.runtime.files.discard(avatar_keys(old)))
    return changed


def emit_avatar(ctx: RealmContext, user: UserRecord) -> None:
    """Emit a user's picture, which may depend on an address that not all readers see."""
    avatar = Avatar.of(user, ctx.realm)
    by: PicturedBy = {
        "delivery_email": user.delivery_email,
        "email": user.api_email(ctx.realm, ctx.settings.root_domain),
        "full_name": user.full_name,
        "path": avatar.path,
        "default": avatar.default,
    }
    ctx.emit(
        UserUpdated(
            person={"user_id": user.id, "avatar_version": user.avatar_version},
            # Addresses of bots are never hidden.
            email_visibility=EmailVisibility.EVERYONE if user.is_bot else user.email_visibility,
            pictured_by=by,
        ),
        to=user_visible_to(user),
    )

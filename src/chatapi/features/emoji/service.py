"""Use cases: add and remove custom emoji."""

from collections.abc import Collection

from chatapi.auth.context import Context, RealmContext
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import RealmId
from chatapi.core.roles import Role
from chatapi.db.session import DatabaseSession
from chatapi.events.audience import Everyone
from chatapi.features.emoji.errors import EmojiDoesNotExistError
from chatapi.features.emoji.events import RealmEmojiAdded, RealmEmojiChanged, RealmEmojiUpdated
from chatapi.features.emoji.images import MAX_BYTES, RECIPE, EmojiImage
from chatapi.features.emoji.payloads import EmojiPayload, emoji_payload
from chatapi.features.emoji.repository import EmojiRepository
from chatapi.features.emoji.rules import check_name
from chatapi.files.names import key_of, new_path
from chatapi.permissions.realm import require_in_realm
from chatapi.permissions.settings import RealmPermission
from chatapi.pictures import UnreadablePictureError
from chatapi.rendering import RealmEmoji, unicode_emoji_code
from chatapi.wire.files import UploadedFile

MAX_EMOJI = 2_000
"""Limit per realm, removed ones included: every client loads all of them."""
_MIB = 1024 * 1024


class EmojiService:
    """Adds and removes custom emoji of a realm."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._repository = EmojiRepository(ctx.db, ctx.realm.id)

    async def list_all(self) -> dict[str, EmojiPayload]:
        return await list_emoji(self._ctx)

    async def add(self, name: str, file: UploadedFile) -> None:
        """POST /realm/emoji/{emoji_name}.

        Drawing and storing the images takes long, so the realm is locked only afterwards; if
        anything fails, the images are discarded.
        """
        if file.size > MAX_BYTES:
            raise BadRequestError(f"The image is larger than {MAX_BYTES // _MIB} MiB")
        await self._check(name)
        await self._ctx.release_connection()
        async with self._ctx.heavy_rendering():
            try:
                drawn = await self._ctx.runtime.painter.draw(file.content, RECIPE)
            except UnreadablePictureError as error:
                raise BadRequestError(error.message) from None
        image = EmojiImage.of(drawn)
        files = self._ctx.runtime.files
        path, still_path = self._new_paths(image, await files.deployment_tag())
        contents = {key_of(path): image.content}
        if still_path is not None and image.still is not None:
            contents[key_of(still_path)] = image.still
        async with files.storing(contents):
            await self._add(name, path, still_path)

    async def remove(self, name: str) -> None:
        """DELETE /realm/emoji/{emoji_name}: existing messages and reactions still show it."""
        await self._ctx.lock()
        emoji = await self._repository.find_named(name)
        if emoji is None:
            raise EmojiDoesNotExistError(name)
        if not self._ctx.user.role.at_least(Role.ADMIN):
            if emoji.author_id != self._ctx.user.id:
                raise BadRequestError("Must be an organization administrator or emoji author")
            await require_in_realm(self._ctx, RealmPermission.CAN_ADD_CUSTOM_EMOJI)
        await self._repository.deactivate(emoji.id)
        removed = RealmEmojiUpdated(emoji_id=str(emoji.id), data={"deactivated": True})
        await self._emit(removed)

    async def _check(self, name: str) -> None:
        await require_in_realm(self._ctx, RealmPermission.CAN_ADD_CUSTOM_EMOJI)
        check_name(name)
        if unicode_emoji_code(name) and not self._ctx.user.role.at_least(Role.ADMIN):
            raise BadRequestError("Only administrators can override default emoji.")
        if await self._repository.find_named(name) is not None:
            raise BadRequestError("A custom emoji with this name already exists.")
        if await self._repository.count() >= MAX_EMOJI:
            raise BadRequestError(f"An organization can have {MAX_EMOJI} custom emoji at most")

    def _new_paths(self, image: EmojiImage, tag: str) -> tuple[str, str | None]:
        path = new_path(self._ctx.realm.id, f"emoji.{image.extension}", tag)
        if image.still is None:
            return path, None
        return path, new_path(self._ctx.realm.id, "still.png", tag)

    async def _add(self, name: str, path: str, still_path: str | None) -> None:
        await self._ctx.lock()
        await self._check(name)
        await self._repository.add(name, self._ctx.user.id, path, still_path, self._ctx.now())
        added = await self._repository.find_named(name)
        if added is not None:
            await self._emit(RealmEmojiAdded(emoji=emoji_payload(added)))

    async def _emit(self, change: RealmEmojiAdded | RealmEmojiUpdated) -> None:
        """Emit one change, and for older clients the whole list."""
        self._ctx.emit(change, to=Everyone())
        self._ctx.emit(RealmEmojiChanged(realm_emoji=await self.list_all()), to=Everyone())


async def list_emoji(ctx: RealmContext) -> dict[str, EmojiPayload]:
    """All custom emoji by id, removed ones included."""
    emoji = await EmojiRepository(ctx.db, ctx.realm.id).list_all()
    return {str(each.id): emoji_payload(each) for each in emoji}


async def list_emoji_named(ctx: RealmContext, names: Collection[str]) -> list[RealmEmoji]:
    """The custom emoji with these names, as texts are rendered with them."""
    found = await EmojiRepository(ctx.db, ctx.realm.id).list_named(names) if names else []
    return [RealmEmoji(each.name, emoji_payload(each)["source_url"]) for each in found]


async def list_emoji_paths(db: DatabaseSession, realm_id: RealmId) -> list[str]:
    """The paths of all images of a realm's emoji, removed ones included."""
    return await EmojiRepository(db, realm_id).list_paths()

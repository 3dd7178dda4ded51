"""Use cases: change the icon and the logos of an organization."""

from msgspec.structs import replace

from chatapi.audit.entries import AuditChange, AuditKind
from chatapi.auth.context import Context, RealmContext
from chatapi.auth.pictures import redraw
from chatapi.auth.realm_cache import RealmRecord
from chatapi.core.errors import NotFoundError
from chatapi.core.ids import RealmId
from chatapi.events.audience import Everyone
from chatapi.features.realm.events import RealmSettingsChanged
from chatapi.features.realm.picture_addresses import RealmPicture
from chatapi.features.realm.repository import RealmRepository
from chatapi.features.realm.rules import MAX_PICTURE_MIB
from chatapi.files.names import key_of, new_path
from chatapi.pictures import Fit, Recipe, Variant
from chatapi.wire.files import UploadedFile

_DRAWN = "drawn"
_RECIPES = {
    RealmPicture.ICON: Recipe((Variant(_DRAWN, 100, 100, Fit.CROP, "PNG"),)),
    RealmPicture.LOGO: Recipe((Variant(_DRAWN, 800, 100, Fit.INSIDE, "PNG"),)),
    RealmPicture.NIGHT_LOGO: Recipe((Variant(_DRAWN, 800, 100, Fit.INSIDE, "PNG"),)),
}


class RealmPictureService:
    """Changes pictures of the organization for administrators, whom the guard admits."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx

    async def upload(self, picture: RealmPicture, file: UploadedFile) -> RealmRecord:
        """Drawing takes long, so the realm is locked only afterwards."""
        drawn = await redraw(self._ctx, file, _RECIPES[picture], MAX_PICTURE_MIB)
        files = self._ctx.runtime.files
        name = f"{picture.value}.png"
        path = new_path(self._ctx.realm.id, name, await files.deployment_tag())
        async with files.storing({key_of(path): drawn.variants[_DRAWN]}):
            return await self._change(picture, path)

    async def remove(self, picture: RealmPicture) -> RealmRecord:
        """Return to the default."""
        return await self._change(picture, None)

    async def _change(self, picture: RealmPicture, path: str | None) -> RealmRecord:
        await self._ctx.lock()
        realms = RealmRepository(self._ctx.db)
        # The record of the request may be older than a change of another picture.
        before = await realms.get(self._ctx.realm.id)
        old = picture.path_in(before)
        if path == old:
            return before
        await realms.change(before.id, **{picture.column: path})
        values: dict[str, str | None] = {picture.column: path}
        changed = replace(before, **values)
        self._ctx.emit(
            RealmSettingsChanged(property=picture.value, data=picture.changes_in(changed)),
            to=Everyone(),
        )
        self._ctx.audit(AuditChange(AuditKind.REALM_SETTING_CHANGED, property=picture.value))
        if old is not None:
            self._ctx.work.after_commit(lambda: self._ctx.runtime.files.discard([key_of(old)]))
        return changed


async def read_realm_picture(ctx: RealmContext, realm_id: int, path: str) -> bytes:
    """The content of an uploaded picture: the server has drawn it, and it is small."""
    whole_path = f"{realm_id}/{path}"
    paths = {picture.path_in(ctx.realm) for picture in RealmPicture}
    if RealmId(realm_id) != ctx.realm.id or whole_path not in paths:
        raise NotFoundError
    await ctx.release_connection()
    return await ctx.runtime.files.read_whole(key_of(whole_path))

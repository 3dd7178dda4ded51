"""Endpoints of the organization's icon and logos."""

from chatapi.auth.guards import Admin, Anybody
from chatapi.auth.pictures import BadImageError
from chatapi.features.realm.picture_addresses import PREFIX, RealmPicture
from chatapi.features.realm.pictures.params import LogoParams, UploadIconParams, UploadLogoParams
from chatapi.features.realm.pictures.payloads import IconPayload
from chatapi.features.realm.pictures.service import RealmPictureService, read_realm_picture
from chatapi.http.responses import FileContent
from chatapi.http.route import FeatureRouter, raises
from chatapi.wire.types import Id

router = FeatureRouter("Icon and logos", "Pictures of the organization.")
picture_router = FeatureRouter("Icon and logos", prefix="", include_in_schema=False)
"""Serves the pictures, outside the API."""


@router.post("/realm/icon", responses=raises(BadImageError))
async def upload_realm_icon(ctx: Admin, params: UploadIconParams) -> IconPayload:
    """Upload the organization's icon.

    Send a PNG, GIF, JPEG or WebP of 5 MiB at most as the only file of a multipart form. It is
    cropped to a square and drawn in 100 x 100 pixels.
    """
    realm = await RealmPictureService(ctx).upload(RealmPicture.ICON, params.file)
    return {"icon_url": RealmPicture.ICON.url_in(realm)}


@router.delete("/realm/icon")
async def remove_realm_icon(ctx: Admin) -> IconPayload:
    """Remove the organization's icon.

    For administrators. The organization gets the default icon; clients receive a
    `realm/update_dict` event. Without an icon of its own, nothing changes.
    """
    realm = await RealmPictureService(ctx).remove(RealmPicture.ICON)
    return {"icon_url": RealmPicture.ICON.url_in(realm)}


@router.post("/realm/logo", responses=raises(BadImageError))
async def upload_realm_logo(ctx: Admin, params: UploadLogoParams) -> None:
    """Upload a logo of the organization, for light or for dark backgrounds.

    An image as for `POST /realm/icon`; it is drawn in 800 x 100 pixels at most.
    """
    await RealmPictureService(ctx).upload(_logo(params), params.file)


@router.delete("/realm/logo")
async def remove_realm_logo(ctx: Admin, params: LogoParams) -> None:
    """Remove a logo of the organization.

    For administrators. The organization gets the default logo; clients receive a
    `realm/update_dict` event. Each of the two logos is removed separately.
    """
    await RealmPictureService(ctx).remove(_logo(params))


@picture_router.get(PREFIX + "{realm_id:int}/{shelf}/{token}/{filename}")
async def open_realm_picture(
    ctx: Anybody, realm_id: Id, shelf: str, token: str, filename: str
) -> FileContent:
    """Open an uploaded icon or logo."""
    content = await read_realm_picture(ctx, realm_id, f"{shelf}/{token}/{filename}")
    return FileContent.small(filename, "image/png", content, is_public=True)


def _logo(params: LogoParams) -> RealmPicture:
    return RealmPicture.NIGHT_LOGO if params.night else RealmPicture.LOGO

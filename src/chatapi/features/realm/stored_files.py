"""All files that the rows of a realm refer to."""

from chatapi.core.ids import RealmId
from chatapi.db.session import DatabaseSession
from chatapi.features.emoji import list_emoji_paths
from chatapi.features.realm.repository import list_realm_picture_paths
from chatapi.features.uploads import list_thumbnail_keys, list_upload_paths
from chatapi.features.users import list_avatar_keys
from chatapi.files.names import key_of


async def list_file_keys(db: DatabaseSession, realm_id: RealmId) -> set[str]:
    """Return the storage keys of uploads, thumbnails, avatars, emoji and pictures of a realm."""
    paths = await list_upload_paths(db, realm_id)
    paths += await list_emoji_paths(db, realm_id)
    paths += await list_realm_picture_paths(db, realm_id)
    drawn = await list_thumbnail_keys(db, realm_id)
    avatar_keys = await list_avatar_keys(db, realm_id)
    return {*map(key_of, paths), *avatar_keys, *drawn}

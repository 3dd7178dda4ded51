"""Every SQL statement on channel folders."""

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct
from sqlalchemy import bindparam, func, insert, not_, select, update

from chatapi.core.errors import BadRequestError
from chatapi.core.ids import ChannelFolderId, RealmId, UserId
from chatapi.core.names import name_key
from chatapi.db.models import Channel, ChannelFolder
from chatapi.db.records import RecordReader
from chatapi.db.session import DatabaseSession


class FolderRecord(Struct, frozen=True):
    """A channel folder."""

    id: ChannelFolderId
    name: str
    description: str
    rendered_description: str
    position: int
    date_created: datetime
    creator_id: UserId | None
    is_archived: bool


_records = RecordReader(FolderRecord, ChannelFolder)
_OF_REALM = (
    _records.select()
    .where(ChannelFolder.realm_id == bindparam("realm_id"))
    .order_by(ChannelFolder.position, ChannelFolder.id)
)
_BY_ID = _OF_REALM.where(ChannelFolder.id == bindparam("folder_id"))
_NAMED = _OF_REALM.where(ChannelFolder.name_key == bindparam("name_key"))
_SIZE = select(func.count(), func.max(ChannelFolder.position)).where(
    ChannelFolder.realm_id == bindparam("realm_id")
)
_CHANNEL_IN_USE = (
    select(Channel.id)
    .where(
        Channel.realm_id == bindparam("realm_id"),
        Channel.folder_id == bindparam("folder_id"),
        not_(Channel.is_archived),
    )
    .limit(1)
)
_MOVE = (
    update(ChannelFolder)
    .where(ChannelFolder.id == bindparam("folder_id"))
    .values(position=bindparam("new_position"))
)


class FolderRepository:
    """Folders of one realm; folders of other realms are never found."""

    def __init__(self, db: DatabaseSession, realm_id: RealmId) -> None:
        self._db = db
        self._realm_id = realm_id

    async def get(self, folder_id: ChannelFolderId) -> FolderRecord:
        rows = await self._db.execute(_BY_ID, {"realm_id": self._realm_id, "folder_id": folder_id})
        row = rows.one_or_none()
        if row is None:
            raise BadRequestError("Invalid channel folder ID")
        return _records.read(row)

    async def find_named(self, name: str) -> FolderRecord | None:
        """Names that differ only in case are the same."""
        rows = await self._db.execute(
            _NAMED, {"realm_id": self._realm_id, "name_key": name_key(name)}
        )
        row = rows.one_or_none()
        return None if row is None else _records.read(row)

    async def list_all(self) -> list[FolderRecord]:
        """All folders in their order, archived ones included."""
        return _records.read_all(await self._db.execute(_OF_REALM, {"realm_id": self._realm_id}))

    async def size(self) -> tuple[int, int]:
        """How many folders there are, archived ones included, and the position of the last."""
        rows = await self._db.execute(_SIZE, {"realm_id": self._realm_id})
        count, last = rows.one()
        return count, last or 0

    async def has_channels(self, folder_id: ChannelFolderId) -> bool:
        """Whether it contains channels that are not archived."""
        rows = await self._db.execute(
            _CHANNEL_IN_USE, {"realm_id": self._realm_id, "folder_id": folder_id}
        )
        return rows.first() is not None

    async def add(self, **values: object) -> ChannelFolderId:
        rows = await self._db.execute(
            insert(ChannelFolder)
            .values(realm_id=self._realm_id, is_archived=False, **values)
            .returning(ChannelFolder.id)
        )
        return ChannelFolderId(rows.scalar_one())

    async def change(self, folder_id: ChannelFolderId, **values: object) -> None:
        await self._db.execute(
            update(ChannelFolder)
            .where(ChannelFolder.realm_id == self._realm_id, ChannelFolder.id == folder_id)
            .values(**values)
        )

    async def reorder(self, folder_ids: Sequence[int]) -> None:
        """Give the folders the positions 1, 2, ..."""
        await self._db.execute(
            _MOVE,
            [
                {"folder_id": folder_id, "new_position": position}
                for position, folder_id in enumerate(folder_ids, start=1)
            ],
        )

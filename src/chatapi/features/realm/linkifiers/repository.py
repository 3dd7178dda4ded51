"""Every SQL statement on linkifiers."""

from msgspec.structs import asdict
from sqlalchemy import bindparam, delete, insert, update

from chatapi.core.ids import LinkifierId, RealmId
from chatapi.db.models import Linkifier
from chatapi.db.records import RecordReader
from chatapi.db.session import DatabaseSession
from chatapi.features.realm.linkifiers.records import LinkifierDefinition, LinkifierRecord

_records = RecordReader(LinkifierRecord, Linkifier)
_OF_REALM = (
    _records.select()
    .where(Linkifier.realm_id == bindparam("realm_id"))
    .order_by(Linkifier.position, Linkifier.id)
)


class LinkifierRepository:
    """Linkifiers of one realm; those of other realms are never found."""

    def __init__(self, db: DatabaseSession, realm_id: RealmId) -> None:
        self._db = db
        self._realm_id = realm_id

    async def list_all(self) -> list[LinkifierRecord]:
        """In the order in which they are applied."""
        return _records.read_all(await self._db.execute(_OF_REALM, {"realm_id": self._realm_id}))

    async def add(self, linkifier: LinkifierDefinition, position: int) -> LinkifierId:
        rows = await self._db.execute(
            insert(Linkifier)
            .values(realm_id=self._realm_id, position=position, **asdict(linkifier))
            .returning(Linkifier.id)
        )
        return LinkifierId(rows.scalar_one())

    async def change(self, linkifier_id: LinkifierId, linkifier: LinkifierDefinition) -> None:
        await self._db.execute(
            update(Linkifier).where(Linkifier.id == linkifier_id).values(**asdict(linkifier))
        )

    async def move(self, linkifier_id: LinkifierId, position: int) -> None:
        await self._db.execute(
            update(Linkifier).where(Linkifier.id == linkifier_id).values(position=position)
        )

    async def remove(self, linkifier_id: LinkifierId) -> None:
        await self._db.execute(delete(Linkifier).where(Linkifier.id == linkifier_id))

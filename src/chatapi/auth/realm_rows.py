"""Reads realms, for work that is not about the realm of a request."""

from sqlalchemy import func, select

from chatapi.auth.realm_cache import RealmRecord, realm_records
from chatapi.core.ids import RealmId
from chatapi.db.models import Realm
from chatapi.db.session import DatabaseSession


class RealmRows:
    """Rows of realms."""

    def __init__(self, db: DatabaseSession) -> None:
        self._db = db

    async def count_realms(self) -> int:
        return (await self._db.execute(select(func.count()).select_from(Realm))).scalar_one()

    async def list_all(self) -> list[RealmRecord]:
        """Return all realms, except for those that are being deleted."""
        return [realm for realm in await self.list_with_deleted() if not realm.is_being_deleted]

    async def list_with_deleted(self) -> list[RealmRecord]:
        """Return all realms that have rows."""
        rows = await self._db.execute(realm_records.select().order_by(Realm.id))
        return realm_records.read_all(rows)

    async def get(self, realm_id: RealmId) -> RealmRecord:
        rows = await self._db.execute(realm_records.select().where(Realm.id == realm_id))
        return realm_records.read(rows.one())

"""Every SQL statement on organizations."""

from sqlalchemy import func, insert, select

from chatapi.auth.realms import RealmRecord, realm_records
from chatapi.core.ids import RealmId
from chatapi.db.models import Realm
from chatapi.db.session import DatabaseSession


class RealmRepository:
    """Organizations as rows."""

    def __init__(self, db: DatabaseSession) -> None:
        self._db = db

    async def add(self, **values: object) -> RealmId:
        rows = await self._db.execute(insert(Realm).values(**values).returning(Realm.id))
        return RealmId(rows.scalar_one())

    async def count_realms(self) -> int:
        return (await self._db.execute(select(func.count()).select_from(Realm))).scalar_one()

    async def find_by_subdomain(self, subdomain: str) -> RealmRecord | None:
        rows = await self._db.execute(realm_records.select().where(Realm.subdomain == subdomain))
        row = rows.one_or_none()
        return None if row is None else realm_records.read(row)

    async def get(self, realm_id: RealmId) -> RealmRecord:
        rows = await self._db.execute(realm_records.select().where(Realm.id == realm_id))
        return realm_records.read(rows.one())

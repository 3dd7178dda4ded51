"""Every SQL statement on realms."""

from sqlalchemy import func, insert, select, update
from sqlalchemy.exc import IntegrityError

from chatapi.auth.realm_cache import RealmRecord, realm_records
from chatapi.core.ids import RealmId
from chatapi.db.models import Realm
from chatapi.db.session import DatabaseSession
from chatapi.features.realm.errors import SubdomainTakenError


class RealmRepository:
    """Rows of realms."""

    def __init__(self, db: DatabaseSession) -> None:
        self._db = db

    async def add(self, *, subdomain: str, **values: object) -> RealmId:
        statement = insert(Realm).values(subdomain=subdomain, **values).returning(Realm.id)
        try:
            rows = await self._db.execute(statement)
        except IntegrityError as error:
            # Both databases name the column whose uniqueness is violated.
            if "subdomain" not in str(error.orig):
                raise
            raise SubdomainTakenError(subdomain) from None
        return RealmId(rows.scalar_one())

    async def count_realms(self) -> int:
        return (await self._db.execute(select(func.count()).select_from(Realm))).scalar_one()

    async def list_all(self) -> list[RealmRecord]:
        rows = await self._db.execute(realm_records.select().order_by(Realm.id))
        return realm_records.read_all(rows)

    async def get(self, realm_id: RealmId) -> RealmRecord:
        rows = await self._db.execute(realm_records.select().where(Realm.id == realm_id))
        return realm_records.read(rows.one())

    async def change(self, realm_id: RealmId, **values: object) -> None:
        await self._db.execute(update(Realm).where(Realm.id == realm_id).values(**values))

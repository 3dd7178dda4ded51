"""Every SQL statement on realms."""

from sqlalchemy import insert, update
from sqlalchemy.exc import IntegrityError

from chatapi.auth.realm_rows import RealmRows
from chatapi.core.ids import RealmId
from chatapi.db.models import Realm
from chatapi.features.realm.errors import SubdomainTakenError


class RealmRepository(RealmRows):
    """Writes the rows of realms."""

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

    async def change(self, realm_id: RealmId, **values: object) -> None:
        await self._db.execute(update(Realm).where(Realm.id == realm_id).values(**values))

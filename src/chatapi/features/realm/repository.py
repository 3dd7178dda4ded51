"""Every SQL statement on realms."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import insert, select, update
from sqlalchemy.exc import IntegrityError

from chatapi.auth.realm_rows import RealmRows
from chatapi.core.ids import RealmId
from chatapi.db.models import Realm
from chatapi.db.session import DatabaseSession
from chatapi.features.realm.errors import SubdomainTakenError


class RealmRepository(RealmRows):
    """Writes the rows of realms."""

    async def add(self, *, subdomain: str, **values: object) -> RealmId:
        statement = insert(Realm).values(subdomain=subdomain, **values).returning(Realm.id)
        with _taken_subdomain_named(subdomain):
            rows = await self._db.execute(statement)
        return RealmId(rows.scalar_one())

    async def move(self, realm_id: RealmId, subdomain: str) -> None:
        """Change the subdomain, which no other realm may have."""
        with _taken_subdomain_named(subdomain):
            await self.change(realm_id, subdomain=subdomain)

    async def change(self, realm_id: RealmId, **values: object) -> None:
        await self._db.execute(update(Realm).where(Realm.id == realm_id).values(**values))


@contextmanager
def _taken_subdomain_named(subdomain: str) -> Iterator[None]:
    try:
        yield
    except IntegrityError as error:
        # Both databases name the column whose uniqueness is violated.
        if "subdomain" not in str(error.orig):
            raise
        raise SubdomainTakenError(subdomain) from None


async def list_realm_picture_paths(db: DatabaseSession, realm_id: RealmId) -> list[str]:
    """The paths of the uploaded icon and logos of a realm."""
    columns = (Realm.icon_path, Realm.logo_path, Realm.night_logo_path)
    rows = await db.execute(select(*columns).where(Realm.id == realm_id))
    return [path for row in rows for path in row if path is not None]

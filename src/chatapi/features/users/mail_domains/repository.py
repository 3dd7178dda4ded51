"""Every SQL statement on mail domains."""

from sqlalchemy import delete, insert, select, update

from chatapi.core.ids import RealmId
from chatapi.db.models import RealmDomain
from chatapi.db.session import DatabaseSession
from chatapi.features.users.mail_domains.payloads import DomainPayload


class DomainRepository:
    """Mail domains of one realm; those of other realms are never found."""

    def __init__(self, db: DatabaseSession, realm_id: RealmId) -> None:
        self._db = db
        self._realm_id = realm_id

    async def list_all(self) -> list[DomainPayload]:
        rows = await self._db.execute(
            select(RealmDomain.domain, RealmDomain.allow_subdomains)
            .where(RealmDomain.realm_id == self._realm_id)
            .order_by(RealmDomain.domain)
        )
        return [{"domain": domain, "allow_subdomains": allows} for domain, allows in rows]

    async def add(self, domain: DomainPayload) -> None:
        await self._db.execute(insert(RealmDomain).values(realm_id=self._realm_id, **domain))

    async def change(self, domain: DomainPayload) -> None:
        await self._db.execute(
            update(RealmDomain)
            .where(RealmDomain.realm_id == self._realm_id, RealmDomain.domain == domain["domain"])
            .values(allow_subdomains=domain["allow_subdomains"])
        )

    async def remove(self, domain: str) -> None:
        await self._db.execute(
            delete(RealmDomain).where(
                RealmDomain.realm_id == self._realm_id, RealmDomain.domain == domain
            )
        )

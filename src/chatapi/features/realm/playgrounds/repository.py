"""Every SQL statement on playgrounds."""

from sqlalchemy import delete, insert, select

from chatapi.core.ids import PlaygroundId, RealmId
from chatapi.db.models import Playground
from chatapi.db.session import DatabaseSession
from chatapi.features.realm.playgrounds.payloads import PlaygroundPayload


class PlaygroundRepository:
    """Playgrounds of one realm; those of other realms are never found."""

    def __init__(self, db: DatabaseSession, realm_id: RealmId) -> None:
        self._db = db
        self._realm_id = realm_id

    async def list_all(self) -> list[PlaygroundPayload]:
        rows = await self._db.execute(
            select(
                Playground.id,
                Playground.name,
                Playground.pygments_language,
                Playground.url_template,
            )
            .where(Playground.realm_id == self._realm_id)
            .order_by(Playground.id)
        )
        return [
            {"id": key, "name": name, "pygments_language": language, "url_template": template}
            for key, name, language, template in rows
        ]

    async def add(self, **values: str) -> PlaygroundId:
        rows = await self._db.execute(
            insert(Playground).values(realm_id=self._realm_id, **values).returning(Playground.id)
        )
        return PlaygroundId(rows.scalar_one())

    async def remove(self, playground_id: PlaygroundId) -> None:
        await self._db.execute(
            delete(Playground).where(
                Playground.realm_id == self._realm_id, Playground.id == playground_id
            )
        )

"""Every SQL statement on the defaults of personal settings."""

from typing import Any

from sqlalchemy import select, update

from chatapi.core.ids import RealmId
from chatapi.db.models import Realm
from chatapi.db.session import DatabaseSession


class DefaultSettingsRepository:
    """The defaults of one realm: what differs from those of the service."""

    def __init__(self, db: DatabaseSession, realm_id: RealmId) -> None:
        self._db = db
        self._realm_id = realm_id

    async def get(self) -> dict[str, Any]:
        rows = await self._db.execute(
            select(Realm.user_settings_defaults).where(Realm.id == self._realm_id)
        )
        return rows.scalar_one() or {}

    async def change(self, defaults: dict[str, Any]) -> None:
        await self._db.execute(
            update(Realm).where(Realm.id == self._realm_id).values(user_settings_defaults=defaults)
        )

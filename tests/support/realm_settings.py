"""Settings of a realm, changed in the database without the running service."""

from sqlalchemy import update

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.db.models import Realm
from chatapi.db.session import DatabaseSession


async def set_realm_settings(runtime: Runtime, realm: RealmRecord, **settings: object) -> None:
    """Change settings of a realm from their defaults, before it is cached."""
    async with DatabaseSession(runtime.database) as db:
        await db.write()
        await db.execute(update(Realm).where(Realm.id == realm.id).values(settings=settings))
        await db.commit()
    runtime.realms.reload_soon()

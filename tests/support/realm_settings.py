"""Settings of an organization, changed behind the back of the running service."""

from sqlalchemy import update

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.db.models import Realm
from chatapi.db.session import DatabaseSession


async def set_realm_settings(runtime: Runtime, realm: RealmRecord, **settings: object) -> None:
    """Make an organization differ from the defaults; before anybody has asked for it."""
    async with DatabaseSession(runtime.database) as db:
        await db.write()
        await db.execute(update(Realm).where(Realm.id == realm.id).values(settings=settings))
        await db.commit()
    runtime.realms._invalidate()

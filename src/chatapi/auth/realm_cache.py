"""Which organization a request is for, from its host name."""

import asyncio
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from sqlalchemy import func, select

from chatapi.core.clock import stopwatch
from chatapi.core.errors import UnknownOrganizationError
from chatapi.core.ids import RealmId
from chatapi.core.settings import Settings
from chatapi.db.database import Database
from chatapi.db.models import Realm
from chatapi.db.records import RecordReader
from chatapi.db.session import DatabaseSession
from chatapi.events.entry import Entry
from chatapi.events.hub import Hub, Observer
from chatapi.wire.realm_settings import RealmSettings

_RECOUNT_SECONDS = 1.0
_MAX_RELOAD_SECONDS = 4.0
"""All who ask at the same time share one look; it must not keep them waiting for ever."""


@dataclass(frozen=True)
class RealmRecord:
    """An organization as the database knows it."""

    id: RealmId
    subdomain: str
    name: str
    uuid: str
    date_created: datetime
    settings: dict[str, Any]
    system_groups: dict[str, int]

    @cached_property
    def options(self) -> RealmSettings:
        """The settings with their defaults filled in."""
        return RealmSettings.model_validate(self.settings)

    def host(self, root_domain: str) -> str:
        """The host name that is this organization's alone; API emails end in it."""
        return f"{self.subdomain}.{root_domain}"


realm_records = RecordReader(RealmRecord, Realm)


class RealmCache:
    """Remembers the organizations; the log empties what changed, a glance finds what is new."""

    def __init__(self, database: Database, hub: Hub, settings: Settings) -> None:
        self._database = database
        self._hub = hub
        self._root_domain = settings.root_domain.lower()
        self._by_subdomain: dict[str, RealmRecord] = {}
        self._count = 0
        self._changes = 0
        self._counted_at = -_RECOUNT_SECONDS
        self._looking: asyncio.Task[None] | None = None
        hub.observe(Observer(on_event=self._on_event, on_reset=lambda _realm: self._invalidate()))

    @property
    def is_single(self) -> bool:
        """Whether all host names lead to the same organization."""
        return self._count == 1

    def reload_soon(self) -> None:
        """This process has made an organization: whoever asks next finds it."""
        self._counted_at = -_RECOUNT_SECONDS

    async def get_by_host(self, host: str) -> RealmRecord:
        """The organization at a host name: the only one there is, or the one with its name."""
        realm = await self.find(host)
        if realm is None:
            raise UnknownOrganizationError
        return realm

    async def find(self, host: str) -> RealmRecord | None:
        """None on the root domain of a server with several organizations, and where none is."""
        # Also for what is answered from memory: it may no longer be true.
        self._database.require_file()
        await self._refresh_if_old()
        if self.is_single:
            return next(iter(self._by_subdomain.values()))
        subdomain = host.removesuffix(f".{self._root_domain}")
        return self._by_subdomain.get(subdomain) if subdomain != host else None

    async def of_id(self, realm_id: RealmId) -> RealmRecord:
        """The organization with an id that the database knows."""
        await self._refresh_if_old()
        return next(realm for realm in self._by_subdomain.values() if realm.id == realm_id)

    async def reload_locked(self, db: DatabaseSession, realm: RealmRecord) -> RealmRecord:
        """An organization as it is for the holder of its lock, who must not wait for others."""
        if self.is_current(realm):
            return realm
        rows = await db.execute(realm_records.select().where(Realm.id == realm.id))
        return realm_records.read(rows.one())

    def is_current(self, realm: RealmRecord) -> bool:
        """Whether nothing changed about an organization, by what this process has seen."""
        return self._by_subdomain.get(realm.subdomain) is realm

    async def _refresh_if_old(self) -> None:
        """Look at the database if the last look is too old; a look that fails, fails for all."""
        while stopwatch() - self._counted_at > _RECOUNT_SECONDS:
            if self._looking is None:
                self._looking = asyncio.create_task(self._reload())
                # Whoever asked may have gone away by then, and with them the one who would care.
                self._looking.add_done_callback(_ignore_failure)
            # A request that is cancelled must not take the look away from the others.
            await asyncio.shield(self._looking)

    async def _reload(self) -> None:
        try:
            async with asyncio.timeout(_MAX_RELOAD_SECONDS):
                await self._reload_if_more()
        finally:
            self._looking = None

    async def _reload_if_more(self) -> None:
        """Notice organizations that were created by another process."""
        async with DatabaseSession(self._database) as db:
            count = (await db.execute(select(func.count()).select_from(Realm))).scalar_one()
            while count != len(self._by_subdomain):
                count = await self._load(db)
        # Something may have been forgotten while the connection was given back.
        if count == len(self._by_subdomain):
            self._count = count
            self._counted_at = stopwatch()

    async def _load(self, db: DatabaseSession) -> int:
        """Read all of them and say how many there are; what changed meanwhile is not kept."""
        changes = self._changes
        # Follow the realms first: from here on every change is noticed.
        realm_ids = (await db.execute(select(Realm.id))).scalars().all()
        # Nobody may hold one connection and wait for another.
        await db.close()
        for realm_id in realm_ids:
            await self._hub.feed(RealmId(realm_id))
        rows = await db.execute(realm_records.select().order_by(Realm.id))
        realms = realm_records.read_all(rows)
        if changes == self._changes:
            self._by_subdomain = {realm.subdomain: realm for realm in realms}
        return len(realms)

    def _on_event(self, entry: Entry) -> None:
        if entry.event.changes_realm():
            self._invalidate()

    def _invalidate(self) -> None:
        self._changes += 1
        self._by_subdomain = {}
        self._counted_at = -_RECOUNT_SECONDS


def _ignore_failure(reload: asyncio.Task[None]) -> None:
    if not reload.cancelled():
        reload.exception()

"""Cache of realms: finds the realm of a request from its host name."""

import asyncio
from datetime import datetime
from functools import cached_property
from typing import Any

from msgspec import Struct
from sqlalchemy import func, select

from chatapi.core.clock import stopwatch
from chatapi.core.errors import UnknownOrganizationError
from chatapi.core.ids import RealmId
from chatapi.core.settings import Settings
from chatapi.db.database import Database
from chatapi.db.models import Realm
from chatapi.db.records import RecordReader
from chatapi.db.session import DatabaseSession
from chatapi.events.feed_cache import ALL_REALMS, FeedCache
from chatapi.events.hub import Hub
from chatapi.wire.realm_settings import RealmSettings

_COUNT = select(func.count()).select_from(Realm)
_RECOUNT_SECONDS = 1.0
_MAX_RELOAD_SECONDS = 4.0
"""Timeout of a reload, which all concurrent requests share and wait for."""


class RealmRecord(Struct, frozen=True, dict=True):
    """A row of the realm table."""

    id: RealmId
    subdomain: str
    name: str
    uuid: str
    date_created: datetime
    settings: dict[str, Any]
    system_groups: dict[str, int]
    icon_path: str | None = None
    logo_path: str | None = None
    night_logo_path: str | None = None
    user_settings_defaults: dict[str, Any] | None = None
    deletion_began_at: datetime | None = None

    @cached_property
    def options(self) -> RealmSettings:
        """The settings with their defaults filled in."""
        return RealmSettings.model_validate(self.settings)

    @property
    def is_being_deleted(self) -> bool:
        """Whether requests no longer reach it; jobs still find it until its rows are gone."""
        return self.deletion_began_at is not None

    def host(self, root_domain: str) -> str:
        """The host name of this realm only; made-up API email addresses end in it."""
        return f"{self.subdomain}.{root_domain}"


realm_records = RecordReader(RealmRecord, Realm)


class RealmCache:
    """Caches all realms. Events invalidate it; counting the rows regularly finds new realms."""

    def __init__(self, database: Database, hub: Hub, settings: Settings) -> None:
        self._database = database
        self._hub = hub
        self._root_domain = settings.root_domain.lower()
        self._realms = FeedCache[None, dict[str, RealmRecord]](hub, max_values=1)
        """All realms, by subdomain."""
        self._reachable = 0
        """How many realms there are, without those that are being deleted."""
        self._counted_at = -_RECOUNT_SECONDS
        self._looking: asyncio.Task[None] | None = None

    @property
    def is_single(self) -> bool:
        """Whether there is only one realm, so that all host names lead to it."""
        return self._reachable == 1

    def reload_soon(self) -> None:
        """Reload on the next lookup; call it after this process created a realm."""
        self._realms.drop(ALL_REALMS)

    async def get_by_host(self, host: str) -> RealmRecord:
        """Returns the realm of a host name: the only one, or the one with that subdomain."""
        realm = await self.find(host)
        if realm is None:
            raise UnknownOrganizationError
        return realm

    async def find(self, host: str) -> RealmRecord | None:
        """Like `get_by_host`, but None if unknown, or on the root domain with several realms."""
        # Also check before responses from the cache: it may be outdated.
        self._database.require_file()
        realms = await self._current()
        if self.is_single:
            return next(realm for realm in realms.values() if not realm.is_being_deleted)
        subdomain = host.removesuffix(f".{self._root_domain}")
        realm = realms.get(subdomain) if subdomain != host else None
        return None if realm is None or realm.is_being_deleted else realm

    async def of_id(self, realm_id: RealmId) -> RealmRecord:
        """Returns the realm with an id that is known to exist."""
        realm = await self._find_by_id(realm_id)
        if realm is None:
            # Another process has created it since the realms were last counted.
            self.reload_soon()
            realm = await self._find_by_id(realm_id)
        if realm is None:
            raise UnknownOrganizationError
        return realm

    async def _find_by_id(self, realm_id: RealmId) -> RealmRecord | None:
        realms = await self._current()
        return next((realm for realm in realms.values() if realm.id == realm_id), None)

    async def reload_locked(self, db: DatabaseSession, realm: RealmRecord) -> RealmRecord:
        """Returns a realm's current state for the holder of its lock, which must not wait."""
        if self.is_current(realm):
            return realm
        rows = await db.execute(realm_records.select().where(Realm.id == realm.id))
        return realm_records.read(rows.one())

    def is_current(self, realm: RealmRecord) -> bool:
        """Whether the realm has not changed, as far as this process has seen."""
        realms = self._cached()
        return realms is not None and realms.get(realm.subdomain) is realm

    def _cached(self) -> dict[str, RealmRecord] | None:
        return self._realms.get(ALL_REALMS, None)

    async def _current(self) -> dict[str, RealmRecord]:
        """Returns all realms; reloads if they were invalidated or the last count is too old.

        A failed reload fails for all waiting requests.
        """
        while (
            realms := self._cached()
        ) is None or stopwatch() - self._counted_at > _RECOUNT_SECONDS:
            if self._looking is None:
                self._looking = asyncio.create_task(self._reload())
                # The waiting requests may be cancelled by then, so nothing else would retrieve the
                # error.
                self._looking.add_done_callback(_ignore_failure)
            # A request that is cancelled must not cancel the reload for the others.
            await asyncio.shield(self._looking)
        return realms

    async def _reload(self) -> None:
        try:
            async with asyncio.timeout(_MAX_RELOAD_SECONDS):
                await self._reload_if_more()
        finally:
            self._looking = None

    async def _reload_if_more(self) -> None:
        """Reload if the realms were invalidated, or if another process created some."""
        async with DatabaseSession(self._database) as db:
            [(count,)] = await db.fetch_alone(_COUNT)
            while not self._has_all(count):
                count = await self._load(db)
        # The cache may have been invalidated while the connection was closed.
        if self._has_all(count):
            self._reachable = self._count_reachable()
            self._counted_at = stopwatch()

    def _has_all(self, count: int) -> bool:
        realms = self._cached()
        return realms is not None and len(realms) == count

    def _count_reachable(self) -> int:
        realms = self._cached() or {}
        return sum(not realm.is_being_deleted for realm in realms.values())

    async def _load(self, db: DatabaseSession) -> int:
        """Read all realms and return their number; not cached if one changed in the meantime."""
        # Follow the logs of the realms first: from here on no change is missed.
        realm_ids = (await db.execute(select(Realm.id))).scalars().all()
        # No request may hold one connection and wait for another.
        await db.close()
        for realm_id in realm_ids:
            await self._hub.feed(RealmId(realm_id))
        # If some are cached, they are too few.
        self._realms.drop(ALL_REALMS)
        loading = self._realms.begin_now(ALL_REALMS)
        rows = await db.execute(realm_records.select().order_by(Realm.id))
        realms = {realm.subdomain: realm for realm in realm_records.read_all(rows)}
        self._realms.keep(loading, None, realms)
        return len(realms)


def _ignore_failure(reload: asyncio.Task[None]) -> None:
    if not reload.cancelled():
        reload.exception()

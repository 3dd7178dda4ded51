"""Cache of authenticated callers by HTTP Basic credentials, invalidated by the event log."""

import base64
import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar, cast

from sqlalchemy import ScalarSelect, select

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.users import UserRecord, is_named, user_records
from chatapi.core.errors import UnauthorizedError
from chatapi.core.ids import ApiKeyId, RealmId, UserId, hash_api_key
from chatapi.core.settings import Settings
from chatapi.db.models import ApiKey, User
from chatapi.db.session import DatabaseSession
from chatapi.events.entry import Entry
from chatapi.events.hub import Hub, Observer

T = TypeVar("T")

_MAX_CALLERS = 50_000

_Key = bytes | UserId
"""The digest of a header or, for users on whose behalf the service acts, a user id."""


@dataclass(eq=False)
class Caller:
    """An authenticated user, and values computed for this user since its last change."""

    user: UserRecord
    key_id: ApiKeyId | None = None
    """The key used to authenticate; None where the service acts on the user's behalf."""
    is_stale: bool = False
    """Set by the event log as soon as the user changed; the next request gets a new Caller."""
    _memoized: dict[str, object] = field(default_factory=dict, compare=False, repr=False)

    async def memoize(self, name: str, compute: Callable[[], Awaitable[T]]) -> T:
        """Returns a value that only changes when the user does; every change makes a new Caller."""
        if name not in self._memoized:
            self._memoized[name] = await compute()
        return cast(T, self._memoized[name])


@dataclass
class _RealmCache:
    by_credentials: dict[_Key, Caller] = field(default_factory=dict)
    credentials_of: dict[UserId, set[_Key]] = field(default_factory=dict)
    changes: int = 0
    """Number of changes to users; a record read before a change is not cached after it."""


class CallerCache:
    """The cache between the Authorization header and the user table."""

    def __init__(self, hub: Hub, settings: Settings) -> None:
        self._hub = hub
        self._root_domain = settings.root_domain
        self._realms: dict[RealmId, _RealmCache] = {}
        self._count = 0
        hub.observe(Observer(on_event=self._on_event, on_reset=self._invalidate_realm))

    async def authenticate(self, db: DatabaseSession, realm: RealmRecord, header: str) -> Caller:
        """Returns the caller of a header; raises UnauthorizedError without a reason otherwise."""
        # The header is a secret: the cache stores only its digest.
        key = hashlib.sha256(header.encode()).digest()
        caller = self._realm_cache(realm.id).by_credentials.get(key)
        if caller is None:
            caller = await self._look_up(db, realm, header, key)
        return caller

    async def of_user(self, db: DatabaseSession, realm_id: RealmId, user_id: UserId) -> Caller:
        """Returns a user on whose behalf the service acts; does not check that it is active."""
        cached = self._realm_cache(realm_id)
        caller = cached.by_credentials.get(user_id)
        if caller is not None:
            return caller
        await self._hub.feed(realm_id)
        changes = cached.changes
        rows = await db.execute(
            user_records.select().where(User.realm_id == realm_id, User.id == user_id)
        )
        caller = Caller(user_records.read(rows.one()))
        return self._keep(cached, user_id, caller, changes)

    async def _look_up(
        self, db: DatabaseSession, realm: RealmRecord, header: str, key: _Key
    ) -> Caller:
        email, api_key = _parse_basic(header)
        # Follow the realm's log before reading, so that no change in between can be missed.
        await self._hub.feed(realm.id)
        cached = self._realm_cache(realm.id)
        changes = cached.changes
        # The same statement for unknown, wrong and deactivated: neither the response nor its timing
        # tells them apart.
        rows = await db.execute(
            user_records.select()
            .add_columns(_id_of_key(hash_api_key(api_key)))
            .where(is_named(realm, self._root_domain, email))
        )
        row = rows.one_or_none()
        if row is None or row[-1] is None:
            raise UnauthorizedError
        user = user_records.read(tuple(row)[:-1])
        if not user.is_active:
            raise UnauthorizedError
        return self._keep(cached, key, Caller(user, ApiKeyId(row[-1])), changes)

    def _keep(self, cached: _RealmCache, key: _Key, caller: Caller, changes: int) -> Caller:
        """Cache a caller, so that the log can mark it stale; concurrent lookups share the first.

        If a user changed since this one was read, the caller is marked stale at once and not
        cached.
        """
        if changes != cached.changes:
            caller.is_stale = True
            return caller
        if key in cached.by_credentials:
            return cached.by_credentials[key]
        if self._count >= _MAX_CALLERS:
            for realm_id in self._realms:
                self._invalidate_realm(realm_id)
        cached.credentials_of.setdefault(caller.user.id, set()).add(key)
        cached.by_credentials[key] = caller
        self._count += 1
        return caller

    def _realm_cache(self, realm_id: RealmId) -> _RealmCache:
        cached = self._realms.get(realm_id)
        if cached is None:
            cached = self._realms[realm_id] = _RealmCache()
        return cached

    def _on_event(self, entry: Entry) -> None:
        if entry.event.changes_realm():
            self._invalidate_realm(entry.realm_id)
            return
        for user_id in entry.event.changed_users() | entry.event.revoked_users():
            cached = self._realm_cache(entry.realm_id)
            cached.changes += 1
            for key in cached.credentials_of.pop(user_id, ()):
                cached.by_credentials.pop(key).is_stale = True
                self._count -= 1

    def _invalidate_realm(self, realm_id: RealmId) -> None:
        """Mark all callers of a realm stale; callers of other realms are not affected."""
        cached = self._realm_cache(realm_id)
        cached.changes += 1
        self._count -= len(cached.by_credentials)
        for caller in cached.by_credentials.values():
            caller.is_stale = True
        cached.by_credentials.clear()
        cached.credentials_of.clear()


def _id_of_key(key_hash: str) -> ScalarSelect[int]:
    return (
        select(ApiKey.id)
        .where(ApiKey.user_id == User.id, ApiKey.key_hash == key_hash)
        .scalar_subquery()
    )


def _parse_basic(header: str) -> tuple[str, str]:
    scheme, _, encoded = header.partition(" ")
    if scheme.lower() != "basic":
        raise UnauthorizedError
    try:
        text = base64.b64decode(encoded.strip(), validate=True).decode()
    except ValueError:
        raise UnauthorizedError from None
    email, separator, api_key = text.partition(":")
    if not separator or "\0" in email:
        raise UnauthorizedError
    return email, api_key

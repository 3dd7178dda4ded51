"""HTTP Basic to the user behind it, remembered until the log says that something changed."""

import base64
import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar, cast

from sqlalchemy import ScalarSelect, select

from chatapi.auth.people import UserRecord, is_named, user_records
from chatapi.auth.realms import RealmRecord
from chatapi.core.errors import UnauthorizedError
from chatapi.core.ids import ApiKeyId, RealmId, UserId, hash_api_key
from chatapi.core.settings import Settings
from chatapi.db.models import ApiKey, User
from chatapi.db.session import DatabaseSession
from chatapi.events.entry import Entry
from chatapi.events.hub import Hub, Observer

T = TypeVar("T")

_MOST_CALLERS = 50_000

_Key = bytes | UserId
"""The digest of a header or, for those the service acts for by itself, a user."""


@dataclass(eq=False)
class Caller:
    """An authenticated user, and what was worked out about them since they last changed."""

    user: UserRecord
    key_id: ApiKeyId | None = None
    """The key they authenticated with; None where the service acts by itself."""
    is_outdated: bool = False
    """Set by the log as soon as the user changed; whoever asks next gets a new Caller."""
    _remembered: dict[str, object] = field(default_factory=dict, compare=False, repr=False)

    async def remember(self, name: str, work_out: Callable[[], Awaitable[T]]) -> T:
        """A value that only changes when the user does; every change makes a new Caller."""
        if name not in self._remembered:
            self._remembered[name] = await work_out()
        return cast(T, self._remembered[name])


@dataclass
class _RealmMemory:
    by_credentials: dict[_Key, Caller] = field(default_factory=dict)
    credentials_of: dict[UserId, set[_Key]] = field(default_factory=dict)
    changes: int = 0
    """How often somebody changed; what is read before a change is not kept after it."""


class Callers:
    """The cache between the Authorization header and the account table."""

    def __init__(self, hub: Hub, settings: Settings) -> None:
        self._hub = hub
        self._root_domain = settings.root_domain
        self._realms: dict[RealmId, _RealmMemory] = {}
        self._count = 0
        hub.observe(Observer(saw=self._saw, lost_track=self._forget_realm))

    async def authenticate(self, db: DatabaseSession, realm: RealmRecord, header: str) -> Caller:
        """The caller a header names, or UNAUTHORIZED without saying why."""
        # The header is a secret: the cache knows its digest only.
        key = hashlib.sha256(header.encode()).digest()
        caller = self._memory(realm.id).by_credentials.get(key)
        if caller is None:
            caller = await self._look_up(db, realm, header, key)
        return caller

    async def of_user(self, db: DatabaseSession, realm_id: RealmId, user_id: UserId) -> Caller:
        """Somebody for whom the service acts by itself; whether they are active is not asked."""
        memory = self._memory(realm_id)
        caller = memory.by_credentials.get(user_id)
        if caller is not None:
            return caller
        await self._hub.feed(realm_id)
        changes = memory.changes
        rows = await db.execute(
            user_records.select().where(User.realm_id == realm_id, User.id == user_id)
        )
        caller = Caller(user_records.read(rows.one()))
        return self._keep(memory, user_id, caller, changes)

    async def _look_up(
        self, db: DatabaseSession, realm: RealmRecord, header: str, key: _Key
    ) -> Caller:
        email, api_key = _parse_basic(header)
        # Follow the realm before reading, so that no change between can be missed.
        await self._hub.feed(realm.id)
        memory = self._memory(realm.id)
        changes = memory.changes
        # One statement of one form for unknown, wrong and deactivated: neither the answer nor
        # the time it takes tells them apart.
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
        return self._keep(memory, key, Caller(user, ApiKeyId(row[-1])), changes)

    def _keep(self, memory: _RealmMemory, key: _Key, caller: Caller, changes: int) -> Caller:
        """The caller that the log will mark; whoever looked them up meanwhile gets the same one.

        What changed since the user was read is marked already.
        """
        if changes != memory.changes:
            caller.is_outdated = True
            return caller
        if key in memory.by_credentials:
            return memory.by_credentials[key]
        if self._count >= _MOST_CALLERS:
            for realm_id in self._realms:
                self._forget_realm(realm_id)
        memory.credentials_of.setdefault(caller.user.id, set()).add(key)
        memory.by_credentials[key] = caller
        self._count += 1
        return caller

    def _memory(self, realm_id: RealmId) -> _RealmMemory:
        memory = self._realms.get(realm_id)
        if memory is None:
            memory = self._realms[realm_id] = _RealmMemory()
        return memory

    def _saw(self, entry: Entry) -> None:
        if entry.event.changes_realm():
            self._forget_realm(entry.realm_id)
            return
        for user_id in entry.event.changed_users() | entry.event.revoked_users():
            memory = self._memory(entry.realm_id)
            memory.changes += 1
            for key in memory.credentials_of.pop(user_id, ()):
                memory.by_credentials.pop(key).is_outdated = True
                self._count -= 1

    def _forget_realm(self, realm_id: RealmId) -> None:
        """Of other organizations nobody is concerned."""
        memory = self._memory(realm_id)
        memory.changes += 1
        self._count -= len(memory.by_credentials)
        for caller in memory.by_credentials.values():
            caller.is_outdated = True
        memory.by_credentials.clear()
        memory.credentials_of.clear()


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

"""Cache of authenticated callers by their credentials, invalidated by the event log."""

import base64
import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar, cast

from sqlalchemy import bindparam, select

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.users import UserRecord, user_id_in, user_records
from chatapi.core.errors import NotLoggedInError, UnauthorizedError
from chatapi.core.ids import ApiKeyId, RealmId, UserId, hash_api_key
from chatapi.core.names import name_key
from chatapi.core.roles import BotType
from chatapi.core.settings import Settings
from chatapi.db.models import ApiKey, User
from chatapi.db.session import DatabaseSession
from chatapi.events.cache_tags import CacheTag, UserTag
from chatapi.events.feed_cache import FeedCache
from chatapi.events.hub import Hub

T = TypeVar("T")

_MAX_CALLERS = 50_000
"""Per realm."""

_ID_OF_KEY = (
    select(ApiKey.id)
    .where(ApiKey.user_id == User.id, ApiKey.key_hash == bindparam("key_hash"))
    .scalar_subquery()
)
_WITH_KEY = (
    user_records.select().add_columns(_ID_OF_KEY).where(User.realm_id == bindparam("realm_id"))
)
# As `is_named` has it, but built once.
_BY_EMAIL = _WITH_KEY.where(User.email_key == bindparam("email_key"))
_BY_ID = _WITH_KEY.where(User.id == bindparam("user_id"))

_Key = bytes | UserId
"""The digest of credentials or, for users on whose behalf the service acts, a user id."""


def caller_tags(user_id: UserId) -> tuple[CacheTag, ...]:
    """Return the tags of events after which a cached caller does not hold any more."""
    return (UserTag(user_id),)


@dataclass(eq=False, slots=True)
class Caller:
    """An authenticated user, and values computed for this user since its last change."""

    user: UserRecord
    key_id: ApiKeyId | None = None
    """The key used to authenticate; None where the service acts on the user's behalf."""
    is_stale: bool = False
    """Set by the event log as soon as the user changed; the next request gets a new Caller."""
    _memoized: dict[str, object] = field(default_factory=dict, compare=False, repr=False)

    def mark_stale(self) -> None:
        self.is_stale = True

    async def memoize(self, name: str, compute: Callable[[], Awaitable[T]]) -> T:
        """Returns a value that only changes when the user does; every change makes a new Caller."""
        if name not in self._memoized:
            self._memoized[name] = await compute()
        return cast(T, self._memoized[name])


class CallerCache:
    """The cache between the Authorization header and the user table."""

    def __init__(self, hub: Hub, settings: Settings) -> None:
        self._root_domain = settings.root_domain
        self._used_keys: set[ApiKeyId] = set()
        self._callers = FeedCache[_Key, Caller](
            hub,
            max_values=_MAX_CALLERS,
            value_tags=(UserTag,),
            tags_of=lambda _key, caller: caller_tags(caller.user.id),
            mark_stale=Caller.mark_stale,
        )

    async def authenticate(self, db: DatabaseSession, realm: RealmRecord, header: str) -> Caller:
        """Returns the caller of a header; raises UnauthorizedError without a reason otherwise."""
        # The header is a secret: the cache stores only its digest.
        key = hashlib.sha256(header.encode()).digest()
        caller = self._callers.get(realm.id, key)
        if caller is None:
            email, api_key = _parse_basic(header)
            caller = await self._callers.load(
                realm.id, key, partial(self._look_up, db, realm, email, api_key)
            )
        return self._with_used_key(caller)

    async def authenticate_webhook(
        self, db: DatabaseSession, realm: RealmRecord, api_key: str
    ) -> Caller:
        """Returns the incoming webhook bot of a key; raises UnauthorizedError for any other key."""
        # No header has a NUL character, so digests of headers and of keys differ.
        key = hashlib.sha256(b"\0" + api_key.encode()).digest()
        caller = self._callers.get(realm.id, key)
        if caller is None:
            caller = await self._callers.load(
                realm.id, key, partial(_look_up_webhook, db, realm.id, api_key)
            )
        return self._with_used_key(caller)

    def take_used_keys(self) -> set[ApiKeyId]:
        """Returns the keys that authenticated requests since the last call."""
        used, self._used_keys = self._used_keys, set()
        return used

    def _with_used_key(self, caller: Caller) -> Caller:
        if caller.key_id is not None:
            self._used_keys.add(caller.key_id)
        return caller

    async def of_user(self, db: DatabaseSession, realm_id: RealmId, user_id: UserId) -> Caller:
        """Returns a user on whose behalf the service acts; does not check that it is active."""
        caller = self._callers.get(realm_id, user_id)
        if caller is not None:
            return caller
        return await self._callers.load(realm_id, user_id, partial(_read, db, realm_id, user_id))

    async def _look_up(
        self, db: DatabaseSession, realm: RealmRecord, email: str, api_key: str
    ) -> Caller:
        # The same statement for unknown, wrong and deactivated: neither the response nor its timing
        # tells them apart.
        user_id = user_id_in(email, realm.host(self._root_domain))
        values = {"realm_id": realm.id, "key_hash": hash_api_key(api_key)}
        if user_id is None:
            by_email = {**values, "email_key": name_key(email)}
            rows = await db.fetch_alone(_BY_EMAIL, by_email, in_turn=True)
        else:
            rows = await db.fetch_alone(_BY_ID, {**values, "user_id": user_id}, in_turn=True)
        if not rows or rows[0][-1] is None:
            raise UnauthorizedError
        *record, key_id = rows[0]
        user = user_records.read(record)
        if not user.is_active:
            raise UnauthorizedError
        return Caller(user, ApiKeyId(key_id))


async def _look_up_webhook(db: DatabaseSession, realm_id: RealmId, api_key: str) -> Caller:
    rows = await db.execute(
        user_records.select()
        .add_columns(ApiKey.id)
        .join(ApiKey, ApiKey.user_id == User.id)
        .where(
            ApiKey.key_hash == hash_api_key(api_key),
            User.realm_id == realm_id,
            User.is_active,
            User.bot_type == BotType.INCOMING_WEBHOOK,
        )
    )
    row = rows.one_or_none()
    if row is None:
        raise UnauthorizedError
    return Caller(user_records.read(tuple(row)[:-1]), ApiKeyId(row[-1]))


async def _read(db: DatabaseSession, realm_id: RealmId, user_id: UserId) -> Caller:
    rows = await db.execute(
        user_records.select().where(User.realm_id == realm_id, User.id == user_id)
    )
    return Caller(user_records.read(rows.one()))


def _parse_basic(header: str) -> tuple[str, str]:
    scheme, _, encoded = header.partition(" ")
    if scheme.lower() != "basic":
        raise NotLoggedInError
    try:
        text = base64.b64decode(encoded.strip(), validate=True).decode()
    except ValueError:
        raise UnauthorizedError from None
    email, separator, api_key = text.partition(":")
    if not separator or "\0" in email:
        raise UnauthorizedError
    return email, api_key

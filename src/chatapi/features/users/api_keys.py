"""Issues further API keys and revokes keys; callers have checked the permission."""

from collections.abc import Collection
from datetime import datetime, timedelta

from chatapi.audit.entries import AuditChange, AuditKind
from chatapi.auth.context import RealmContext
from chatapi.auth.users import UserRecord
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import ApiKeyId, UserId, new_api_key
from chatapi.db.session import DatabaseSession
from chatapi.events.audience import Nobody
from chatapi.events.restarts import restart_clients
from chatapi.features.users.api_key_records import ApiKeyRecord
from chatapi.features.users.events import CredentialsChanged
from chatapi.features.users.login_events import OldLoginsEnded
from chatapi.features.users.repository import ApiKeyRepository

_USE_PRECISION = timedelta(minutes=10)
"""The use of a key in constant use is written once in this time."""
LOGINS_PER_USER = 50
"""Limit of login keys per user; beyond it the oldest one is revoked."""
MAX_KEY_NAME_LENGTH = 60


async def store_api_key_use(
    db: DatabaseSession, key_ids: Collection[ApiKeyId], now: datetime
) -> None:
    """Store that keys were used just now; call it now and then, for all keys at once."""
    await ApiKeyRepository(db).store_use(key_ids, now, unless_since=now - _USE_PRECISION)


async def list_api_keys(ctx: RealmContext, user_id: UserId) -> list[ApiKeyRecord]:
    return await ApiKeyRepository(ctx.db).list_all(user_id)


async def add_api_key(ctx: RealmContext, user: UserRecord, name: str) -> str:
    """Create a further key that stays until it is revoked; all others stay valid."""
    await ctx.lock()
    if not user.is_active:
        raise BadRequestError("Deactivated users cannot have API keys")
    api_key = new_api_key()
    keys = ApiKeyRepository(ctx.db)
    key_id = await keys.add(user.id, api_key, ctx.now(), name=name, is_primary=True)
    _audit_added(ctx, AuditKind.API_KEY_ADDED, user.id, key_id)
    return api_key


async def add_login_key(
    ctx: RealmContext, user_id: UserId, client: str, kind: AuditKind = AuditKind.API_KEY_ADDED
) -> str:
    """Create a key for a client that logs in; the oldest login beyond the limit ends."""
    await ctx.lock()
    keys = ApiKeyRepository(ctx.db)
    api_key = new_api_key()
    name = client[:MAX_KEY_NAME_LENGTH]
    key_id = await keys.add(user_id, api_key, ctx.now(), name=name, is_primary=False)
    _audit_added(ctx, kind, user_id, key_id)
    if await keys.delete_oldest_logins(user_id, keep=LOGINS_PER_USER):
        ctx.emit(OldLoginsEnded(user_id=user_id), to=Nobody())
    return api_key


async def revoke_api_key(ctx: RealmContext, user_id: UserId, key_id: ApiKeyId) -> None:
    """Revoke one key. All event queues of the user end: it is unknown which key reads them."""
    await ctx.lock()
    if not await ApiKeyRepository(ctx.db).delete(user_id, key_id):
        raise BadRequestError("API key does not exist")
    ctx.audit(AuditChange(AuditKind.API_KEY_REVOKED, user_id=user_id, old={"api_key_id": key_id}))
    await _end_clients(ctx, user_id)


async def revoke_access(ctx: RealmContext, user_id: UserId) -> None:
    """Revoke all access that a user's credentials gave.

    Keys, event queues and waiting polls end with the commit, and so do temporary addresses of files
    that were requested with one of the keys. Call it whenever holders of the keys may no longer be
    permitted to act as the user.
    """
    await ctx.lock()
    count = await ApiKeyRepository(ctx.db).delete_all(user_id)
    if count:
        ctx.audit(AuditChange(AuditKind.API_KEYS_REVOKED, user_id=user_id, old={"count": count}))
    await _end_clients(ctx, user_id)


def _audit_added(ctx: RealmContext, kind: AuditKind, user_id: UserId, key_id: ApiKeyId) -> None:
    """Name the number of the key, never the key."""
    ctx.audit(AuditChange(kind, user_id=user_id, new={"api_key_id": key_id}))


async def _end_clients(ctx: RealmContext, user_id: UserId) -> None:
    await restart_clients(ctx.work, ctx.realm.id, [user_id])
    ctx.emit(CredentialsChanged(user_id=user_id), to=Nobody())

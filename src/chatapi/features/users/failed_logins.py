"""Writes failed logins into the audit log."""

from collections.abc import Mapping

from chatapi.audit.entries import AuditChange, AuditKind, AuditOrigin, AuditSource
from chatapi.auth.context import RealmContext
from chatapi.auth.failed_logins import FailedAttempts
from chatapi.core.clock import unix_seconds
from chatapi.core.ids import UserId


async def record_failed_logins(
    ctx: RealmContext, attempts_on: Mapping[UserId, FailedAttempts]
) -> None:
    """Write one entry for each account; call it now and then, for all accounts of a realm."""
    await ctx.lock()
    for user_id, attempts in attempts_on.items():
        addresses = list(attempts.addresses)
        first_at = attempts.first_at or ctx.now()
        change = AuditChange(
            AuditKind.LOGIN_FAILED,
            user_id=user_id,
            new={
                "attempts": attempts.count,
                "first_at": unix_seconds(first_at),
                "addresses": addresses,
            },
        )
        origin = AuditOrigin(AuditSource.API, address=addresses[0], client=attempts.client)
        ctx.work.audit(ctx.realm.id, change, origin)

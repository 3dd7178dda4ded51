"""Distinguishes errors of an unavailable or overloaded database from wrong statements."""

import asyncpg
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

_DATABASE_IS_AWAY = (
    asyncpg.PostgresConnectionError,
    asyncpg.CannotConnectNowError,
    asyncpg.TooManyConnectionsError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.LockNotAvailableError,
    asyncpg.QueryCanceledError,
    asyncpg.DiskFullError,
    asyncpg.IdleInTransactionSessionTimeoutError,
    # After a failover, while the new server has not taken over yet.
    asyncpg.ReadOnlySQLTransactionError,
)


def is_unavailable(error: BaseException) -> bool:
    """Whether the same request is likely to succeed if retried a little later."""
    if isinstance(error, (OperationalError, InterfaceError, PoolTimeoutError, ConnectionError)):
        return True
    if isinstance(error, DBAPIError):
        return error.connection_invalidated or is_unavailable(error.orig or Exception())
    if isinstance(error, OSError | TimeoutError):
        return True
    cause = error.__cause__
    return isinstance(error, _DATABASE_IS_AWAY) or (cause is not None and is_unavailable(cause))

"""Distinguishes errors of an unavailable or overloaded database from wrong statements."""

from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

_CONNECTION_FAILED = "08"
"""How the states of all failures of a connection begin."""
_DATABASE_IS_AWAY = {
    "25006",  # read-only: after a failover, while the new server has not taken over yet
    "25P03",  # idle in a transaction for too long
    "53100",  # disk full
    "53300",  # too many connections
    "55P03",  # a lock is not available
    "57014",  # the statement was cancelled, as by its time limit
    "57P01",  # shutdown by an administrator
    "57P02",  # shutdown after a crash
    "57P03",  # cannot connect now
}
"""SQLSTATE of PostgreSQL; by number, since naming them would load the driver for SQLite too."""


def is_unavailable(error: BaseException) -> bool:
    """Whether the same request is likely to succeed if retried a little later."""
    if isinstance(error, (OperationalError, InterfaceError, PoolTimeoutError, ConnectionError)):
        return True
    if isinstance(error, DBAPIError):
        return error.connection_invalidated or is_unavailable(error.orig or Exception())
    if isinstance(error, OSError | TimeoutError):
        return True
    state: str = getattr(error, "sqlstate", None) or ""
    if state in _DATABASE_IS_AWAY or state.startswith(_CONNECTION_FAILED):
        return True
    cause = error.__cause__
    return cause is not None and is_unavailable(cause)

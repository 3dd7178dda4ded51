"""Database errors: which of them a client may retry."""

import sqlite3

import asyncpg
import pytest
from sqlalchemy.exc import (
    DBAPIError,
    IntegrityError,
    InterfaceError,
    OperationalError,
    ProgrammingError,
)
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from chatapi.db.availability import is_unavailable


def caused_by(cause: Exception) -> DBAPIError:
    """An error as the PostgreSQL driver raises it: the cause wrapped in two others."""
    coat = Exception("translated")
    coat.__cause__ = cause
    return DBAPIError("SELECT 1", {}, coat)


class TestIsUnavailable:
    @pytest.mark.parametrize(
        "error",
        [
            OperationalError("BEGIN", {}, sqlite3.OperationalError("database is locked")),
            OperationalError("COMMIT", {}, sqlite3.OperationalError("database or disk is full")),
            InterfaceError("SELECT 1", {}, Exception("connection is closed")),
            PoolTimeoutError("QueuePool limit reached"),
            DBAPIError("SELECT 1", {}, Exception(), connection_invalidated=True),
            ConnectionRefusedError(),
            TimeoutError(),
            caused_by(asyncpg.CannotConnectNowError("the database system is starting up")),
            caused_by(asyncpg.AdminShutdownError("terminating connection")),
            caused_by(asyncpg.TooManyConnectionsError("too many clients")),
            caused_by(asyncpg.LockNotAvailableError("lock timeout")),
            caused_by(asyncpg.QueryCanceledError("statement timeout")),
            caused_by(asyncpg.DiskFullError("no space left")),
        ],
        ids=repr,
    )
    def test_true_for_temporary_errors(self, error: Exception) -> None:
        assert is_unavailable(error)

    @pytest.mark.parametrize(
        "error",
        [
            ProgrammingError("SELEC 1", {}, Exception("syntax error")),
            IntegrityError("INSERT", {}, Exception("duplicate key")),
            caused_by(asyncpg.UndefinedTableError("relation does not exist")),
            ValueError("something else"),
            KeyError("x"),
        ],
        ids=repr,
    )
    def test_false_for_permanent_errors(self, error: Exception) -> None:
        assert not is_unavailable(error)

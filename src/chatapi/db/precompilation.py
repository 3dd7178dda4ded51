"""Statements are compiled before a lock is acquired.

SQLAlchemy compiles a statement when it runs for the first time, and keeps the result. For large
statements that takes longer than running them, and other writers would wait for it.
"""

from collections.abc import Awaitable, Callable

from chatapi.db.database import Database
from chatapi.db.session import DatabaseSession

RunStatements = Callable[[DatabaseSession], Awaitable[None]]
"""Runs statements on rows that do not exist."""


async def precompile(database: Database, name: str, run: RunStatements) -> None:
    """Run statements in a transaction that is rolled back; call it without holding a connection."""
    async with DatabaseSession(database) as db:
        await db.write()
        await run(db)
    database.precompiled.add(name)

"""Waiting until processes monitor their PostgreSQL."""

from sqlalchemy import URL, NullPool, text
from sqlalchemy.ext.asyncio import create_async_engine

from chatapi.db.health_monitor import PROBE
from tests.support.waiting import until_true

_COUNT = text(
    "SELECT count(*) FROM pg_stat_activity"
    " WHERE application_name = :name AND datname = current_database()"
)


async def until_watched(database: URL, processes: int, seconds: float) -> None:
    """Wait until each process pings the server on a connection of its own."""
    engine = create_async_engine(database, poolclass=NullPool, isolation_level="AUTOCOMMIT")
    async with engine.connect() as connection:

        async def are_there() -> bool:
            rows = await connection.execute(_COUNT, {"name": PROBE})
            return bool(rows.scalar_one() >= processes)

        await until_true(are_there, seconds)
    await engine.dispose()

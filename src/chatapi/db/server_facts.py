"""What operators should know about a PostgreSQL server."""

from datetime import datetime

from msgspec import Struct
from sqlalchemy import text

from chatapi.db.database import Database

_FACTS = text(
    "SELECT current_setting('server_version'), current_setting('max_connections')::int,"
    " clock_timestamp(), current_setting('fsync'), current_setting('full_page_writes'),"
    " current_setting('synchronous_commit')"
)
_DURABLE = ("fsync", "full_page_writes", "synchronous_commit")


class PostgresFacts(Struct, frozen=True):
    """Its version, limits and clock."""

    version: str
    max_connections: int
    now: datetime
    switched_off: tuple[str, ...]
    """Settings without which a crash loses what was committed."""


async def read_postgres_facts(database: Database) -> PostgresFacts:
    async with database.engine.connect() as connection:
        version, most, now, *values = (await connection.execute(_FACTS)).one()
    off = [name for name, value in zip(_DURABLE, values, strict=True) if value == "off"]
    return PostgresFacts(version.split()[0], most, now, tuple(off))

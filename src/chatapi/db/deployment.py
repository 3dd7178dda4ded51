"""The id that distinguishes this deployment from others that share a Redis with it."""

import asyncio
from pathlib import Path

from sqlalchemy import Select, literal_column, select

from chatapi.db.database import Database
from chatapi.db.models import Deployment
from chatapi.db.session import DatabaseSession

_ID = select(Deployment.id)
_ID_AND_DATABASE: Select[*tuple[str, int]] = select(
    Deployment.id,
    literal_column("(SELECT oid FROM pg_database WHERE datname = current_database())"),
)


async def find_deployment(database: Database) -> str:
    """Return the id that was created with the tables, combined with the database's location.

    A copy of a database, such as one for experiments, has the same rows but is another deployment.
    """
    async with DatabaseSession(database) as db:
        if database.is_sqlite:
            made = (await db.execute(_ID)).scalar_one()
            file = await asyncio.to_thread(Path(str(database.url.database)).stat)
            return f"{made}-{file.st_ino}"
        made, place = (await db.execute(_ID_AND_DATABASE)).one()
        return f"{made}-{place}"

"""The SQL statement that checks whether the database responds."""

from sqlalchemy import literal, select

from chatapi.db.session import DatabaseSession


class ServerRepository:
    """Checks the database."""

    def __init__(self, db: DatabaseSession) -> None:
        self._db = db

    async def ping(self) -> None:
        await self._db.execute(select(literal(1)))

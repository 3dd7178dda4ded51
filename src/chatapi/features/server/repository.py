"""The SQL statement that asks the database whether it is there."""

from sqlalchemy import literal, select

from chatapi.db.session import DatabaseSession


class ServerRepository:
    """The database as such."""

    def __init__(self, db: DatabaseSession) -> None:
        self._db = db

    async def ping(self) -> None:
        await self._db.execute(select(literal(1)))

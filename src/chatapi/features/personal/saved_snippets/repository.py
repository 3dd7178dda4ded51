"""Every SQL statement on saved snippets."""

from datetime import datetime

from sqlalchemy import bindparam, delete, func, insert, select, update

from chatapi.core.ids import SavedSnippetId, UserId
from chatapi.db.models import SavedSnippet
from chatapi.db.records import RecordReader
from chatapi.db.session import DatabaseSession
from chatapi.db.user_facts import OwnedRows
from chatapi.features.personal.saved_snippets.records import SnippetRecord

_records = RecordReader(SnippetRecord, SavedSnippet)
_rows = OwnedRows(SavedSnippet.user_id)
_OF_USER = (
    _records.select().where(SavedSnippet.user_id == bindparam("user_id")).order_by(SavedSnippet.id)
)
_ONE = _records.select().where(
    SavedSnippet.user_id == bindparam("user_id"), SavedSnippet.id == bindparam("snippet_id")
)
_COUNT = select(func.count()).where(SavedSnippet.user_id == bindparam("user_id"))


class SnippetRepository:
    """Snippets of one user; those of others are never found."""

    def __init__(self, db: DatabaseSession, user_id: UserId) -> None:
        self._db = db
        self._user_id = user_id

    async def list_all(self) -> list[SnippetRecord]:
        if not await _rows.may_exist(self._db, self._user_id):
            return []
        return _records.read_all(await self._db.fetch(_OF_USER, {"user_id": self._user_id}))

    async def find(self, snippet_id: SavedSnippetId) -> SnippetRecord | None:
        rows = await self._db.execute(_ONE, {"user_id": self._user_id, "snippet_id": snippet_id})
        row = rows.one_or_none()
        return None if row is None else _records.read(row)

    async def count(self) -> int:
        return (await self._db.execute(_COUNT, {"user_id": self._user_id})).scalar_one()

    async def add(self, title: str, content: str, now: datetime) -> SnippetRecord:
        rows = await self._db.execute(
            insert(SavedSnippet)
            .values(user_id=self._user_id, title=title, content=content, created_at=now)
            .returning(SavedSnippet.id)
        )
        return SnippetRecord(SavedSnippetId(rows.scalar_one()), title, content, now)

    async def change(self, snippet: SnippetRecord) -> None:
        await self._db.execute(
            update(SavedSnippet)
            .where(SavedSnippet.id == snippet.id)
            .values(title=snippet.title, content=snippet.content)
        )

    async def remove(self, snippet_id: SavedSnippetId) -> None:
        await self._db.execute(delete(SavedSnippet).where(SavedSnippet.id == snippet_id))

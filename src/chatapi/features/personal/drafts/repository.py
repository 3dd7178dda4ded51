"""Every SQL statement on drafts."""

from collections.abc import Sequence

from msgspec.structs import asdict
from sqlalchemy import bindparam, delete, func, insert, select, update

from chatapi.core.ids import DraftId, UserId
from chatapi.db.models import Draft
from chatapi.db.records import RecordReader
from chatapi.db.session import DatabaseSession
from chatapi.db.user_facts import OwnedRows
from chatapi.features.personal.drafts.records import DraftRecord, DraftText

_records = RecordReader(DraftRecord, Draft)
_rows = OwnedRows(Draft.user_id)
_OF_USER = (
    _records.select()
    .where(Draft.user_id == bindparam("user_id"))
    .order_by(Draft.last_edited_at, Draft.id)
)
_ONE = _records.select().where(
    Draft.user_id == bindparam("user_id"), Draft.id == bindparam("draft_id")
)
_COUNT = select(func.count()).where(Draft.user_id == bindparam("user_id"))
_ADD = insert(Draft).returning(Draft.id, sort_by_parameter_order=True)


class DraftRepository:
    """Drafts of one user; those of others are never found."""

    def __init__(self, db: DatabaseSession, user_id: UserId) -> None:
        self._db = db
        self._user_id = user_id

    async def list_all(self) -> list[DraftRecord]:
        if not await _rows.may_exist(self._db, self._user_id):
            return []
        return _records.read_all(await self._db.fetch(_OF_USER, {"user_id": self._user_id}))

    async def find(self, draft_id: DraftId) -> DraftRecord | None:
        rows = await self._db.execute(_ONE, {"user_id": self._user_id, "draft_id": draft_id})
        row = rows.one_or_none()
        return None if row is None else _records.read(row)

    async def count(self) -> int:
        return (await self._db.execute(_COUNT, {"user_id": self._user_id})).scalar_one()

    async def add(self, drafts: Sequence[DraftText]) -> list[DraftId]:
        """Returns the new ids, in the same order."""
        rows = [{"user_id": self._user_id, **asdict(draft)} for draft in drafts]
        return [DraftId(draft_id) for (draft_id,) in await self._db.execute(_ADD, rows)]

    async def change(self, draft_id: DraftId, draft: DraftText) -> None:
        await self._db.execute(update(Draft).where(Draft.id == draft_id).values(**asdict(draft)))

    async def remove(self, draft_id: DraftId) -> None:
        await self._db.execute(delete(Draft).where(Draft.id == draft_id))

    async def remove_all(self) -> None:
        await self._db.execute(delete(Draft).where(Draft.user_id == self._user_id))

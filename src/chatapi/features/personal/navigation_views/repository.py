"""Every SQL statement on navigation views."""

from msgspec import Struct
from msgspec.structs import asdict
from sqlalchemy import bindparam, delete, insert, update

from chatapi.core.ids import UserId
from chatapi.db.models import NavigationView
from chatapi.db.records import RecordReader
from chatapi.db.session import DatabaseSession
from chatapi.db.user_facts import OwnedRows


class ViewRecord(Struct, frozen=True):
    """A place in a client."""

    fragment: str
    is_pinned: bool
    name: str | None


_records = RecordReader(ViewRecord, NavigationView)
_rows = OwnedRows(NavigationView.user_id)
_OF_USER = (
    _records.select()
    .where(NavigationView.user_id == bindparam("user_id"))
    .order_by(NavigationView.fragment)
)


class ViewRepository:
    """Views of one user."""

    def __init__(self, db: DatabaseSession, user_id: UserId) -> None:
        self._db = db
        self._user_id = user_id

    async def list_all(self) -> list[ViewRecord]:
        if not await _rows.may_exist(self._db, self._user_id):
            return []
        return _records.read_all(await self._db.fetch(_OF_USER, {"user_id": self._user_id}))

    async def add(self, view: ViewRecord) -> None:
        await self._db.execute(insert(NavigationView).values(user_id=self._user_id, **asdict(view)))

    async def change(self, view: ViewRecord) -> None:
        await self._db.execute(
            update(NavigationView)
            .where(
                NavigationView.user_id == self._user_id, NavigationView.fragment == view.fragment
            )
            .values(is_pinned=view.is_pinned, name=view.name)
        )

    async def remove(self, fragment: str) -> None:
        await self._db.execute(
            delete(NavigationView).where(
                NavigationView.user_id == self._user_id, NavigationView.fragment == fragment
            )
        )

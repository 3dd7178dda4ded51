"""Every SQL statement on devices and their tokens."""

from datetime import datetime

from sqlalchemy import ColumnElement, and_, bindparam, delete, func, insert, select, update

from chatapi.core.ids import DeviceId, UserId
from chatapi.db.models import Device, PushToken, User
from chatapi.db.records import RecordReader
from chatapi.db.session import DatabaseSession
from chatapi.features.users.devices.records import DeviceRecord

_records = RecordReader(DeviceRecord, Device)
_OF_USER = _records.select().where(Device.user_id == bindparam("user_id")).order_by(Device.id)


class DeviceRepository:
    """Devices of one user; those of others are never found."""

    def __init__(self, db: DatabaseSession, user_id: UserId) -> None:
        self._db = db
        self._user_id = user_id

    async def list_all(self) -> list[DeviceRecord]:
        return _records.read_all(await self._db.execute(_OF_USER, {"user_id": self._user_id}))

    async def add(self) -> DeviceId:
        rows = await self._db.execute(
            insert(Device).values(user_id=self._user_id).returning(Device.id)
        )
        return DeviceId(rows.scalar_one())

    async def change(self, device_id: DeviceId, **values: object) -> None:
        await self._db.execute(
            update(Device)
            .where(Device.id == device_id, Device.user_id == self._user_id)
            .values(**values)
        )

    async def remove(self, device_id: DeviceId) -> None:
        await self._db.execute(
            delete(Device).where(Device.id == device_id, Device.user_id == self._user_id)
        )

    async def note_devices(self, *, has_devices: bool) -> None:
        """Note at the user whether there are any, so that most registers need no statement."""
        await self._db.execute(
            update(User).where(User.id == self._user_id).values(has_devices=has_devices)
        )

    async def has_token(self, kind: str, token: str) -> bool:
        rows = await self._db.execute(
            select(PushToken.token).where(self._is_token(kind), PushToken.token == token)
        )
        return rows.first() is not None

    async def count_tokens(self, kind: str) -> int:
        rows = await self._db.execute(select(func.count()).where(self._is_token(kind)))
        return rows.scalar_one()

    async def add_token(self, kind: str, token: str, app_id: str | None, now: datetime) -> None:
        values = {"user_id": self._user_id, "kind": kind, "token": token}
        await self._db.execute(insert(PushToken).values(**values, app_id=app_id, created_at=now))

    async def remove_token(self, kind: str, token: str) -> None:
        await self._db.execute(
            delete(PushToken).where(self._is_token(kind), PushToken.token == token)
        )

    def _is_token(self, kind: str) -> ColumnElement[bool]:
        return and_(PushToken.user_id == self._user_id, PushToken.kind == kind)

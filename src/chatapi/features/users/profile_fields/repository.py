"""Every SQL statement on custom profile fields and the values in them."""

from collections.abc import Collection, Iterable

from msgspec.structs import replace
from sqlalchemy import delete, insert, select, update

from chatapi.core.ids import ProfileFieldId, RealmId, UserId
from chatapi.db.models import ProfileField, ProfileValue
from chatapi.db.records import RecordReader
from chatapi.db.session import DatabaseSession
from chatapi.features.users.profile_fields.field_types import FieldType
from chatapi.features.users.profile_fields.rules import FieldDefinition, ProfileFieldRecord
from chatapi.features.users.profile_fields.values import FieldValue

field_records = RecordReader(ProfileFieldRecord, ProfileField)


class ProfileFieldRepository:
    """Fields of one realm; fields of other realms are never found."""

    def __init__(self, db: DatabaseSession, realm_id: RealmId) -> None:
        self._db = db
        self._realm_id = realm_id

    async def list_fields(self) -> list[ProfileFieldRecord]:
        """All fields in their order."""
        rows = await self._db.execute(
            field_records.select()
            .where(ProfileField.realm_id == self._realm_id)
            .order_by(ProfileField.position, ProfileField.id)
        )
        return [_with_type(field_records.read(row)) for row in rows]

    async def add(self, field: FieldDefinition, position: int) -> ProfileFieldId:
        rows = await self._db.execute(
            insert(ProfileField)
            .values(realm_id=self._realm_id, position=position, **_columns(field))
            .returning(ProfileField.id)
        )
        return ProfileFieldId(rows.scalar_one())

    async def change(self, field: ProfileFieldRecord) -> None:
        await self._db.execute(
            update(ProfileField)
            .where(ProfileField.id == field.id)
            .values(position=field.position, **_columns(field))
        )

    async def delete(self, field_id: ProfileFieldId) -> None:
        """Delete a field with the values in it."""
        await self._db.execute(delete(ProfileField).where(ProfileField.id == field_id))

    async def list_users_with(
        self, field_id: ProfileFieldId, values: Collection[str]
    ) -> list[UserId]:
        """Users whose value in a field is one of the given ones."""
        rows = await self._db.execute(
            select(ProfileValue.user_id)
            .where(ProfileValue.field_id == field_id, ProfileValue.value.in_(values))
            .order_by(ProfileValue.user_id)
        )
        return [UserId(user_id) for (user_id,) in rows]

    async def delete_values_like(self, field_id: ProfileFieldId, values: Collection[str]) -> None:
        await self._db.execute(
            delete(ProfileValue).where(
                ProfileValue.field_id == field_id, ProfileValue.value.in_(values)
            )
        )


class ProfileRepository:
    """The profile values of one user."""

    def __init__(self, db: DatabaseSession, user_id: UserId) -> None:
        self._db = db
        self._user_id = user_id

    async def list_values(self) -> dict[ProfileFieldId, FieldValue]:
        rows = await self._db.execute(
            select(ProfileValue.field_id, ProfileValue.value, ProfileValue.rendered_value).where(
                ProfileValue.user_id == self._user_id
            )
        )
        return {ProfileFieldId(id_): FieldValue(value, html) for id_, value, html in rows}

    async def replace(self, values: dict[ProfileFieldId, FieldValue]) -> None:
        """Write values, whether or not there were some before."""
        await self.delete(values)
        if values:
            await self._db.execute(
                insert(ProfileValue),
                [
                    {
                        "user_id": self._user_id,
                        "field_id": field_id,
                        "value": value.text,
                        "rendered_value": value.rendered,
                    }
                    for field_id, value in values.items()
                ],
            )

    async def delete(self, field_ids: Iterable[ProfileFieldId]) -> None:
        await self._db.execute(
            delete(ProfileValue).where(
                ProfileValue.user_id == self._user_id, ProfileValue.field_id.in_(list(field_ids))
            )
        )


def _with_type(field: ProfileFieldRecord) -> ProfileFieldRecord:
    """The table stores only the number of the type."""
    return replace(field, field_type=FieldType(field.field_type))


def _columns(field: FieldDefinition) -> dict[str, object]:
    return {name: getattr(field, name) for name in FieldDefinition.__struct_fields__}

"""Use cases: create, change, reorder and delete custom profile fields."""

from typing import Any

from msgspec.structs import replace

from chatapi.auth.context import Context, RealmContext
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import ProfileFieldId
from chatapi.events.audience import Everyone, UserVisibleTo
from chatapi.features.users.events import PersonChange, UserUpdated
from chatapi.features.users.profile_fields.events import ProfileFieldsChanged
from chatapi.features.users.profile_fields.field_types import FieldType
from chatapi.features.users.profile_fields.params import (
    ChangeFieldParams,
    CreateFieldParams,
    ReorderFieldsParams,
)
from chatapi.features.users.profile_fields.payloads import (
    CreatedFieldPayload,
    ProfileFieldsPayload,
    field_payload,
)
from chatapi.features.users.profile_fields.repository import ProfileFieldRepository
from chatapi.features.users.profile_fields.rules import (
    MAX_FIELDS,
    FieldDefinition,
    ProfileFieldRecord,
    check_field,
    default_name,
)


class ProfileFieldService:
    """Changes fields for administrators; all users may read them."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._fields = ProfileFieldRepository(ctx.db, ctx.realm.id)

    async def list_fields(self) -> ProfileFieldsPayload:
        fields = await self._fields.list_fields()
        return {"custom_fields": [field_payload(field) for field in fields]}

    async def create(self, params: CreateFieldParams) -> CreatedFieldPayload:
        """Create a field at the end."""
        await self._ctx.lock()
        others = await self._fields.list_fields()
        if len(others) >= MAX_FIELDS:
            message = f"An organization can have at most {MAX_FIELDS} custom profile fields."
            raise BadRequestError(message)
        field = _definition(params)
        check_field(field, others)
        field_id = await self._fields.add(field, others[-1].position + 1 if others else 1)
        await self._emit_fields()
        return {"id": field_id}

    async def change(self, field_id: ProfileFieldId, params: ChangeFieldParams) -> None:
        """Change only what was passed; the type of a field never changes."""
        await self._ctx.lock()
        fields = await self._fields.list_fields()
        field = find_field(fields, field_id)
        changed = replace(field, **_passed(params))
        if changed == field:
            return
        check_field(changed, [other for other in fields if other.id != field_id])
        await self._fields.change(changed)
        await self._emit_fields()
        if field.field_type is FieldType.DROPDOWN:
            await self._empty_removed_options(field, changed)

    async def reorder(self, params: ReorderFieldsParams) -> None:
        """Put the fields in another order; the list contains each of them once."""
        await self._ctx.lock()
        fields = {int(field.id): field for field in await self._fields.list_fields()}
        if sorted(params.order) != sorted(fields):
            raise BadRequestError("order must contain the id of every field exactly once")
        moved = [
            replace(fields[field_id], position=position)
            for position, field_id in enumerate(params.order, start=1)
            if fields[field_id].position != position
        ]
        for field in moved:
            await self._fields.change(field)
        if moved:
            await self._emit_fields()

    async def delete(self, field_id: ProfileFieldId) -> None:
        """Delete a field and all users' values in it."""
        await self._ctx.lock()
        find_field(await self._fields.list_fields(), field_id)
        await self._fields.delete(field_id)
        await self._emit_fields()

    async def _empty_removed_options(
        self, before: ProfileFieldRecord, after: ProfileFieldRecord
    ) -> None:
        """Clear values that are no longer among the options."""
        removed = before.field_data.keys() - after.field_data.keys()
        for user_id in await self._fields.list_users_with(before.id, removed):
            person: PersonChange = {
                "user_id": user_id,
                "custom_profile_field": {"id": before.id, "value": None},
            }
            # Only human users have profiles, and these have no owner.
            self._ctx.emit(UserUpdated(person=person), to=UserVisibleTo(user_id=user_id))
        await self._fields.delete_values_like(before.id, removed)

    async def _emit_fields(self) -> None:
        fields = [field_payload(field) for field in await self._fields.list_fields()]
        self._ctx.emit(ProfileFieldsChanged(fields=fields), to=Everyone())


def find_field(fields: list[ProfileFieldRecord], field_id: int) -> ProfileFieldRecord:
    """The field with an id; one of another realm is reported as unknown."""
    for field in fields:
        if field.id == field_id:
            return field
    message = f"Field id {field_id} not found."
    raise BadRequestError(message)


def _definition(params: CreateFieldParams) -> FieldDefinition:
    field_type = FieldType(params.field_type)
    field_data = params.field_data or {}
    return FieldDefinition(
        field_type=field_type,
        name=params.name.strip() or default_name(field_type, field_data),
        hint=params.hint.strip(),
        field_data=field_data,
        display_in_profile_summary=params.display_in_profile_summary,
        required=params.required,
        editable_by_user=params.editable_by_user,
        use_for_user_matching=params.use_for_user_matching,
    )


def _passed(params: ChangeFieldParams) -> dict[str, Any]:
    passed = params.model_dump(exclude_none=True)
    return {
        name: value.strip() if isinstance(value, str) else value for name, value in passed.items()
    }


async def list_profile_fields(ctx: RealmContext) -> list[ProfileFieldRecord]:
    """The custom profile fields of a realm, in order."""
    return await ProfileFieldRepository(ctx.db, ctx.realm.id).list_fields()

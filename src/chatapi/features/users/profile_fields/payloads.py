"""Response payloads of custom profile fields."""

import orjson
from typing_extensions import TypedDict

from chatapi.features.users.profile_fields.rules import ProfileFieldRecord


class ProfileFieldPayload(TypedDict):
    """A field that administrators added to all profiles."""

    id: int
    type: int
    order: int
    name: str
    hint: str
    field_data: str
    """JSON, or an empty string for types that need none."""
    display_in_profile_summary: bool
    required: bool
    editable_by_user: bool
    use_for_user_matching: bool


class ProfileFieldsPayload(TypedDict):
    """All fields in their order."""

    custom_fields: list[ProfileFieldPayload]


class CreatedFieldPayload(TypedDict):
    """The id of a new field."""

    id: int


def field_payload(field: ProfileFieldRecord) -> ProfileFieldPayload:
    return {
        "id": field.id,
        "type": field.field_type,
        "order": field.position,
        "name": field.name,
        "hint": field.hint,
        "field_data": orjson.dumps(field.field_data).decode() if field.field_data else "",
        "display_in_profile_summary": field.display_in_profile_summary,
        "required": field.required,
        "editable_by_user": field.editable_by_user,
        "use_for_user_matching": field.use_for_user_matching,
    }

"""Response payloads of custom profile fields."""

import orjson
from typing_extensions import TypedDict

from chatapi.features.users.profile_fields.rules import ProfileFieldRecord


class ProfileFieldPayload(TypedDict):
    """A field that administrators added to all profiles."""

    id: int
    """Names the field in `profile_data` and in requests."""
    type: int
    """1: short text, 2: long text, 3: list of options, 4: date, 5: link, 6: users, 7: external
    account, 8: pronouns."""
    order: int
    """Fields with smaller numbers come first."""
    name: str
    """What is asked for."""
    hint: str
    """A help for those who fill it in; may be empty."""
    field_data: str
    """The options, or the kind of external account, as JSON text; empty for types that need none.
    """
    display_in_profile_summary: bool
    """Whether clients show it in the short form of profiles."""
    required: bool
    """Whether clients ask people to fill it in."""
    editable_by_user: bool
    """Whether people may change their own value; otherwise only administrators."""
    use_for_user_matching: bool
    """Whether people are found by its value when they are searched for."""


class ProfileFieldsPayload(TypedDict):
    """All fields in their order."""

    custom_fields: list[ProfileFieldPayload]
    """All fields, in the order in which profiles show them."""


class CreatedFieldPayload(TypedDict):
    """The id of a new field."""

    id: int
    """The id of the new field."""


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

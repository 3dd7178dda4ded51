"""Parameters of the custom profile field endpoints."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from chatapi.core.ids import MAX_ID
from chatapi.features.users.profile_fields.field_types import FieldType
from chatapi.features.users.profile_fields.rules import MAX_FIELDS, MAX_OPTIONS
from chatapi.wire.params import Params, WireModel, with_example
from chatapi.wire.types import Id

MAX_NAME_LENGTH = 40
MAX_HINT_LENGTH = 80
_MAX_VALUE_LENGTH = 10_000
_MAX_PEOPLE = 10_000

FieldName = Annotated[str, Field(max_length=MAX_NAME_LENGTH, examples=["Favourite food"])]
FieldHint = Annotated[str, Field(max_length=MAX_HINT_LENGTH, examples=["Or drink"])]
FieldData = Annotated[dict[str, Any], Field(max_length=MAX_OPTIONS)]


class CreateFieldParams(Params):
    """POST /realm/profile_fields: a new field at the end of all profiles."""

    model_config = with_example(field_type=1, name="Favourite food", hint="Or drink")

    field_type: Annotated[int, Field(ge=min(FieldType), le=max(FieldType))]
    name: FieldName = ""
    hint: FieldHint = ""
    field_data: FieldData | None = None
    display_in_profile_summary: bool = False
    required: bool = False
    editable_by_user: bool = True
    use_for_user_matching: bool = False


class ChangeFieldParams(Params):
    """PATCH /realm/profile_fields/{field_id}: what is not passed stays unchanged."""

    name: FieldName | None = None
    hint: FieldHint | None = None
    field_data: FieldData | None = None
    display_in_profile_summary: bool | None = None
    required: bool | None = None
    editable_by_user: bool | None = None
    use_for_user_matching: bool | None = None


class ReorderFieldsParams(Params):
    """PATCH /realm/profile_fields: the ids of all fields in their new order."""

    order: Annotated[list[Id], Field(max_length=MAX_FIELDS)]


def _check_shape(value: object) -> object:
    """Report invalid values in one sentence; the length limit depends on the field."""
    is_list = isinstance(value, list) and all(
        type(entry) is int and 0 <= entry <= MAX_ID for entry in value
    )
    if not is_list and not isinstance(value, str | None):
        raise ValueError("must be a string, null or a list of user ids")
    return value


class ProfileValueParam(WireModel):
    """A field and its new value; null or an empty value clears it."""

    id: Id
    value: Annotated[
        Annotated[str, Field(max_length=_MAX_VALUE_LENGTH)]
        | Annotated[list[Id], Field(max_length=_MAX_PEOPLE)]
        | None,
        BeforeValidator(_check_shape),
    ]


class SetProfileDataParams(Params):
    """PATCH /users/me/profile_data: all of it or nothing."""

    data: Annotated[list[ProfileValueParam], Field(max_length=MAX_FIELDS)]


class RemoveProfileDataParams(Params):
    """DELETE /users/me/profile_data: the ids of the fields to clear."""

    data: Annotated[list[Id], Field(max_length=MAX_FIELDS)]

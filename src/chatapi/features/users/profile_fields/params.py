"""Parameters of the custom profile field endpoints."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from chatapi.core.ids import MAX_ID
from chatapi.features.users.profile_fields.field_types import FieldType
from chatapi.features.users.profile_fields.rules import MAX_FIELDS, MAX_OPTIONS
from chatapi.wire.params import Params, WireModel
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

    field_type: Annotated[int, Field(ge=min(FieldType), le=max(FieldType))]
    """1: short text, 2: long text, 3: list of options, 4: date, 5: link, 6: users, 7: external
    account, 8: pronouns."""
    name: FieldName = ""
    """What is asked for, such as "Favourite food"; may be left out for a known kind of external
    account."""
    hint: FieldHint = ""
    """A help for those who fill it in; may be empty."""
    field_data: FieldData | None = None
    """For a list of options: the options by key, each with `text` and `order`. For an external
    account: its `subtype`. Refused for other types."""
    display_in_profile_summary: bool = False
    """Whether clients show it in the short form of profiles; at most two fields."""
    required: bool = False
    """Whether clients ask people to fill it in."""
    editable_by_user: bool = True
    """Whether people may change their own value; otherwise only administrators."""
    use_for_user_matching: bool = False
    """Whether people are found by its value when they are searched for."""


class ChangeFieldParams(Params):
    """PATCH /realm/profile_fields/{field_id}: what is not passed stays unchanged."""

    name: FieldName | None = None
    """Replaces what is asked for."""
    hint: FieldHint | None = None
    """Replaces the help for those who fill it in."""
    field_data: FieldData | None = None
    """Replaces the options, or the kind of external account. Users who chose an option that is gone
    lose that value."""
    display_in_profile_summary: bool | None = None
    """Whether clients show it in the short form of profiles; at most two fields."""
    required: bool | None = None
    """Whether clients ask people to fill it in."""
    editable_by_user: bool | None = None
    """Whether people may change their own value; otherwise only administrators."""
    use_for_user_matching: bool | None = None
    """Whether people are found by its value when they are searched for."""


class ReorderFieldsParams(Params):
    """PATCH /realm/profile_fields: the ids of all fields in their new order."""

    order: Annotated[list[Id], Field(max_length=MAX_FIELDS)]
    """The ids of all fields in their new order."""


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
    """The custom profile field."""
    value: Annotated[
        Annotated[str, Field(max_length=_MAX_VALUE_LENGTH)]
        | Annotated[list[Id], Field(max_length=_MAX_PEOPLE)]
        | None,
        BeforeValidator(_check_shape),
    ]
    """Its new value: ids for a field of users, else text. Null or an empty value clears it."""


class SetProfileDataParams(Params):
    """PATCH /users/me/profile_data: all of it or nothing."""

    data: Annotated[list[ProfileValueParam], Field(max_length=MAX_FIELDS)]
    """Your new values; all of them are written or, if one is refused, none."""


class RemoveProfileDataParams(Params):
    """DELETE /users/me/profile_data: the ids of the fields to clear."""

    data: Annotated[list[Id], Field(max_length=MAX_FIELDS)]
    """Ids of the fields to clear."""

"""Rules for custom profile fields; pure."""

from collections.abc import Iterable
from typing import Annotated, Any

from msgspec import Struct
from pydantic import Field, TypeAdapter, ValidationError

from chatapi.core.errors import BadRequestError
from chatapi.core.ids import ProfileFieldId
from chatapi.core.names import name_key
from chatapi.core.web_addresses import is_web_address
from chatapi.features.users.profile_fields.field_types import (
    CUSTOM_SITE,
    KNOWN_SITES,
    USERNAME_MARK,
    FieldType,
)
from chatapi.wire.params import WireModel
from chatapi.wire.validation_errors import message_for

MAX_FIELDS = 100
MAX_SUMMARY_FIELDS = 2
MAX_OPTIONS = 200


class FieldDefinition(Struct, frozen=True):
    """The properties of a field that administrators choose."""

    field_type: FieldType
    name: str
    hint: str
    field_data: dict[str, Any]
    display_in_profile_summary: bool
    required: bool
    editable_by_user: bool
    use_for_user_matching: bool


class ProfileFieldRecord(FieldDefinition, frozen=True):
    """A field of a realm, and its position among the others."""

    id: ProfileFieldId
    position: int


class SelectOption(WireModel):
    """One entry of a list of options."""

    text: Annotated[str, Field(min_length=1, max_length=100)]
    order: Annotated[str, Field(max_length=100, pattern=r"^\d{1,6}$")]


class ExternalAccount(WireModel):
    """The site of an external account: a known site, or one given by a URL pattern."""

    subtype: Annotated[str, Field(max_length=100)]
    url_pattern: Annotated[str, Field(max_length=1000)] | None = None


OptionKey = Annotated[str, Field(min_length=1, max_length=100)]

_options: TypeAdapter[dict[str, SelectOption]] = TypeAdapter(
    Annotated[dict[OptionKey, SelectOption], Field(min_length=1, max_length=MAX_OPTIONS)]
)
_external_account = TypeAdapter(ExternalAccount)


def default_name(field_type: FieldType, field_data: dict[str, Any]) -> str:
    """The name of a field that was created without one: for a known site, the name of the site."""
    site = KNOWN_SITES.get(str(field_data.get("subtype")))
    return site.name if site and field_type is FieldType.EXTERNAL_ACCOUNT else ""


def check_field(field: FieldDefinition, others: Iterable[FieldDefinition]) -> None:
    """Refuse a field that is invalid by itself or in combination with the others."""
    _check_text("name", field.name)
    if not field.name:
        raise BadRequestError("name cannot be empty")
    _check_text("hint", field.hint)
    _check_field_data(field.field_type, field.field_data)
    _check_flags(field)
    others = list(others)
    if name_key(field.name) in {name_key(other.name) for other in others}:
        raise BadRequestError("A field with that name already exists.")
    shown = sum(other.display_in_profile_summary for other in others)
    if field.display_in_profile_summary and shown >= MAX_SUMMARY_FIELDS:
        message = f"Only {MAX_SUMMARY_FIELDS} fields can be displayed in the profile summary."
        raise BadRequestError(message)


def _check_text(parameter: str, text: str) -> None:
    if not text.isprintable():
        message = f"{parameter} contains invalid characters"
        raise BadRequestError(message)


def _check_flags(field: FieldDefinition) -> None:
    if field.display_in_profile_summary and not field.field_type.fits_summary:
        raise BadRequestError("display_in_profile_summary is not supported for this type of field")
    if field.use_for_user_matching and not field.field_type.can_match_users:
        raise BadRequestError("use_for_user_matching is not supported for this type of field")


def _check_field_data(field_type: FieldType, field_data: dict[str, Any]) -> None:
    try:
        match field_type:
            case FieldType.DROPDOWN:
                _check_options(_options.validate_python(field_data))
            case FieldType.EXTERNAL_ACCOUNT:
                _check_external_account(_external_account.validate_python(field_data))
            case _:
                _check_no_field_data(field_data)
    except ValidationError as error:
        raise BadRequestError(message_for(error, field_data, "field_data")) from None


def _check_no_field_data(field_data: dict[str, Any]) -> None:
    if field_data:
        raise BadRequestError("field_data is not supported for this type of field")


def _check_options(options: dict[str, SelectOption]) -> None:
    texts = [option.text for option in options.values()]
    if len(set(texts)) < len(texts):
        raise BadRequestError("field_data has the same option twice")


def _check_external_account(account: ExternalAccount) -> None:
    if account.subtype != CUSTOM_SITE:
        if account.subtype not in KNOWN_SITES:
            raise BadRequestError('field_data["subtype"] is not a known site')
        if account.url_pattern is not None:
            raise BadRequestError('field_data["url_pattern"] is only for the subtype "custom"')
        return
    if account.url_pattern is None:
        raise BadRequestError('field_data["url_pattern"] is missing')
    if account.url_pattern.count(USERNAME_MARK) != 1:
        message = f'field_data["url_pattern"] must contain "{USERNAME_MARK}" once'
        raise BadRequestError(message)
    if not is_web_address(account.url_pattern.replace(USERNAME_MARK, "username")):
        raise BadRequestError('field_data["url_pattern"] is not an http or https address')

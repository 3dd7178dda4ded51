"""Validates values of custom profile fields; pure."""

import re
from datetime import date
from typing import Any, NamedTuple

import orjson

from chatapi.core.errors import BadRequestError
from chatapi.core.ids import UserId
from chatapi.core.web_addresses import is_web_address
from chatapi.features.users.profile_fields.field_types import FieldType
from chatapi.features.users.profile_fields.rules import ProfileFieldRecord
from chatapi.rendering import render_markdown

MAX_SHORT_TEXT = 50
MAX_LONG_TEXT = 500
MAX_USERS = 100

_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)

Written = str | list[int] | None
"""A value as clients pass it."""


class FieldValue(NamedTuple):
    """A value as stored."""

    text: str
    rendered: str | None = None


def check_value(field: ProfileFieldRecord, written: Written) -> FieldValue | None:
    """The value to store, None to clear it; users in it still have to be looked up."""
    if written is None or written == [] or (isinstance(written, str) and not written.strip()):
        return None
    if isinstance(written, list):
        _check_user_ids(field, written)
        return FieldValue(orjson.dumps(written).decode())
    _check_text(field, written)
    return FieldValue(written, render_markdown(written) if field.field_type.has_markdown else None)


def _check_text(field: ProfileFieldRecord, written: str) -> None:
    match field.field_type:
        case FieldType.DROPDOWN:
            if written not in field.field_data:
                raise _refusal(field, "has no such option")
        case FieldType.DATE:
            _check_date(field, written)
        case FieldType.URL:
            if not is_web_address(written):
                raise _refusal(field, "is not an http or https address")
        case FieldType.PARAGRAPH:
            _check_length(field, written, MAX_LONG_TEXT)
        case FieldType.SHORT_TEXT | FieldType.EXTERNAL_ACCOUNT | FieldType.PRONOUNS:
            _check_length(field, written, MAX_SHORT_TEXT)
        case FieldType.USER:
            raise _refusal(field, "is not a list of user ids")


def user_ids_in(field: ProfileFieldRecord, value: FieldValue | None) -> list[UserId]:
    """The users that a value names."""
    if value is None or field.field_type is not FieldType.USER:
        return []
    user_ids: list[Any] = orjson.loads(value.text)
    return [UserId(user_id) for user_id in user_ids]


def _check_user_ids(field: ProfileFieldRecord, written: list[int]) -> None:
    if field.field_type is not FieldType.USER:
        raise _refusal(field, "is not a string")
    if len(written) > MAX_USERS:
        raise _refusal(field, f"has too many users (limit: {MAX_USERS})")
    if len(set(written)) < len(written):
        raise _refusal(field, "has the same user twice")


def _check_date(field: ProfileFieldRecord, written: str) -> None:
    try:
        is_date = _DATE.fullmatch(written) is not None and bool(date.fromisoformat(written))
    except ValueError:
        is_date = False
    if not is_date:
        raise _refusal(field, "is not a date (expected: YYYY-MM-DD)")


def _check_length(field: ProfileFieldRecord, written: str, limit: int) -> None:
    if len(written) > limit:
        raise _refusal(field, f"is too long (limit: {limit} characters)")


def _refusal(field: ProfileFieldRecord, complaint: str) -> BadRequestError:
    return BadRequestError(f"{field.name} {complaint}")

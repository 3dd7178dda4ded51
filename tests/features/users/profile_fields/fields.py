"""Custom profile fields for tests, made by an administrator through the API."""

from typing import Any

from chatapi.features.users.profile_fields.field_types import FieldType
from tests.factories import Person
from tests.support.client import ApiClient
from tests.support.responses import assert_success

OPTIONS = {
    "red": {"text": "Red wine", "order": "1"},
    "white": {"text": "White wine", "order": "2"},
}
GITHUB = {"subtype": "github"}
CUSTOM_SITE = {"subtype": "custom", "url_pattern": "https://forge.example/%(username)s"}

_NEEDED_DATA: dict[FieldType, dict[str, Any]] = {
    FieldType.DROPDOWN: OPTIONS,
    FieldType.EXTERNAL_ACCOUNT: CUSTOM_SITE,
}


async def add_field(
    client: ApiClient,
    admin: Person,
    field_type: FieldType = FieldType.SHORT_TEXT,
    name: str = "Favourite food",
    **details: object,
) -> int:
    if field_type in _NEEDED_DATA:
        details.setdefault("field_data", _NEEDED_DATA[field_type])
    response = await client.post(
        "/realm/profile_fields", admin, field_type=int(field_type), name=name, **details
    )
    return int(assert_success(response)["id"])


async def fields_of(client: ApiClient, person: Person) -> list[dict[str, Any]]:
    response = await client.get("/realm/profile_fields", person)
    fields: list[dict[str, Any]] = assert_success(response)["custom_fields"]
    return fields


async def write(client: ApiClient, person: Person, values: dict[int, object]) -> None:
    data = [{"id": field_id, "value": value} for field_id, value in values.items()]
    assert_success(await client.patch("/users/me/profile_data", person, data=data))


async def profile_of(client: ApiClient, person: Person) -> dict[str, Any]:
    profile: dict[str, Any] = assert_success(await client.get("/users/me", person))["profile_data"]
    return profile

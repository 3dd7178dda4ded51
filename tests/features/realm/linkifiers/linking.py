"""Linkifiers as tests make and read them."""

from typing import Any

from tests.factories import Person
from tests.support.client import ApiClient
from tests.support.responses import assert_success

TICKETS = {"pattern": "#(?P<id>[0-9]+)", "url_template": "https://t.example/{id}"}


async def add_linkifier(client: ApiClient, person: Person, **details: object) -> int:
    """Add a linkifier, for tickets unless the details say otherwise."""
    response = await client.post("/realm/filters", person, **{**TICKETS, **details})
    linkifier_id: int = assert_success(response)["id"]
    return linkifier_id


async def linkifiers_seen_by(client: ApiClient, person: Person) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = assert_success(await client.get("/realm/linkifiers", person))[
        "linkifiers"
    ]
    return found


def linkifier(linkifier_id: int, **details: object) -> dict[str, Any]:
    """The JSON of a linkifier as clients receive it."""
    return {
        **TICKETS,
        "id": linkifier_id,
        "example_input": None,
        "reverse_template": None,
        "alternative_url_templates": [],
        **details,
    }

"""Custom emoji for tests, added as clients do it."""

import base64
from typing import Any

from tests.factories import Person
from tests.support.client import ApiClient
from tests.support.responses import ApiResponse, assert_success

RED_DOT = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
)
"""A picture of one pixel, as PNG."""


async def try_add_emoji(
    client: ApiClient, person: Person | None, name: str, content: bytes = RED_DOT
) -> ApiResponse:
    files = {"any name": ("emoji.bin", content, "application/octet-stream")}
    return await client.call("POST", f"/realm/emoji/{name}", person, files=files)


async def add_emoji(
    client: ApiClient, person: Person, name: str, content: bytes = RED_DOT
) -> dict[str, Any]:
    """Add an emoji; what GET /realm/emoji shows of it."""
    assert_success(await try_add_emoji(client, person, name, content))
    listed = await list_emoji(client, person)
    [added] = [each for each in listed if each["name"] == name and not each["deactivated"]]
    return added


async def list_emoji(client: ApiClient, person: Person) -> list[dict[str, Any]]:
    emoji = assert_success(await client.get("/realm/emoji", person))["emoji"]
    assert all(key == each["id"] for key, each in emoji.items())
    return list(emoji.values())

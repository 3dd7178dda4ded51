"""Drafts as tests send and expect them."""

from typing import Any

from tests.factories import Person
from tests.support.client import ApiClient
from tests.support.responses import assert_success


def draft(content: str = "Dear all", **details: object) -> dict[str, Any]:
    """Without recipients, unless the details say otherwise."""
    return {"type": "", "to": [], "topic": "", "content": content, **details}


async def add_drafts(client: ApiClient, person: Person, *drafts: dict[str, Any]) -> list[int]:
    ids: list[int] = assert_success(await client.post("/drafts", person, drafts=list(drafts)))[
        "ids"
    ]
    return ids


async def drafts_of(client: ApiClient, person: Person) -> list[dict[str, Any]]:
    response = assert_success(await client.get("/drafts", person))
    drafts: list[dict[str, Any]] = response["drafts"]
    assert response["count"] == len(drafts)
    return drafts

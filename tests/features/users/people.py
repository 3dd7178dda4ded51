"""The expected JSON of users, computed independently of the code under test."""

import hashlib
from typing import Any

from chatapi.core.roles import EmailVisibility
from tests.factories import Person
from tests.support.client import ApiClient
from tests.support.responses import assert_success


def gravatar(email: str, version: int = 1) -> str:
    digest = hashlib.md5(email.encode(), usedforsecurity=False).hexdigest()
    return f"https://secure.gravatar.com/avatar/{digest}?d=identicon&version={version}"


def made_up_email(person: Person) -> str:
    return f"user{person.user_id}@acme.localhost"


async def hide_email(client: ApiClient, person: Person, from_all_but: EmailVisibility) -> None:
    response = await client.patch("/settings", person, email_address_visibility=int(from_all_but))
    assert_success(response)


async def user_seen_by(
    client: ApiClient, person: Person, reader: Person | None, **params: object
) -> dict[str, Any]:
    """One of the users that GET /users returns."""
    response = assert_success(await client.get("/users", reader, **params))
    (user,) = [user for user in response["members"] if user["user_id"] == person.user_id]
    seen: dict[str, Any] = user
    return seen

"""Whether a hidden address has an account is not revealed to callers who may not see it."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.roles import EmailVisibility
from chatapi.core.system_groups import SystemGroup
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.realm.settings import allow
from tests.features.users.people import hide_email
from tests.support.client import ApiClient
from tests.support.responses import ApiResponse
from tests.support.statements import recorded_statements

HIDDEN = "hidden@example.com"
UNKNOWN = "nobody@example.com"
CHANNEL = "general"

ApiRequest = Callable[[ApiClient, Person, str], Awaitable[ApiResponse]]
NEW_USER = {"password": "correct horse", "full_name": "New"}
PLACES: dict[str, ApiRequest] = {
    "GET /users/{email}": lambda client, who, email: client.get(f"/users/{email}", who),
    "PATCH /users/{email}": lambda client, who, email: client.patch(
        f"/users/{email}", who, full_name="New"
    ),
    "DELETE /users/{email}": lambda client, who, email: client.delete(f"/users/{email}", who),
    "GET /users/{email}/presence": lambda client, who, email: client.get(
        f"/users/{email}/presence", who
    ),
    "POST /users": lambda client, who, email: client.post("/users", who, email=email, **NEW_USER),
    "PATCH /settings": lambda client, who, email: client.patch("/settings", who, email=email),
    "POST /users/me/subscriptions": lambda client, who, email: client.post(
        "/users/me/subscriptions", who, subscriptions=[{"name": CHANNEL}], principals=[email]
    ),
    "DELETE /users/me/subscriptions": lambda client, who, email: client.delete(
        "/users/me/subscriptions", who, subscriptions=[CHANNEL], principals=[email]
    ),
    "POST /messages": lambda client, who, email: client.post(
        "/messages", who, type="direct", to=[email], content="Hello"
    ),
    "POST /typing": lambda client, who, email: client.post(
        "/typing", who, op="start", type="direct", to=[email]
    ),
    "POST /fetch_api_key": lambda client, _who, email: client.post(
        "/fetch_api_key", username=email, password="wrong password"
    ),
    "GET /users/me": lambda client, who, email: client.get(
        "/users/me", Person(who.user_id, email, "wrong key")
    ),
}
every_place = pytest.mark.parametrize("place", PLACES)


async def answers_to(
    client: ApiClient, runtime: Runtime, place: str, who: Person
) -> list[tuple[int, str, list[str]]]:
    """Status, body without the address, and statements: for a hidden and an unknown address."""
    found = []
    # What the first call caches is cached for the second as well.
    await PLACES[place](client, who, UNKNOWN)
    for address in (HIDDEN, UNKNOWN):
        with (
            recorded_statements(runtime.database, "account") as on_users,
            recorded_statements(runtime.database, "subscription") as on_acquaintances,
        ):
            response = await PLACES[place](client, who, address)
        text = str(response.body).replace(address, "ADDRESS")
        found.append((response.status, text, on_users + on_acquaintances))
    return found


@pytest.mark.any_database
@every_place
async def test_address_hidden_from_members_is_as_unknown_to_them(
    client: ApiClient,
    runtime: Runtime,
    make_user: MakeUser,
    make_channel: MakeChannel,
    member: Person,
    place: str,
) -> None:
    hidden = await make_user(email=HIDDEN, password="correct horse")
    await make_channel(CHANNEL, subscribers=[hidden, member])
    await hide_email(client, hidden, EmailVisibility.ADMINS)
    seen = await answers_to(client, runtime, place, member)
    assert seen[0][0] in {400, 401}
    assert seen[0] == seen[1]


@pytest.mark.any_database
@every_place
async def test_user_whom_a_guest_may_not_see_is_as_unknown_to_them(
    client: ApiClient,
    runtime: Runtime,
    realm: RealmRecord,
    make_user: MakeUser,
    make_channel: MakeChannel,
    owner: Person,
    guest: Person,
    place: str,
) -> None:
    await allow(client, owner, realm, can_access_all_users_group=SystemGroup.MEMBERS)
    await make_user(email=HIDDEN, password="correct horse")
    await make_channel(CHANNEL, subscribers=[guest])
    seen = await answers_to(client, runtime, place, guest)
    assert seen[0][0] in {400, 401}
    assert seen[0] == seen[1]


async def test_hidden_addresses_are_in_no_response_about_users(
    client: ApiClient, make_user: MakeUser, member: Person
) -> None:
    hidden = await make_user(email=HIDDEN)
    await hide_email(client, hidden, EmailVisibility.ADMINS)
    state: dict[str, Any] = (await client.post("/register", member)).body
    for shown in (state, (await client.get("/users", member)).body):
        assert HIDDEN not in str(shown)

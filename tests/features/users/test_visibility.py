"""Visibility of real email addresses, in every place that could show them."""

from typing import Any

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.roles import EmailVisibility, Role
from tests.factories import MakeUser, Person
from tests.features.users.people import gravatar, hide_email, made_up_email, user_seen_by
from tests.support.account_changes import change_role
from tests.support.client import ApiClient
from tests.support.listening import listen
from tests.support.responses import assert_success

EVERY_ROLE = set(Role)
SEEN_BY = {
    EmailVisibility.EVERYONE: EVERY_ROLE,
    EmailVisibility.MEMBERS: EVERY_ROLE - {Role.GUEST},
    EmailVisibility.ADMINS: {Role.OWNER, Role.ADMIN},
    EmailVisibility.NOBODY: set[Role](),
    EmailVisibility.MODERATORS: {Role.OWNER, Role.ADMIN, Role.MODERATOR},
}


@pytest.fixture
async def readers(make_user: MakeUser) -> dict[Role, Person]:
    return {role: await make_user(role) for role in Role}


async def views_of(client: ApiClient, person: Person, reader: Person) -> list[dict[str, Any]]:
    """One user as returned by every read that shows them."""
    one = assert_success(await client.get(f"/users/{person.user_id}", reader))["user"]
    registered = await listen(client, reader, fetch_event_types=["realm_user"])
    (in_state,) = [
        user for user in registered.state["realm_users"] if user["user_id"] == person.user_id
    ]
    in_state.pop("profile_data", None)
    return [await user_seen_by(client, person, reader), one, in_state]


@pytest.mark.any_database
@pytest.mark.parametrize("visibility", EmailVisibility)
async def test_matrix(
    client: ApiClient,
    member: Person,
    readers: dict[Role, Person],
    visibility: EmailVisibility,
) -> None:
    await hide_email(client, member, visibility)
    shown = member.email if visibility is EmailVisibility.EVERYONE else made_up_email(member)
    for role, reader in readers.items():
        is_seen = role in SEEN_BY[visibility]
        for view in await views_of(client, member, reader):
            assert view["delivery_email"] == (member.email if is_seen else None), role
            assert view["email"] == shown
            assert view["avatar_url"] == (None if is_seen else gravatar(made_up_email(member)))


@pytest.mark.any_database
@pytest.mark.parametrize("visibility", EmailVisibility)
async def test_users_see_their_own_address(
    client: ApiClient, guest: Person, visibility: EmailVisibility
) -> None:
    await hide_email(client, guest, visibility)
    for view in await views_of(client, guest, guest):
        assert view["delivery_email"] == guest.email
        assert view["avatar_url"] is None


@pytest.mark.any_database
@pytest.mark.parametrize("visibility", EmailVisibility)
async def test_bots_hide_nothing(
    client: ApiClient, guest: Person, make_user: MakeUser, visibility: EmailVisibility
) -> None:
    bot = await make_user(Role.GUEST, bot_owner=guest)
    await hide_email(client, bot, visibility)
    for view in await views_of(client, bot, guest):
        assert view["delivery_email"] == bot.email
        assert view["email"] == bot.email


@pytest.mark.any_database
async def test_a_hidden_address_is_never_hashed(
    client: ApiClient, guest: Person, member: Person
) -> None:
    """The hash of an address can be looked up like the address itself."""
    await hide_email(client, member, EmailVisibility.ADMINS)
    for client_gravatar in (True, False):
        seen = await user_seen_by(client, member, guest, client_gravatar=client_gravatar)
        assert seen["avatar_url"] == gravatar(made_up_email(member))


async def test_changed_role_changes_visibility_at_once(
    client: ApiClient, runtime: Runtime, realm: RealmRecord, member: Person, guest: Person
) -> None:
    await hide_email(client, member, EmailVisibility.MEMBERS)
    assert (await user_seen_by(client, member, guest))["delivery_email"] is None
    await change_role(runtime, realm, guest, Role.MEMBER)
    assert (await user_seen_by(client, member, guest))["delivery_email"] == member.email

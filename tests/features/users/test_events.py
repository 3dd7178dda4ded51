"""Events about users, on both databases."""

from typing import Any

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.ids import UserId
from chatapi.core.roles import EmailVisibility, Role
from chatapi.events.cache_tags import (
    NO_CACHE_TAGS,
    RecipientPreferencesTag,
    UserTag,
    shared_sections,
)
from chatapi.events.client import ClientView
from chatapi.features.users.events import CredentialsChanged, UserAdded, UserUpdated
from chatapi.features.users.payloads import UserPayload
from tests.factories import MakeUser, Person
from tests.features.users.people import gravatar, hide_email, made_up_email, user_seen_by
from tests.support.account_changes import change_role, deactivate
from tests.support.client import ApiClient
from tests.support.listening import Listener, listen
from tests.support.responses import assert_error, assert_success
from tests.support.sample_events import view as sample_view

NEW_USER = {"email": "new@example.com", "password": "correct horse", "full_name": "New Person"}


@pytest.fixture
async def listener(client: ApiClient, guest: Person) -> Listener:
    return await listen(client, guest, event_types=["realm_user"], fetch_event_types=[])


async def only_event(listener: Listener) -> dict[str, Any]:
    (event,) = await listener.new_events()
    event.pop("id")
    return event


@pytest.mark.any_database
class TestAdd:
    async def test_event_equals_what_a_read_returns(
        self, client: ApiClient, admin: Person, guest: Person, listener: Listener
    ) -> None:
        user_id = assert_success(await client.post("/users", admin, **NEW_USER))["user_id"]
        event = await only_event(listener)
        assert (event["type"], event["op"]) == ("realm_user", "add")
        read = await client.get(f"/users/{user_id}", guest, include_custom_profile_fields=True)
        assert event["person"] == assert_success(read)["user"]
        assert event["person"]["avatar_url"] is None

    async def test_includes_avatar_url_for_clients_that_compute_none(
        self, client: ApiClient, admin: Person, guest: Person
    ) -> None:
        listener = await listen(
            client,
            guest,
            client_gravatar=False,
            event_types=["realm_user"],
            fetch_event_types=[],
        )
        assert_success(await client.post("/users", admin, **NEW_USER))
        event = await only_event(listener)
        assert event["person"]["avatar_url"] == gravatar("new@example.com")

    async def test_bots(
        self, client: ApiClient, guest: Person, make_user: MakeUser, listener: Listener
    ) -> None:
        bot = await make_user(Role.GUEST, bot_owner=guest)
        event = await only_event(listener)
        assert event["person"]["delivery_email"] == bot.email
        assert "profile_data" not in event["person"]

    async def test_refused_requests_emit_no_event(
        self, client: ApiClient, admin: Person, listener: Listener
    ) -> None:
        taken = {**NEW_USER, "email": admin.email}
        assert_error(await client.post("/users", admin, **taken))
        assert await listener.new_events() == []


PERSON: UserPayload = {
    "user_id": 7,
    "delivery_email": "real@example.com",
    "email": "user7@acme.localhost",
    "full_name": "Somebody",
    "date_joined": "2026-03-01T12:00:00+00:00",
    "is_active": True,
    "is_owner": False,
    "is_admin": False,
    "is_guest": False,
    "is_bot": False,
    "bot_type": None,
    "bot_owner_id": None,
    "role": 400,
    "timezone": "",
    "avatar_url": None,
    "avatar_version": 1,
    "is_imported_stub": False,
    "profile_data": {},
}


def view(role: Role, user_id: int = 1, *, client_gravatar: bool = True) -> ClientView:
    return sample_view(user_id, role, client_gravatar=client_gravatar)


class TestAddForms:
    """The same event for readers who may and may not see the email address."""

    event = UserAdded(person=PERSON, email_visibility=EmailVisibility.MODERATORS)

    @pytest.mark.parametrize("role", [Role.OWNER, Role.ADMIN, Role.MODERATOR])
    def test_shown(self, role: Role) -> None:
        assert self.event.body(view(role)) == {"person": PERSON}
        person = self.event.body(view(role, client_gravatar=False))["person"]
        assert person == {**PERSON, "avatar_url": gravatar("real@example.com")}

    @pytest.mark.parametrize("role", [Role.MEMBER, Role.GUEST])
    @pytest.mark.parametrize("client_gravatar", [True, False])
    def test_hidden(self, role: Role, client_gravatar: bool) -> None:
        person = self.event.body(view(role, client_gravatar=client_gravatar))["person"]
        picture = gravatar("user7@acme.localhost")
        assert person == {**PERSON, "delivery_email": None, "avatar_url": picture}

    def test_shown_to_oneself(self) -> None:
        assert self.event.body(view(Role.GUEST, user_id=7)) == {"person": PERSON}

    def test_bots_hide_nothing(self) -> None:
        bot = self.event.model_copy(update={"person": {**PERSON, "is_bot": True}})
        person = bot.body(view(Role.GUEST))["person"]
        assert person["delivery_email"] == "real@example.com"

    def test_readers_with_the_same_visibility_share_a_form(self) -> None:
        shown = {self.event.variant(view(role)) for role in (Role.OWNER, Role.MODERATOR)}
        hidden = {self.event.variant(view(role)) for role in (Role.MEMBER, Role.GUEST)}
        assert len(shown) == len(hidden) == 1
        assert shown != hidden


@pytest.mark.any_database
class TestUpdate:
    async def test_role(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        member: Person,
        listener: Listener,
    ) -> None:
        await change_role(runtime, realm, member, Role.MODERATOR)
        assert await only_event(listener) == {
            "type": "realm_user",
            "op": "update",
            "person": {"user_id": member.user_id, "role": 300},
        }

    async def test_deactivation(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        member: Person,
        listener: Listener,
    ) -> None:
        await deactivate(runtime, realm, member)
        assert (await only_event(listener))["person"] == {
            "user_id": member.user_id,
            "is_active": False,
        }

    async def test_email_is_sent_to_readers_who_may_see_it(
        self, client: ApiClient, admin: Person, guest: Person, member: Person
    ) -> None:
        options: dict[str, object] = {
            "fetch_event_types": [],
            "client_capabilities": {"user_avatar_url_field_optional": True},
        }
        readers = {reader: await listen(client, reader, **options) for reader in (admin, guest)}
        await hide_email(client, member, EmailVisibility.ADMINS)
        for reader, listener in readers.items():
            told: dict[str, Any] = {}
            for event in await listener.new_events():
                told |= event["person"]
            seen = await user_seen_by(client, member, reader)
            assert told["delivery_email"] == seen["delivery_email"]
            assert told["new_email"] == seen["email"] == made_up_email(member)
            assert told["avatar_url"] == seen["avatar_url"]
            hash_of_real = gravatar(member.email).split("?")[0]
            assert (hash_of_real in str(told)) == (reader is admin)

    async def test_avatar_of_client_without_the_capability_is_never_null(
        self, client: ApiClient, admin: Person, member: Person
    ) -> None:
        listener = await listen(client, admin, client_gravatar=True)
        await hide_email(client, member, EmailVisibility.ADMINS)
        pictures = [
            event["person"]["avatar_url"]
            for event in await listener.new_events()
            if "avatar_url" in event["person"]
        ]
        assert pictures == [gravatar(member.email)]

    def test_event_invalidates_the_right_caches(self) -> None:
        renamed = UserUpdated(person={"user_id": 7, "full_name": "Else"})
        assert set(renamed.field_cache_tags()) == {UserTag(UserId(7))}
        sections = "realm_user", "realm_user_groups", "user_status"
        assert renamed.cache_tags == shared_sections(*sections)
        credentials = CredentialsChanged(user_id=UserId(7))
        assert set(credentials.field_cache_tags()) == {UserTag(UserId(7))}
        assert credentials.cache_tags == NO_CACHE_TAGS

    def test_deactivation_also_invalidates_the_bots_whose_services_are_called(self) -> None:
        event = UserUpdated(person={"user_id": 7, "is_active": False})
        assert set(event.field_cache_tags()) == {UserTag(UserId(7)), RecipientPreferencesTag()}


@pytest.mark.any_database
class TestState:
    async def test_register(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        admin: Person,
        member: Person,
        make_user: MakeUser,
    ) -> None:
        gone = await make_user()
        await deactivate(runtime, realm, gone)
        state = (await listen(client, admin, fetch_event_types=["realm_user"])).state
        listed = assert_success(
            await client.get("/users", admin, include_custom_profile_fields=True)
        )["members"]
        assert state["realm_users"] == [user for user in listed if user["is_active"]]
        assert [user["user_id"] for user in state["realm_non_active_users"]] == [gone.user_id]
        [bot] = state["cross_realm_bots"]
        assert (bot["full_name"], bot["is_system_bot"]) == ("Notification Bot", True)
        own = {
            "user_id": admin.user_id,
            "email": admin.email,
            "delivery_email": admin.email,
            "full_name": admin.full_name,
            "avatar_source": "G",
            "avatar_url": gravatar(admin.email),
            "avatar_url_medium": f"{gravatar(admin.email)}&s=500",
            "is_admin": True,
            "is_owner": False,
            "is_moderator": False,
            "is_guest": False,
        }
        assert {key: state[key] for key in own} == own

    async def test_avatar_urls_for_clients_that_compute_none(
        self, client: ApiClient, admin: Person
    ) -> None:
        params = {"client_gravatar": False, "fetch_event_types": ["realm_user"]}
        state = (await listen(client, admin, **params)).state
        assert state["realm_users"][0]["avatar_url"] == gravatar(admin.email)

"""PATCH /settings and the personal settings in POST /register."""

import hashlib
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.ids import UserId
from chatapi.core.roles import Role
from chatapi.core.settings import Settings
from chatapi.db.models import User
from chatapi.db.session import DatabaseSession
from chatapi.features.users.settings.params import ChangeSettingsParams
from chatapi.wire.user_settings import UserSettings
from tests.factories import MakeUser, Person
from tests.support.apps import make_settings
from tests.support.client import ApiClient
from tests.support.listening import listen
from tests.support.realm_settings import set_realm_settings
from tests.support.responses import assert_error, assert_success

PASSWORD = "correct horse"


async def stored_settings(runtime: Runtime, user_id: UserId) -> dict[str, Any]:
    async with DatabaseSession(runtime.database) as db:
        rows = await db.execute(select(User.settings).where(User.id == user_id))
        settings: dict[str, Any] = rows.scalar_one()
        return settings


async def own_settings(client: ApiClient, person: Person) -> dict[str, Any]:
    listener = await listen(client, person, fetch_event_types=["user_settings"])
    settings: dict[str, Any] = listener.state["user_settings"]
    return settings


def without_ids(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: value for key, value in event.items() if key != "id"} for event in events]


def gravatar(email: str) -> str:
    digest = hashlib.md5(email.encode(), usedforsecurity=False).hexdigest()
    return f"https://secure.gravatar.com/avatar/{digest}?d=identicon&version=1"


class TestChangeSettings:
    @pytest.mark.any_database
    async def test_anonymous_is_refused(self, client: ApiClient, realm: RealmRecord) -> None:
        assert_error(await client.patch("/settings", enter_sends=True), "UNAUTHORIZED", 401)

    @pytest.mark.any_database
    async def test_path_of_older_clients_for_notifications_changes_the_same_settings(
        self, client: ApiClient, member: Person
    ) -> None:
        changed = await client.patch(
            "/settings/notifications", member, enable_desktop_notifications=False
        )
        assert assert_success(changed) == {}
        assert (await own_settings(client, member))["enable_desktop_notifications"] is False

    @pytest.mark.any_database
    async def test_nothing_passed_changes_nothing(self, client: ApiClient, member: Person) -> None:
        listener = await listen(client, member)
        assert assert_success(await client.patch("/settings", member)) == {}
        assert await listener.new_events() == []

    @pytest.mark.any_database
    async def test_change_is_sent_to_the_user_only(
        self, client: ApiClient, owner: Person, member: Person
    ) -> None:
        listener, other = await listen(client, member), await listen(client, owner)
        response = await client.patch("/settings", member, enter_sends=True, color_scheme=2)
        assert assert_success(response) == {}
        assert without_ids(await listener.new_events()) == [
            {"type": "user_settings", "op": "update", "property": "color_scheme", "value": 2},
            {"type": "user_settings", "op": "update", "property": "enter_sends", "value": True},
        ]
        assert await other.new_events() == []
        settings = await own_settings(client, member)
        assert settings["enter_sends"] is True
        assert settings["color_scheme"] == 2

    @pytest.mark.any_database
    async def test_unchanged_values_emit_no_event(self, client: ApiClient, member: Person) -> None:
        assert_success(await client.patch("/settings", member, enter_sends=True))
        listener = await listen(client, member)
        assert_success(await client.patch("/settings", member, enter_sends=True, color_scheme=1))
        assert await listener.new_events() == []

    async def test_stores_differences_from_the_defaults(
        self, client: ApiClient, runtime: Runtime, member: Person
    ) -> None:
        assert_success(
            await client.patch("/settings", member, enter_sends=True, emojiset="twitter")
        )
        assert await stored_settings(runtime, member.user_id) == {
            "enter_sends": True,
            "emojiset": "twitter",
        }
        assert_success(await client.patch("/settings", member, enter_sends=False))
        assert await stored_settings(runtime, member.user_id) == {"emojiset": "twitter"}

    @pytest.mark.any_database
    async def test_names_the_language(self, client: ApiClient, member: Person) -> None:
        listener = await listen(client, member)
        assert_success(await client.patch("/settings", member, default_language="de"))
        [event] = await listener.new_events()
        assert event["value"] == "de"
        assert event["language_name"] == "Deutsch"

    @pytest.mark.any_database
    @pytest.mark.parametrize(
        ("params", "message"),
        [
            ({"enter_sends": 1}, "enter_sends is not a boolean"),
            ({"enter_sends": "yes"}, 'Argument "enter_sends" is not valid JSON.'),
            ({"color_scheme": 4}, "Invalid color_scheme; expected 1, 2 or 3"),
            ({"web_font_size_px": 1000}, "web_font_size_px is too large (at most: 48)"),
            ({"default_language": "Klingon"}, "default_language has the wrong form"),
            ({"timezone": "Mars/Olympus"}, "timezone is not a recognized time zone"),
            ({"email_address_visibility": 6}, "Invalid email_address_visibility"),
            ({"full_name": ""}, "full_name cannot be empty"),
            ({"full_name": "a*b"}, "full_name contains invalid characters"),
            ({"email": ""}, "email is not a valid email address"),
            ({"email": "no address"}, "email is not a valid email address"),
            ({"email": "user7@acme.localhost"}, "email is not a valid email address"),
        ],
    )
    async def test_refuses_bad_values(
        self, client: ApiClient, admin: Person, params: dict[str, Any], message: str
    ) -> None:
        response = await client.patch("/settings", admin, **params)
        assert assert_error(response).startswith(message)

    @pytest.mark.any_database
    async def test_changes_all_or_nothing(
        self, client: ApiClient, runtime: Runtime, member: Person
    ) -> None:
        listener = await listen(client, member)
        response = await client.patch("/settings", member, full_name="Iago", timezone="nowhere")
        assert_error(response)
        assert await listener.new_events() == []
        assert (await client.get("/users/me", member))["full_name"] == member.full_name

    @pytest.mark.any_database
    async def test_reports_ignored_parameters(self, client: ApiClient, member: Person) -> None:
        response = await client.patch("/settings", member, favourite_colour="green")
        assert assert_success(response)["ignored_parameters_unsupported"] == ["favourite_colour"]

    def test_every_setting_can_be_changed(self) -> None:
        """The parameters come from the settings themselves: adding one is one line."""
        assert UserSettings.model_fields.keys() <= ChangeSettingsParams.decoders.keys()


@pytest.mark.any_database
class TestFullName:
    async def test_event_is_sent_to_all_users(
        self, client: ApiClient, owner: Person, member: Person
    ) -> None:
        other = await listen(client, owner)
        assert_success(await client.patch("/settings", member, full_name="  Iago "))
        assert without_ids(await other.new_events()) == [
            {
                "type": "realm_user",
                "op": "update",
                "person": {"user_id": member.user_id, "full_name": "Iago"},
            }
        ]
        assert (await client.get("/users/me", member))["full_name"] == "Iago"

    async def test_change_can_be_restricted_to_administrators(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        member: Person,
        admin: Person,
    ) -> None:
        await set_realm_settings(runtime, realm, name_changes_disabled=True)
        response = await client.patch("/settings", member, full_name="Iago")
        assert assert_error(response) == "Name changes are disabled in this organization."
        assert_success(await client.patch("/settings", member, full_name=member.full_name))
        assert_success(await client.patch("/settings", admin, full_name="Iago"))


class TestTimezone:
    async def test_event_is_sent_to_all_users(
        self, client: ApiClient, owner: Person, member: Person
    ) -> None:
        listener, other = await listen(client, member), await listen(client, owner)
        assert_success(await client.patch("/settings", member, timezone="Europe/Berlin"))
        person = {"user_id": member.user_id, "email": member.email, "timezone": "Europe/Berlin"}
        told = {"type": "realm_user", "op": "update", "person": person}
        assert without_ids(await other.new_events()) == [told]
        assert without_ids(await listener.new_events()) == [
            told,
            {
                "type": "user_settings",
                "op": "update",
                "property": "timezone",
                "value": "Europe/Berlin",
            },
        ]
        assert (await own_settings(client, member))["timezone"] == "Europe/Berlin"
        assert_success(await client.patch("/settings", member, timezone=""))
        assert (await client.get("/users/me", member))["timezone"] == ""


class TestEmail:
    async def test_changes_at_once(self, client: ApiClient, owner: Person, admin: Person) -> None:
        other = await listen(client, owner, client_gravatar=False)
        assert_success(await client.patch("/settings", admin, email="Iago@Example.com"))
        persons = [event["person"] for event in await other.new_events()]
        picture = gravatar("iago@example.com")
        assert persons == [
            {"user_id": admin.user_id, "delivery_email": "Iago@Example.com"},
            {"user_id": admin.user_id, "new_email": "Iago@Example.com"},
            {
                "user_id": admin.user_id,
                "avatar_source": "G",
                "avatar_url": picture,
                "avatar_url_medium": f"{picture}&s=500",
                "avatar_version": 1,
            },
        ]
        assert_error(await client.get("/users/me", admin), "UNAUTHORIZED", 401)
        renamed = Person(admin.user_id, "iago@example.com", admin.api_key)
        assert (await client.get("/users/me", renamed))["delivery_email"] == "Iago@Example.com"

    @pytest.mark.any_database
    async def test_hidden_address_is_in_no_event(
        self, client: ApiClient, owner: Person, admin: Person
    ) -> None:
        assert_success(await client.patch("/settings", admin, email_address_visibility=4))
        other = await listen(client, owner)
        assert_success(await client.patch("/settings", admin, email="iago@example.com"))
        persons = [event["person"] for event in await other.new_events()]
        assert persons[0] == {"user_id": admin.user_id, "delivery_email": None}
        assert len(persons) == 2
        assert "iago@example.com" not in str(persons)
        assert gravatar("iago@example.com") not in str(persons)

    @pytest.mark.any_database
    async def test_address_in_use_is_refused(
        self, client: ApiClient, owner: Person, admin: Person
    ) -> None:
        response = await client.patch("/settings", admin, email=owner.email.upper())
        assert assert_error(response) == f"email {owner.email.upper()} is already in use"

    async def test_change_of_case_is_allowed(self, client: ApiClient, admin: Person) -> None:
        assert_success(await client.patch("/settings", admin, email=admin.email.upper()))
        assert (await client.get("/users/me", admin))["email"] == admin.email.upper()

    @pytest.mark.any_database
    async def test_only_administrators_may_change_it(
        self, client: ApiClient, member: Person, admin: Person
    ) -> None:
        refusals = {
            assert_error(await client.patch("/settings", member, email=email))
            for email in ("iago@example.com", admin.email, member.email.upper(), "no address", "")
        }
        assert refusals == {"email: Only administrators can change email addresses."}
        assert_success(await client.patch("/settings", member, email=member.email))
        assert_success(await client.patch("/settings", member, email_address_visibility=2))
        assert (await client.get("/users/me", member))["delivery_email"] == member.email


@pytest.mark.any_database
class TestEmailAddressVisibility:
    async def test_event_shows_each_reader_the_visible_address(
        self, client: ApiClient, make_user: MakeUser, owner: Person, guest: Person
    ) -> None:
        member = await make_user(email="iago@example.com")
        own, of_owner, of_guest = [
            await listen(client, reader, client_gravatar=False) for reader in (member, owner, guest)
        ]
        assert_success(await client.patch("/settings", member, email_address_visibility=3))
        made_up = f"user{member.user_id}@acme.localhost"
        for_owner = [event["person"] for event in await of_owner.new_events()]
        for_guest = [event["person"] for event in await of_guest.new_events()]
        assert for_owner[0]["delivery_email"] == member.email
        assert for_guest[0]["delivery_email"] is None
        assert for_owner[1] == for_guest[1] == {"user_id": member.user_id, "new_email": made_up}
        assert for_owner[2]["avatar_url"] == gravatar(member.email)
        assert for_guest[2]["avatar_url"] == gravatar(made_up)
        assert without_ids(await own.new_events())[-1] == {
            "type": "user_settings",
            "op": "update",
            "property": "email_address_visibility",
            "value": 3,
        }
        assert (await own_settings(client, member))["email_address_visibility"] == 3

    @pytest.mark.parametrize("client_gravatar", [True, False])
    async def test_events_give_the_state_of_a_new_client(
        self,
        client: ApiClient,
        member: Person,
        owner: Person,
        guest: Person,
        client_gravatar: bool,
    ) -> None:
        options: dict[str, object] = {
            "client_gravatar": client_gravatar,
            "client_capabilities": {"user_avatar_url_field_optional": True},
        }
        for reader in (owner, guest, member):
            listener = await listen(client, reader, **options)
            users = {user["user_id"]: user for user in listener.state["realm_users"]}
            for visibility in (4, 3, 1):
                assert_success(
                    await client.patch("/settings", member, email_address_visibility=visibility)
                )
                for event in await listener.new_events():
                    if event["type"] == "realm_user":
                        apply_change(users[event["person"]["user_id"]], event["person"])
                fresh = await listen(client, reader, **options)
                assert list(users.values()) == fresh.state["realm_users"]

    async def test_client_without_the_capability_gets_an_address_of_the_picture(
        self, client: ApiClient, member: Person, owner: Person
    ) -> None:
        listener = await listen(client, owner, event_types=["realm_user"], client_gravatar=True)
        for visibility in (4, 1):
            assert_success(
                await client.patch("/settings", member, email_address_visibility=visibility)
            )
        persons = [event["person"] for event in await listener.new_events()]
        pictures = [person["avatar_url"] for person in persons if "avatar_url" in person]
        assert pictures
        assert all(isinstance(picture, str) for picture in pictures)

    async def test_bots_hide_nothing(
        self, client: ApiClient, make_user: MakeUser, owner: Person, guest: Person
    ) -> None:
        bot = await make_user(bot_owner=owner)
        listener = await listen(client, guest)
        assert_success(await client.patch("/settings", bot, email_address_visibility=4))
        persons = [event["person"] for event in await listener.new_events()]
        assert persons[0]["delivery_email"] == bot.email
        assert "new_email" not in persons[1]


def apply_change(user: dict[str, Any], change: dict[str, Any]) -> None:
    """Apply a realm_user event as a client does."""
    change = dict(change)
    if "new_email" in change:
        change["email"] = change.pop("new_email")
    user.update({key: value for key, value in change.items() if key in user})


class TestPassword:
    @pytest.fixture
    async def iago(self, make_user: MakeUser) -> Person:
        return await make_user(Role.MEMBER, password=PASSWORD)

    async def test_changes_with_the_old_one_and_keeps_keys(
        self, client: ApiClient, iago: Person
    ) -> None:
        listener = await listen(client, iago)
        response = await client.patch(
            "/settings", iago, old_password=PASSWORD, new_password="battery staple"
        )
        assert assert_success(response) == {}
        assert await listener.new_events() == []
        old = await client.post("/fetch_api_key", username=iago.email, password=PASSWORD)
        assert_error(old, "AUTHENTICATION_FAILED", 401)
        new = await client.post("/fetch_api_key", username=iago.email, password="battery staple")
        assert_success(new)

    @pytest.mark.any_database
    @pytest.mark.parametrize("old_password", [{"old_password": "wrong"}, {}])
    async def test_needs_the_old_password(
        self, client: ApiClient, iago: Person, old_password: dict[str, str]
    ) -> None:
        response = await client.patch(
            "/settings", iago, new_password="battery staple", enter_sends=True, **old_password
        )
        assert assert_error(response) == "Wrong password!"
        assert (await own_settings(client, iago))["enter_sends"] is False

    async def test_account_without_password_cannot_set_one(
        self, client: ApiClient, member: Person
    ) -> None:
        response = await client.patch(
            "/settings", member, old_password="", new_password="battery staple"
        )
        assert assert_error(response) == "Wrong password!"

    @pytest.mark.any_database
    async def test_must_not_be_short(self, client: ApiClient, iago: Person) -> None:
        response = await client.patch("/settings", iago, old_password=PASSWORD, new_password="abc")
        assert assert_error(response) == "new_password is too short (at least: 6 characters)"

    @pytest.mark.any_database
    async def test_old_password_alone_changes_nothing(
        self, client: ApiClient, iago: Person
    ) -> None:
        assert_success(await client.patch("/settings", iago, old_password="wrong"))

    class TestLimit:
        @pytest.fixture
        def settings(self, database_url: str, tmp_path: Path) -> Settings:
            return make_settings(database_url, tmp_path, rate_limits="on", logins_per_minute=1)

        async def test_guesses_of_the_old_password_are_limited(
            self, client: ApiClient, make_user: MakeUser
        ) -> None:
            iago = await make_user(password=PASSWORD)
            guess = {"old_password": "wrong", "new_password": "battery staple"}
            assert assert_error(await client.patch("/settings", iago, **guess)) == "Wrong password!"
            assert_error(await client.patch("/settings", iago, **guess), "RATE_LIMIT_HIT", 429)
            assert_success(await client.patch("/settings", iago, enter_sends=True))


@pytest.mark.any_database
class TestState:
    async def test_has_every_setting(self, client: ApiClient, member: Person) -> None:
        settings = await own_settings(client, member)
        assert UserSettings.model_fields.keys() <= settings.keys()
        assert settings.keys() - UserSettings.model_fields.keys() == {
            "available_notification_sounds",
            "emojiset_choices",
            "timezone",
            "email_address_visibility",
        }
        assert settings["emojiset_choices"][0] == {"key": "google", "text": "Google"}

    async def test_defaults_are_those_of_a_new_account(
        self, client: ApiClient, member: Person
    ) -> None:
        assert_success(await client.patch("/settings", member, enter_sends=True))
        listener = await listen(client, member)
        defaults = listener.state["realm_user_settings_defaults"]
        settings = listener.state["user_settings"]
        assert defaults == {key: value for key, value in settings.items() if key != "timezone"} | {
            "enter_sends": False
        }

    async def test_old_clients_find_two_settings_at_the_top_level(
        self, client: ApiClient, member: Person
    ) -> None:
        assert_success(await client.patch("/settings", member, twenty_four_hour_time=True))
        old = await listen(
            client,
            member,
            fetch_event_types=["update_display_settings", "update_global_notifications"],
        )
        assert old.state["twenty_four_hour_time"] is True
        assert old.state["pm_content_in_desktop_notifications"] is True
        new = await listen(client, member, client_capabilities={"user_settings_object": True})
        assert "twenty_four_hour_time" not in new.state
        assert "pm_content_in_desktop_notifications" not in new.state

"""POST /users/me/status (SPEC 4.16), the administrators' endpoint, and visibility."""

from collections.abc import Awaitable
from typing import Any

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.roles import Role
from chatapi.core.system_groups import SystemGroup
from chatapi.main import ChatApp
from tests import factories
from tests.factories import MakeUser, Person
from tests.features.channels.channels import subscribe
from tests.features.emoji.adding import add_emoji
from tests.features.realm.settings import allow, change_realm
from tests.support.account_changes import deactivate
from tests.support.client import ApiClient
from tests.support.listening import Listener, listen
from tests.support.responses import ApiResponse, assert_error, assert_success

OWN = "/users/me/status"
CAR = {"emoji_name": "car", "emoji_code": "1f697", "reaction_type": "unicode_emoji"}
NO_EMOJI = {"emoji_name": "", "emoji_code": "", "reaction_type": "unicode_emoji"}


async def say(client: ApiClient, person: Person | None, **params: object) -> ApiResponse:
    return await client.post(OWN, person, **params)


async def status_of(client: ApiClient, reader: Person, person: Person) -> dict[str, Any]:
    response = await client.get(f"/users/{person.user_id}/status", reader)
    status: dict[str, Any] = assert_success(response)["status"]
    return status


async def statuses_seen_by(client: ApiClient, reader: Person) -> dict[str, Any]:
    """The statuses for a client that registers now."""
    listener = await listen(client, reader, fetch_event_types=["user_status"])
    return dict(listener.state["user_status"])


async def listen_to_statuses(client: ApiClient, person: Person) -> Listener:
    return await listen(client, person, event_types=["user_status", "user_settings"])


async def told(listener: Listener) -> list[dict[str, Any]]:
    return [
        {key: value for key, value in event.items() if key != "id"}
        for event in await listener.new_events()
    ]


class TestOwnStatus:
    @pytest.mark.any_database
    async def test_anonymous_is_refused(self, client: ApiClient, member: Person) -> None:
        assert_error(await say(client, None, status_text="here"), "UNAUTHORIZED", 401)
        response = await client.get(f"/users/{member.user_id}/status")
        assert_error(response, "UNAUTHORIZED", 401)

    @pytest.mark.any_database
    async def test_event_is_sent_to_all_users(
        self, client: ApiClient, member: Person, guest: Person
    ) -> None:
        listener = await listen_to_statuses(client, guest)
        response = await say(client, member, status_text=" on vacation ", emoji_name="car")
        assert assert_success(response) == {}
        status = {"status_text": "on vacation", **CAR}
        common = {"type": "user_status", "user_id": member.user_id}
        assert await told(listener) == [{**common, **status}]
        assert await status_of(client, guest, member) == status
        assert await status_of(client, member, member) == status
        assert await statuses_seen_by(client, guest) == {str(member.user_id): status}

    @pytest.mark.any_database
    async def test_values_not_passed_are_unchanged(self, client: ApiClient, member: Person) -> None:
        assert_success(await say(client, member, status_text="on vacation", emoji_name="car"))
        listener = await listen_to_statuses(client, member)
        assert_success(await say(client, member, status_text="at sea"))
        assert await status_of(client, member, member) == {"status_text": "at sea", **CAR}
        assert_success(await say(client, member, emoji_name="", status_text="at sea"))
        assert await status_of(client, member, member) == {"status_text": "at sea"}
        assert_success(await say(client, member, emoji_name="car"))
        assert_success(await say(client, member, status_text=""))
        assert await status_of(client, member, member) == CAR
        common = {"type": "user_status", "user_id": member.user_id}
        assert await told(listener) == [
            {**common, "status_text": "at sea"},
            {**common, **NO_EMOJI},
            {**common, **CAR},
            {**common, "status_text": ""},
        ]

    async def test_can_be_cleared(self, client: ApiClient, member: Person) -> None:
        assert_success(await say(client, member, status_text="on vacation", emoji_name="car"))
        # Some clients clear all parts of an emoji.
        nothing = {"emoji_name": "", "emoji_code": "", "reaction_type": ""}
        assert_success(await say(client, member, status_text="", **nothing))
        assert await status_of(client, member, member) == {}
        assert await statuses_seen_by(client, member) == {}

    async def test_unchanged_status_emits_no_event(self, client: ApiClient, member: Person) -> None:
        status = {"status_text": "on vacation", "away": False, **CAR}
        assert_success(await say(client, member, **status))
        listener = await listen_to_statuses(client, member)
        assert_success(await say(client, member, **status))
        assert await listener.new_events() == []

    async def test_length_is_limited_to_sixty_characters(
        self, client: ApiClient, member: Person
    ) -> None:
        assert_success(await say(client, member, status_text="é" * 60))
        response = await say(client, member, status_text="é" * 61)
        assert assert_error(response) == "status_text is too long (limit: 60 characters)"
        assert await status_of(client, member, member) == {"status_text": "é" * 60}

    @pytest.mark.any_database
    @pytest.mark.parametrize(
        ("params", "message"),
        [
            ({}, "Client did not pass any new values."),
            ({"emoji_code": "1f697"}, "must pass emoji_name"),
            ({"reaction_type": "unicode_emoji", "status_text": "x"}, "must pass emoji_name"),
            ({"emoji_name": "no_such_thing"}, "Emoji 'no_such_thing' does not exist"),
            ({**CAR, "emoji_name": "octopus"}, "Invalid emoji name"),
            ({**CAR, "emoji_code": "1f697-1f697"}, "Invalid emoji code"),
            ({**CAR, "reaction_type": "realm_emoji"}, "Invalid emoji code"),
            (
                {"emoji_name": "x", "emoji_code": "4711", "reaction_type": "realm_emoji"},
                "Invalid emoji code",
            ),
            ({**CAR, "reaction_type": "smoke_signal"}, "reaction_type"),
            ({"emoji_name": "x" * 101}, "emoji_name is too long (limit: 100 characters)"),
            ({"status_text": "a\0b"}, "status_text must not contain NUL characters"),
            ({"away": "maybe"}, 'Argument "away" is not valid JSON.'),
            ({"away": 1}, "away is not a boolean"),
        ],
    )
    async def test_refuses_bad_values(
        self, client: ApiClient, member: Person, params: dict[str, object], message: str
    ) -> None:
        assert_success(await say(client, member, status_text="before"))
        listener = await listen_to_statuses(client, member)
        assert message in assert_error(await say(client, member, **params))
        assert await listener.new_events() == []
        assert await status_of(client, member, member) == {"status_text": "before"}

    @pytest.mark.any_database
    async def test_is_all_or_nothing(self, client: ApiClient, member: Person) -> None:
        listener = await listen_to_statuses(client, member)
        wishes = {"away": True, "status_text": "after", "emoji_name": "no_such_thing"}
        assert_error(await say(client, member, **wishes))
        assert await listener.new_events() == []
        assert await status_of(client, member, member) == {}

    @pytest.mark.any_database
    async def test_accepts_all_kinds_of_emoji(
        self, client: ApiClient, owner: Person, member: Person
    ) -> None:
        added = await add_emoji(client, owner, "parrot")
        for params, shown in (
            ({"emoji_name": "parrot"}, ("parrot", added["id"], "realm_emoji")),
            (
                {
                    "emoji_name": "parrot",
                    "emoji_code": added["id"],
                    "reaction_type": "realm_emoji",
                },
                ("parrot", added["id"], "realm_emoji"),
            ),
            (CAR, ("car", "1f697", "unicode_emoji")),
            (
                {"emoji_name": "zulip", "reaction_type": "service_extra_emoji"},
                ("zulip", "zulip", "zulip_extra_emoji"),
            ),
            (
                {
                    "emoji_name": "zulip",
                    "emoji_code": "zulip",
                    "reaction_type": "zulip_extra_emoji",
                },
                ("zulip", "zulip", "zulip_extra_emoji"),
            ),
        ):
            assert_success(await say(client, member, **params))
            status = await status_of(client, member, member)
            assert (status["emoji_name"], status["emoji_code"], status["reaction_type"]) == shown

    async def test_refuses_a_custom_emoji_that_was_removed(
        self, client: ApiClient, owner: Person, member: Person
    ) -> None:
        added = await add_emoji(client, owner, "parrot")
        assert_success(await client.delete("/realm/emoji/parrot", owner))
        params = {"emoji_name": "parrot", "reaction_type": "realm_emoji"}
        assert_error(await say(client, member, **params))
        response = await say(client, member, **params, emoji_code=added["id"])
        assert assert_error(response) == "This custom emoji has been deactivated"

    @pytest.mark.any_database
    async def test_bots_have_none(
        self, client: ApiClient, make_user: MakeUser, member: Person
    ) -> None:
        bot = await make_user(bot_owner=member)
        assert assert_error(await say(client, bot, status_text="beep")) == "Bots have no status."
        assert await status_of(client, member, bot) == {}


@pytest.mark.any_database
class TestAway:
    async def test_is_the_opposite_of_a_setting(
        self, client: ApiClient, member: Person, admin: Person
    ) -> None:
        mine = await listen_to_statuses(client, member)
        theirs = await listen_to_statuses(client, admin)
        assert_success(await say(client, member, away=True, status_text="asleep"))
        status = {"type": "user_status", "user_id": member.user_id}
        setting = {"type": "user_settings", "op": "update", "property": "presence_enabled"}
        said = {**status, "away": True, "status_text": "asleep"}
        assert await told(mine) == [{**setting, "value": False}, said]
        assert await told(theirs) == [said]
        settings = (await listen(client, member)).state["user_settings"]
        assert settings["presence_enabled"] is False
        assert await status_of(client, admin, member) == {"away": True, "status_text": "asleep"}

        assert_success(await say(client, member, away=False))
        assert await told(mine) == [{**setting, "value": True}, {**status, "away": False}]
        assert await status_of(client, admin, member) == {"status_text": "asleep"}

    async def test_follows_the_setting(
        self, client: ApiClient, member: Person, admin: Person
    ) -> None:
        theirs = await listen_to_statuses(client, admin)
        assert_success(await client.patch("/settings", member, presence_enabled=False))
        status = {"type": "user_status", "user_id": member.user_id}
        assert await told(theirs) == [{**status, "away": True}]
        assert await status_of(client, admin, member) == {"away": True}
        assert await statuses_seen_by(client, admin) == {str(member.user_id): {"away": True}}
        assert_success(await client.patch("/settings", member, presence_enabled=True))
        assert await told(theirs) == [{**status, "away": False}]
        assert await statuses_seen_by(client, admin) == {}


@pytest.mark.any_database
class TestAdministrators:
    async def test_can_change_the_status_of_others(
        self, client: ApiClient, admin: Person, member: Person, guest: Person
    ) -> None:
        listener = await listen_to_statuses(client, guest)
        path = f"/users/{member.user_id}/status"
        assert_success(await client.post(path, admin, status_text="ill", emoji_name="car"))
        assert await status_of(client, guest, member) == {"status_text": "ill", **CAR}
        assert await status_of(client, guest, admin) == {}
        assert await told(listener) == [
            {"type": "user_status", "user_id": member.user_id, "status_text": "ill", **CAR}
        ]
        assert_success(await client.post(path, admin, emoji_name=""))
        assert await status_of(client, guest, member) == {"status_text": "ill"}

    async def test_cannot_set_others_away(
        self, client: ApiClient, admin: Person, member: Person
    ) -> None:
        response = await client.post(
            f"/users/{member.user_id}/status", admin, status_text="ill", away=True
        )
        assert assert_success(response)["ignored_parameters_unsupported"] == ["away"]
        assert await status_of(client, admin, member) == {"status_text": "ill"}

    @pytest.mark.parametrize("role", [Role.MODERATOR, Role.MEMBER, Role.GUEST])
    async def test_others_cannot(
        self, client: ApiClient, make_user: MakeUser, member: Person, role: Role
    ) -> None:
        person = await make_user(role)
        response = await client.post(f"/users/{member.user_id}/status", person, status_text="ill")
        assert_error(response, "UNAUTHORIZED_PRINCIPAL")
        assert await status_of(client, member, member) == {}

    async def test_bad_values_are_refused(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        make_user: MakeUser,
        admin: Person,
        member: Person,
    ) -> None:
        bot, gone = await make_user(bot_owner=admin), await make_user()
        await deactivate(runtime, realm, gone)
        for user_id, params, message in (
            (member.user_id, {}, "Client did not pass any new values."),
            (member.user_id, {"emoji_code": "1f697"}, "must pass emoji_name"),
            (member.user_id, {"emoji_name": "no_such_thing"}, "does not exist"),
            (bot.user_id, {"status_text": "ill"}, "Bots have no status."),
            (gone.user_id, {"status_text": "ill"}, "User is deactivated"),
            (4711, {"status_text": "ill"}, "No such user"),
        ):
            response = await client.post(f"/users/{user_id}/status", admin, **params)
            assert message in assert_error(response)


@pytest.mark.any_database
class TestVisibility:
    async def test_statuses_of_invisible_users_are_omitted(
        self,
        client: ApiClient,
        realm: RealmRecord,
        make_user: MakeUser,
        owner: Person,
        member: Person,
        guest: Person,
    ) -> None:
        friend = await make_user()
        await allow(client, owner, realm, can_access_all_users_group=SystemGroup.MEMBERS)
        people = [friend.user_id, guest.user_id]
        assert_success(await subscribe(client, owner, "friends", principals=people))
        listener = await listen_to_statuses(client, guest)
        for person in (member, friend, guest):
            assert_success(await say(client, person, status_text="here"))
        response = await client.get(f"/users/{member.user_id}/status", guest)
        assert assert_error(response) == "No such user"
        seen = {str(person.user_id) for person in (friend, guest)}
        assert set(await statuses_seen_by(client, guest)) == seen
        assert {str(event["user_id"]) for event in await told(listener)} == seen
        assert len(await statuses_seen_by(client, owner)) == 3

    async def test_users_of_other_realms_are_unknown(
        self, app: ChatApp, client: ApiClient, runtime: Runtime, realm: RealmRecord, member: Person
    ) -> None:
        other = await factories.make_realm(runtime, "Elsewhere", "elsewhere")
        stranger = await factories.make_user(runtime, other, Role.OWNER)
        there = ApiClient(app, "elsewhere.localhost")
        here = ApiClient(app, "acme.localhost")
        assert_success(await say(here, member, status_text="here"))
        for response in (
            await there.get(f"/users/{member.user_id}/status", stranger),
            await there.post(f"/users/{member.user_id}/status", stranger, status_text="x"),
        ):
            assert assert_error(response) == "No such user"
        assert await statuses_seen_by(there, stranger) == {}
        await here.aclose()
        await there.aclose()

    async def test_statuses_of_deactivated_users_are_omitted_for_new_clients(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, admin: Person, member: Person
    ) -> None:
        assert_success(await say(client, member, status_text="bye", away=True))
        await deactivate(runtime, realm, member)
        assert await statuses_seen_by(client, admin) == {}

    @pytest.mark.parametrize("presence_disabled", [False, True])
    async def test_new_clients_get_current_statuses_after_each_change(
        self,
        client: ApiClient,
        owner: Person,
        member: Person,
        presence_disabled: bool,
    ) -> None:
        """They are cached for all readers together."""
        await change_realm(client, owner, presence_disabled=presence_disabled)
        assert await statuses_seen_by(client, owner) == {}
        ill, away = {"status_text": "ill"}, {"away": True}
        path = f"/users/{member.user_id}"
        changes: list[tuple[Awaitable[ApiResponse], dict[str, Any]]] = [
            (say(client, member, status_text="ill"), ill),
            (client.patch("/settings", member, presence_enabled=False), {**ill, **away}),
            (client.post(f"{path}/status", owner, status_text=""), away),
            (say(client, member, away=False, status_text="ill"), ill),
            (client.delete(path, owner), {}),
            (client.post(f"{path}/reactivate", owner), ill),
        ]
        for change, status in changes:
            assert_success(await change)
            shown = {str(member.user_id): status} if status else {}
            assert await statuses_seen_by(client, owner) == shown

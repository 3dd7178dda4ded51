"""POST /register without an account, in organizations with web-public channels."""

from typing import Any

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.settings import Settings
from tests.factories import MakeChannel, Person
from tests.support.apps import StartApp
from tests.support.client import ApiClient
from tests.support.listening import listen
from tests.support.realm_settings import set_realm_settings
from tests.support.responses import assert_error, assert_success


@pytest.fixture
async def open_realm(runtime: Runtime, realm: RealmRecord) -> RealmRecord:
    await set_realm_settings(
        runtime, realm, enable_spectator_access=True, welcome_message_custom_text="The key is 1234"
    )
    return realm


async def state_of_visitor(client: ApiClient, **params: object) -> dict[str, Any]:
    return assert_success(await client.post("/register", None, **params))


@pytest.mark.any_database
class TestAccess:
    async def test_is_refused_where_nothing_is_open(
        self, client: ApiClient, member: Person
    ) -> None:
        del member
        assert_error(await client.post("/register"), "UNAUTHORIZED", 401)

    async def test_is_refused_where_the_server_shows_nothing(
        self, start_app: StartApp, settings: Settings, open_realm: RealmRecord
    ) -> None:
        del open_realm
        closed = settings.model_copy(update={"web_public_streams_enabled": False})
        client = ApiClient(await start_app(settings=closed))
        assert_error(await client.post("/register"), "UNAUTHORIZED", 401)
        await client.aclose()

    async def test_wrong_credentials_are_refused(
        self, client: ApiClient, open_realm: RealmRecord, member: Person
    ) -> None:
        del open_realm
        wrong = Person(member.user_id, member.email, "x" * 32)
        assert_error(await client.post("/register", wrong), "UNAUTHORIZED", 401)


@pytest.mark.any_database
class TestState:
    async def test_settings_for_users_only_are_hidden_after_a_user_has_read_them(
        self, client: ApiClient, open_realm: RealmRecord, member: Person
    ) -> None:
        del open_realm
        key = "realm_welcome_message_custom_text"
        read = assert_success(await client.post("/register", member))
        assert (read[key], (await state_of_visitor(client))[key]) == ("The key is 1234", "")

    async def test_has_every_key_that_users_get(
        self, client: ApiClient, open_realm: RealmRecord, member: Person
    ) -> None:
        del open_realm
        known = {"user_settings_object": True}
        of_user = (await listen(client, member, client_capabilities=known)).state
        of_visitor = await state_of_visitor(client)
        assert of_user.keys() - of_visitor.keys() == {"idle_queue_timeout_secs"}
        assert of_visitor["queue_id"] is None
        assert of_visitor["last_event_id"] == -1

    async def test_shows_web_public_channels_only(
        self,
        client: ApiClient,
        open_realm: RealmRecord,
        owner: Person,
        make_channel: MakeChannel,
    ) -> None:
        del open_realm
        channel = await make_channel("open", subscribers=[owner], is_web_public=True)
        await make_channel("inside", subscribers=[owner])
        state = await state_of_visitor(client, include_subscribers="true")
        assert [each["stream_id"] for each in state["streams"]] == [channel.id]
        [known] = state["never_subscribed"]
        assert known["stream_id"] == channel.id
        assert "subscribers" not in known
        assert state["subscriptions"] == state["unsubscribed"] == []

    async def test_shows_no_addresses_and_nothing_of_users_only(
        self, client: ApiClient, open_realm: RealmRecord, owner: Person
    ) -> None:
        del open_realm
        state = await state_of_visitor(client)
        assert owner.email not in str(state)
        assert "1234" not in str(state)
        seen = (await listen(client, owner)).state
        assert seen["realm_welcome_message_custom_text"] == "The key is 1234"
        shown = {each["user_id"]: each["email"] for each in state["realm_users"]}
        assert shown[owner.user_id] == f"user{owner.user_id}@acme.localhost"
        assert all(group["members"] == [] for group in state["realm_user_groups"])

    async def test_visitor_has_no_user(self, client: ApiClient, open_realm: RealmRecord) -> None:
        del open_realm
        state = await state_of_visitor(client)
        assert state["user_id"] == -1
        assert not any(state[name] for name in state if name.startswith(("is_", "can_")))
        assert state["unread_msgs"]["count"] == 0

    async def test_only_requested_parts_are_returned(
        self, client: ApiClient, open_realm: RealmRecord
    ) -> None:
        del open_realm
        state = await state_of_visitor(client, fetch_event_types=["alert_words"])
        assert state["alert_words"] == []
        assert "realm_name" not in state
        assert "drafts" not in state

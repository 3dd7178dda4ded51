"""POST /register: the requested parts of the state as of one moment, and a queue."""

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.core.version import FEATURE_LEVEL, VERSION
from tests.factories import Person
from tests.support.apps import StartApp
from tests.support.client import ApiClient, encode_form
from tests.support.listening import listen
from tests.support.responses import assert_error, assert_success

QUEUE_KEYS = {
    "queue_id",
    "last_event_id",
    "idle_queue_timeout_secs",
    "service_feature_level",
    "zulip_feature_level",
    "service_version",
    "zulip_version",
    "service_merge_base",
    "zulip_merge_base",
}


@pytest.mark.any_database
class TestRegister:
    async def test_anonymous(self, client: ApiClient, realm: RealmRecord) -> None:
        assert_error(await client.post("/register"), "UNAUTHORIZED", 401)

    async def test_returns_the_whole_state_by_default(
        self, client: ApiClient, member: Person
    ) -> None:
        state = assert_success(await client.post("/register", member))
        assert state.keys() > QUEUE_KEYS | {"realm_users", "user_settings", "realm_name"}
        assert state["zulip_feature_level"] == state["service_feature_level"] == FEATURE_LEVEL
        assert state["zulip_version"] == state["service_version"] == VERSION
        assert state["idle_queue_timeout_secs"] == 6 * 3600

    async def test_returns_the_state_of_the_requested_event_types(
        self, client: ApiClient, member: Person
    ) -> None:
        state = assert_success(await client.post("/register", member, event_types=["realm_user"]))
        assert "realm_users" in state
        assert "user_settings" not in state

    async def test_fetch_event_types_may_differ_from_event_types(
        self, client: ApiClient, member: Person
    ) -> None:
        asked = {"event_types": ["realm_user"], "fetch_event_types": ["user_settings"]}
        state = assert_success(await client.post("/register", member, **asked))
        assert "realm_users" not in state
        assert "user_settings" in state

    async def test_empty_fetch_event_types_return_no_state(
        self, client: ApiClient, member: Person
    ) -> None:
        state = assert_success(await client.post("/register", member, fetch_event_types=[]))
        assert state.keys() == QUEUE_KEYS

    async def test_unknown_types_are_ignored(self, client: ApiClient, member: Person) -> None:
        asked = ["realm_user", "of_the_future"]
        state = assert_success(await client.post("/register", member, fetch_event_types=asked))
        assert "realm_users" in state

    async def test_queues_differ(self, client: ApiClient, member: Person) -> None:
        queues = {(await client.post("/register", member))["queue_id"] for _ in range(3)}
        assert len(queues) == 3

    async def test_accepts_parameters_of_existing_clients(
        self, client: ApiClient, member: Person
    ) -> None:
        response = await client.post(
            "/register",
            member,
            apply_markdown=True,
            client_gravatar=True,
            slim_presence=False,
            include_subscribers=True,
            narrow=[["is", "private"], {"operator": "is", "operand": "unread"}],
            client_capabilities={"notification_settings_null": True, "unheard_of": True},
            event_types=["message"],
        )
        assert "ignored_parameters_unsupported" not in assert_success(response)

    async def test_guests_get_no_events_of_unsubscribed_channels(
        self, client: ApiClient, guest: Person
    ) -> None:
        response = await client.post("/register", guest, all_public_streams=True)
        assert "all_public_streams" in assert_error(response)

    async def test_ignored_parameters_are_listed(self, client: ApiClient, member: Person) -> None:
        response = await client.post("/register", member, zebra=1)
        assert response["ignored_parameters_unsupported"] == ["zebra"]

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("event_types", "realm_user"),
            ("event_types", [1]),
            ("fetch_event_types", {}),
            ("apply_markdown", "yes"),
            ("include_subscribers", "some"),
            ("idle_queue_timeout", 0),
            ("idle_queue_timeout", '"tablet"'),
            ("narrow", "everything"),
            ("narrow", ["x"]),
            ("narrow", "[" * 300 + "]" * 300),
            ("client_capabilities", []),
        ],
    )
    async def test_wrong_parameters_are_named(
        self, client: ApiClient, member: Person, name: str, value: object
    ) -> None:
        response = await client.call("POST", "/register", member, data=encode_form({name: value}))
        assert name in assert_error(response)


class TestPollWithoutWaiting:
    """GET /events with dont_block, in a process that no bus tells what others have committed."""

    async def test_returns_events_that_another_process_has_committed(
        self, client: ApiClient, start_app: StartApp, member: Person
    ) -> None:
        elsewhere = ApiClient(await start_app())
        listener = await listen(client, member, event_types=["message"])
        for _ in range(20):
            sent = await elsewhere.post(
                "/messages", member, type="direct", to=[member.user_id], content="Hello"
            )
            (event,) = await listener.new_events()
            assert event["message"]["id"] == assert_success(sent)["id"]

    async def test_returns_them_after_events_that_it_knew(
        self, client: ApiClient, start_app: StartApp, member: Person
    ) -> None:
        elsewhere = ApiClient(await start_app())
        listener = await listen(client, member, event_types=["message"])
        for count in range(1, 20):
            await elsewhere.post(
                "/messages", member, type="direct", to=[member.user_id], content="Hello"
            )
            # Not acknowledged, so that all of them are returned again.
            assert len((await listener.poll(dont_block=True))["events"]) == count

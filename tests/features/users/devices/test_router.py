"""POST /register_client_device, /remove_client_device, /mobile_push/... and push tokens."""

from typing import Any

import pytest
from sqlalchemy import select

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.db.models import PushToken
from tests.factories import Person
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.listening import listen
from tests.support.responses import assert_error, assert_success
from tests.support.statements import recorded_statements

NOTHING = {
    "push_key_id": None,
    "push_token_id": None,
    "pending_push_token_id": None,
    "push_token_last_updated_timestamp": None,
    "push_registration_error_code": None,
}
KEY = {"push_key_id": 7, "push_key": "a2V5"}
TOKEN = {
    "token_kind": "fcm",
    "token_id": "dG9rZW4=",
    "bouncer_public_key": "cHVi",
    "encrypted_push_registration": "c2VjcmV0",
}


async def add_device(client: ApiClient, person: Person) -> int:
    added = assert_success(await client.post("/register_client_device", person))
    return int(added["device_id"])


async def devices_of(client: ApiClient, person: Person) -> dict[str, Any]:
    state = (await listen(client, person, fetch_event_types=["device"])).state
    devices: dict[str, Any] = state["devices"]
    return devices


class TestDevices:
    @pytest.mark.any_database
    async def test_anonymous(self, client: ApiClient, realm: RealmRecord) -> None:
        del realm
        assert_error(await client.post("/register_client_device"), "UNAUTHORIZED", 401)

    async def test_is_added_and_removed_with_events(
        self, client: ApiClient, member: Person, guest: Person
    ) -> None:
        own = await listen(client, member, event_types=["device"])
        other = await listen(client, guest, event_types=["device"])
        device = await add_device(client, member)
        assert await devices_of(client, member) == {str(device): NOTHING}
        assert await devices_of(client, guest) == {}
        assert_success(await client.post("/remove_client_device", member, device_id=device))
        assert await devices_of(client, member) == {}
        kinds = [(event["op"], event["device_id"]) for event in await own.new_events()]
        assert kinds == [("add", device), ("remove", device)]
        assert await other.new_events() == []

    @pytest.mark.any_database
    async def test_of_others_and_unknown_ones_are_invalid(
        self, client: ApiClient, member: Person, guest: Person
    ) -> None:
        device = await add_device(client, guest)
        for wrong in (device, 4711, 2**63 - 1):
            refused = await client.post("/remove_client_device", member, device_id=wrong)
            assert assert_error(refused) == "Invalid device_id"
        missing = await client.post("/remove_client_device", member)
        assert assert_error(missing) == "Missing 'device_id' argument"

    @pytest.mark.any_database
    async def test_number_is_limited(self, client: ApiClient, member: Person) -> None:
        for _ in range(100):
            await add_device(client, member)
        refused = await client.post("/register_client_device", member)
        assert assert_error(refused) == "Too many devices (maximum 100)"

    async def test_user_without_devices_costs_no_statement(
        self, client: ApiClient, runtime: Runtime, member: Person
    ) -> None:
        with recorded_statements(runtime.database, "device") as statements:
            assert await devices_of(client, member) == {}
        assert [each for each in statements if "FROM device" in each] == []


class TestPushRegistration:
    async def test_key_and_token_are_stored_and_stay_pending(
        self, client: ApiClient, member: Person, clock: MovableClock
    ) -> None:
        device = await add_device(client, member)
        listener = await listen(client, member, event_types=["device"])
        values = {"device_id": device, **KEY, **TOKEN}
        assert_success(await client.post("/mobile_push/register", member, **values))
        registered = {
            **NOTHING,
            "push_key_id": 7,
            "pending_push_token_id": "dG9rZW4=",
            "push_token_last_updated_timestamp": int(clock.now().timestamp()),
        }
        [event] = await listener.new_events()
        assert event == {
            "id": event["id"],
            "type": "device",
            "op": "update",
            "device_id": device,
            **registered,
        }
        assert await devices_of(client, member) == {str(device): registered}

    @pytest.mark.any_database
    @pytest.mark.parametrize(
        "values", [{}, {"push_key_id": 7}, {"push_key": "a2V5"}, {**KEY, "token_kind": "fcm"}]
    )
    async def test_incomplete_registration_is_refused(
        self, client: ApiClient, member: Person, values: dict[str, object]
    ) -> None:
        device = await add_device(client, member)
        refused = await client.post("/mobile_push/register", member, device_id=device, **values)
        assert assert_error(refused).startswith("Missing parameters")
        assert await devices_of(client, member) == {str(device): NOTHING}

    @pytest.mark.any_database
    async def test_token_needs_a_key(self, client: ApiClient, member: Person) -> None:
        device = await add_device(client, member)
        refused = await client.post("/mobile_push/register", member, device_id=device, **TOKEN)
        assert assert_error(refused) == "push_key: The device has no key yet"

    async def test_test_notification_says_that_nothing_is_sent(
        self, client: ApiClient, member: Person
    ) -> None:
        path = "/mobile_push/e2ee/test_notification"
        assert_error(await client.post(path, member), "NO_ACTIVE_PUSH_DEVICE")
        device = await add_device(client, member)
        values = {"device_id": device, **KEY, **TOKEN}
        assert_success(await client.post("/mobile_push/register", member, **values))
        assert_error(await client.post(path, member), "PUSH_SERVICE_NOT_CONFIGURED")
        refused = await client.post(path, member, device_id=device + 1)
        assert_error(refused, "NO_ACTIVE_PUSH_DEVICE")


class TestTokens:
    @pytest.mark.parametrize(
        ("path", "extra"),
        [
            ("/users/me/android_gcm_reg_id", {}),
            ("/users/me/apns_device_token", {"appid": "org.example"}),
        ],
    )
    async def test_token_is_stored_and_removed(
        self,
        client: ApiClient,
        runtime: Runtime,
        member: Person,
        path: str,
        extra: dict[str, object],
    ) -> None:
        for _ in range(2):
            assert_success(await client.post(path, member, token="abc", **extra))
        assert await tokens_of(runtime, member) == ["abc"]
        refused = await client.post("/mobile_push/test_notification", member, token="abc")
        assert_error(refused, "PUSH_SERVICE_NOT_CONFIGURED")
        assert_success(await client.delete(path, member, token="abc"))
        assert await tokens_of(runtime, member) == []
        refused = await client.delete(path, member, token="abc")
        assert assert_error(refused) == "token: Token does not exist"
        refused = await client.post("/mobile_push/test_notification", member, token="abc")
        assert_error(refused, "INVALID_PUSH_DEVICE_TOKEN")

    @pytest.mark.any_database
    async def test_empty_token_is_refused(self, client: ApiClient, member: Person) -> None:
        refused = await client.post("/users/me/android_gcm_reg_id", member, token="")
        assert assert_error(refused) == "token cannot be empty"


async def tokens_of(runtime: Runtime, person: Person) -> list[str]:
    async with runtime.reading() as db:
        rows = await db.execute(select(PushToken.token).where(PushToken.user_id == person.user_id))
        return list(rows.scalars())

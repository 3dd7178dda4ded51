"""A permission that is newer than the stored rows and events has its default, on both databases.

A row that lacks the value of a permission is a row from before the permission existed.
"""

from typing import Any

import orjson
import pytest
from sqlalchemy import select, update

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.system_groups import SystemGroup
from chatapi.db.models import Channel, EventRow, Realm, UserGroup
from chatapi.db.session import DatabaseSession
from chatapi.http.route import API_PREFIX
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.groups.groups import GROUPS, add_group, all_groups, deactivate_group, unnamed
from tests.features.messages.fetch.conversations import send
from tests.support.apps import StartApp
from tests.support.client import ApiClient, basic_auth
from tests.support.listening import Listener, listen
from tests.support.responses import assert_error, assert_success

CREATOR = "creator"
CHANNEL_DEFAULTS = {
    "can_add_subscribers_group": SystemGroup.NOBODY,
    "can_administer_channel_group": CREATOR,
    "can_create_topic_group": SystemGroup.EVERYONE,
    "can_delete_any_message_group": SystemGroup.NOBODY,
    "can_delete_own_message_group": SystemGroup.NOBODY,
    "can_move_messages_out_of_channel_group": SystemGroup.NOBODY,
    "can_move_messages_within_channel_group": SystemGroup.NOBODY,
    "can_remove_subscribers_group": SystemGroup.ADMINISTRATORS,
    "can_resolve_topics_group": SystemGroup.NOBODY,
    "can_send_message_group": SystemGroup.EVERYONE,
    "can_subscribe_group": SystemGroup.NOBODY,
}
GROUP_DEFAULTS = {
    "can_add_members_group": CREATOR,
    "can_join_group": SystemGroup.NOBODY,
    "can_leave_group": SystemGroup.EVERYONE,
    "can_manage_group": CREATOR,
    "can_mention_group": SystemGroup.EVERYONE,
    "can_remove_members_group": SystemGroup.NOBODY,
}


async def forget(runtime: Runtime, table: type[Channel | UserGroup | Realm], *names: str) -> None:
    """Remove the values of some permissions from all rows."""
    async with DatabaseSession(runtime.database) as db:
        await db.write()
        for row_id, settings in (await db.execute(select(table.id, table.settings))).all():
            kept = {name: value for name, value in settings.items() if name not in names}
            await db.execute(update(table).where(table.id == row_id).values(settings=kept))
        await db.commit()


def expected(realm: RealmRecord, creator: Person | None, default: str) -> Any:
    if default is not CREATOR:
        return realm.system_groups[default]
    return realm.system_groups[SystemGroup.NOBODY] if creator is None else unnamed([creator])


@pytest.fixture
async def later(start_app: StartApp) -> ApiClient:
    """A client of a process that has read nothing yet."""
    return ApiClient(await start_app())


class TestOfAChannel:
    @pytest.mark.parametrize("name", CHANNEL_DEFAULTS)
    async def test_without_a_stored_value_the_default_is_shown_and_can_be_changed(
        self,
        later: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        owner: Person,
        make_channel: MakeChannel,
        name: str,
    ) -> None:
        channel = await make_channel("old", invite_only=True, subscribers=[owner])
        await forget(runtime, Channel, name)
        default = expected(realm, owner, CHANNEL_DEFAULTS[name])
        listener = await listen(later, owner)
        [subscription] = listener.state["subscriptions"]
        assert subscription[name] == default
        await send(later, owner, channel)
        change = {"new": realm.system_groups[SystemGroup.MODERATORS], "old": default}
        path = f"/streams/{channel.id}"
        assert_success(await later.patch(path, owner, **{name: change}))
        shown = assert_success(await later.get(path, owner))["stream"]
        assert shown[name] == realm.system_groups[SystemGroup.MODERATORS]
        changed = [event for event in await listener.new_events() if event["type"] == "stream"]
        assert [event["value"] for event in changed if event["property"] == name] == [shown[name]]

    async def test_without_any_stored_value_the_defaults_decide(
        self,
        later: ApiClient,
        runtime: Runtime,
        owner: Person,
        member: Person,
        make_user: MakeUser,
        make_channel: MakeChannel,
    ) -> None:
        other = await make_user()
        channel = await make_channel("old", subscribers=[member])
        await forget(runtime, Channel, *CHANNEL_DEFAULTS)
        await send(later, member, channel)
        removal = {"subscriptions": ["old"], "principals": [member.user_id]}
        response = await later.delete("/users/me/subscriptions", other, **removal)
        assert assert_error(response) == "Insufficient permission"
        response = await later.patch(f"/streams/{channel.id}", other, description="new")
        assert assert_error(response) == "Insufficient permission"
        assert_success(await later.patch(f"/streams/{channel.id}", owner, description="new"))
        assert_success(await later.delete("/users/me/subscriptions", owner, **removal))

    async def test_default_for_the_creator_of_a_channel_without_creator_is_nobody(
        self,
        later: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        make_channel: MakeChannel,
        member: Person,
    ) -> None:
        channel = await make_channel("old", subscribers=[member])
        await forget(runtime, Channel, *CHANNEL_DEFAULTS)
        async with DatabaseSession(runtime.database) as db:
            await db.write()
            await db.execute(update(Channel).values(creator_id=None))
            await db.commit()
        shown = assert_success(await later.get(f"/streams/{channel.id}", member))["stream"]
        for name, default in CHANNEL_DEFAULTS.items():
            assert shown[name] == expected(realm, None, default)


class TestOfAGroup:
    @pytest.mark.parametrize("name", GROUP_DEFAULTS)
    async def test_without_a_stored_value_the_default_is_shown_and_can_be_changed(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        member: Person,
        make_channel: MakeChannel,
        name: str,
    ) -> None:
        channel = await make_channel("talk", subscribers=[member])
        group_id = await add_group(client, member, [member], name="old")
        await forget(runtime, UserGroup, name)
        default = expected(realm, member, GROUP_DEFAULTS[name])
        listener = await listen(client, member)
        groups = {group["id"]: group for group in listener.state["realm_user_groups"]}
        assert groups[group_id][name] == default
        for system_group_id in realm.system_groups.values():
            assert groups[system_group_id][name] == realm.system_groups[SystemGroup.NOBODY]
        await send(client, member, channel, content="@*old*")
        moderators = realm.system_groups[SystemGroup.MODERATORS]
        change = {"new": moderators, "old": default}
        assert_success(await client.patch(f"{GROUPS}/{group_id}", member, **{name: change}))
        assert (await all_groups(client, member))[group_id][name] == moderators
        [event] = [e for e in await listener.new_events() if e["type"] == "user_group"]
        assert event["data"] == {name: moderators}

    async def test_without_any_stored_value_the_defaults_decide(
        self, client: ApiClient, runtime: Runtime, member: Person, make_user: MakeUser
    ) -> None:
        other = await make_user()
        group_id = await add_group(client, member, [other])
        await forget(runtime, UserGroup, *GROUP_DEFAULTS)
        path = f"{GROUPS}/{group_id}"
        response = await client.patch(path, other, description="new")
        assert assert_error(response) == "Insufficient permission"
        assert_success(await client.post(f"{path}/members", other, delete=[other.user_id]))
        response = await client.post(f"{path}/members", other, add=[other.user_id])
        assert assert_error(response) == "Insufficient permission"
        assert_success(await client.patch(path, member, description="new"))
        await deactivate_group(client, member, group_id)
        assert_success(await client.patch(path, member, deactivated=False))


class TestOfTheOrganization:
    async def test_without_a_stored_value_the_default_decides_and_can_be_changed(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, owner: Person, member: Person
    ) -> None:
        name = "can_create_groups"
        await forget(runtime, Realm, name)
        listener = await listen(client, member)
        members = realm.system_groups[SystemGroup.MEMBERS]
        assert listener.state[f"realm_{name}"] == members
        await add_group(client, member)
        change = {"new": realm.system_groups[SystemGroup.MODERATORS], "old": members}
        assert_success(await client.patch("/realm", owner, **{name: change}))
        response = await client.post(
            f"{GROUPS}/create", member, name="late", description="", members=[]
        )
        assert assert_error(response) == "Insufficient permission"


class TestOfLoggedEvents:
    @staticmethod
    async def forget_in_log(runtime: Runtime, *names: str) -> None:
        """Make the log one that was written before the permissions existed."""

        def without(part: Any) -> Any:
            if isinstance(part, list):
                return [without(item) for item in part]
            if not isinstance(part, dict):
                return part
            return {name: without(value) for name, value in part.items() if name not in names}

        async with DatabaseSession(runtime.database) as db:
            await db.write()
            for number, body in (await db.execute(select(EventRow.number, EventRow.body))).all():
                older = orjson.dumps(without(orjson.loads(body))).decode()
                await db.execute(
                    update(EventRow).where(EventRow.number == number).values(body=older)
                )
            await db.commit()

    @staticmethod
    async def read_unchecked(
        client: ApiClient, person: Person, listener: Listener
    ) -> dict[tuple[str, str | None], dict[str, Any]]:
        """The events of a queue, which lack keys that the OpenAPI document requires."""
        response = await client.http.get(
            f"{API_PREFIX}/events",
            auth=basic_auth(person),
            params={"queue_id": listener.queue_id, "last_event_id": listener.last_event_id},
        )
        return {(event["type"], event.get("op")): event for event in response.json()["events"]}

    async def test_event_from_before_a_permission_reaches_clients(
        self, client: ApiClient, start_app: StartApp, runtime: Runtime, member: Person
    ) -> None:
        listener = await listen(client, member)
        created = await client.post(
            "/channels/create", member, name="old", subscribers=[member.user_id]
        )
        assert_success(created)
        await add_group(client, member, name="old")
        await self.forget_in_log(runtime, *CHANNEL_DEFAULTS, *GROUP_DEFAULTS)
        events = await self.read_unchecked(ApiClient(await start_app()), member, listener)
        assert events["stream", "create"]["streams"][0]["name"] == "old"
        assert events["subscription", "add"]["subscriptions"][0]["name"] == "old"
        assert events["user_group", "add"]["group"]["name"] == "old"
        assert "can_send_message_group" not in events["stream", "create"]["streams"][0]

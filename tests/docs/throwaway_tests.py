"""The tests of the feature that tests/docs/throwaway_feature.py writes."""

ROUTER_TEST = '''\
"""POST /announcements."""

from chatapi.auth.realm_cache import RealmRecord
from chatapi.core.roles import Role
from chatapi.core.system_groups import SystemGroup
from tests.factories import MakeUser, Person
from tests.features.realm.settings import allow
from tests.support.client import ApiClient
from tests.support.listening import listen
from tests.support.responses import assert_error, assert_success

PATH = "/announcements"
NAME = "can_announce_group"


class TestAddAnnouncement:
    async def test_anonymous_is_refused(self, client: ApiClient, member: Person) -> None:
        assert_error(await client.post(PATH, content="Hello"), "UNAUTHORIZED", 401)

    async def test_missing_content_is_refused(self, client: ApiClient, owner: Person) -> None:
        assert "'content'" in assert_error(await client.post(PATH, owner))

    async def test_unknown_parameter_is_reported(self, client: ApiClient, owner: Person) -> None:
        added = assert_success(await client.post(PATH, owner, content="Hello", color="red"))
        assert added["ignored_parameters_unsupported"] == ["color"]

    async def test_event_and_state_have_the_announcement(
        self, client: ApiClient, owner: Person, guest: Person
    ) -> None:
        listener = await listen(client, guest, event_types=["announcement"])
        assert listener.state["announcements"] == []
        added = assert_success(await client.post(PATH, owner, content="Hello"))
        shown = {"id": added["id"], "author_id": owner.user_id, "content": "Hello"}
        [event] = await listener.new_events()
        assert (event["type"], event["op"]) == ("announcement", "add")
        assert event["announcement"] == shown
        assert (await listen(client, guest)).state["announcements"] == [shown]

    async def test_permission_has_its_default_and_can_be_changed(
        self,
        client: ApiClient,
        realm: RealmRecord,
        owner: Person,
        member: Person,
        make_user: MakeUser,
    ) -> None:
        state = (await listen(client, member)).state
        assert state[f"realm_{NAME}"] == realm.system_groups[SystemGroup.MODERATORS]
        supported = state["server_supported_permission_settings"]["realm"][NAME]
        assert supported["default_group_name"] == "role:moderators"
        response = await client.post(PATH, member, content="Hello")
        assert assert_error(response) == "Insufficient permission"
        moderator = await make_user(Role.MODERATOR)
        assert_success(await client.post(PATH, moderator, content="Hello"))
        listener = await listen(client, member)
        await allow(client, owner, realm, **{NAME: SystemGroup.MEMBERS})
        [event] = await listener.new_events()
        assert event["data"] == {NAME: realm.system_groups[SystemGroup.MEMBERS]}
        assert_success(await client.post(PATH, member, content="Hello"))

    async def test_limit_is_reported(self, client: ApiClient, owner: Person) -> None:
        for content in "12345":
            assert_success(await client.post(PATH, owner, content=content))
        response = await client.post(PATH, owner, content="6")
        assert_error(response, "TOO_MANY_ANNOUNCEMENTS")
        assert response["limit"] == 5
'''

PERMISSIONS_TEST = '''\
"""Permissions that are newer than a channel and a group."""

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.system_groups import SystemGroup
from chatapi.db.models import Channel, UserGroup
from tests.factories import MakeChannel, Person
from tests.features.groups.groups import GROUPS, add_group, unnamed
from tests.permissions.test_new_permissions import forget
from tests.support.client import ApiClient
from tests.support.listening import listen
from tests.support.responses import assert_success

OF_CHANNEL = "can_announce_in_channel_group"
OF_GROUP = "can_announce_to_group"


async def test_rows_from_before_have_the_defaults_and_can_be_changed(
    client: ApiClient,
    runtime: Runtime,
    realm: RealmRecord,
    owner: Person,
    make_channel: MakeChannel,
) -> None:
    channel = await make_channel("old", subscribers=[owner])
    group_id = await add_group(client, owner)
    await forget(runtime, Channel, OF_CHANNEL)
    await forget(runtime, UserGroup, OF_GROUP)
    listener = await listen(client, owner)
    assert listener.state["subscriptions"][0][OF_CHANNEL] == unnamed([owner])
    groups = {group["id"]: group for group in listener.state["realm_user_groups"]}
    assert groups[group_id][OF_GROUP] == realm.system_groups[SystemGroup.MEMBERS]
    nobody = realm.system_groups[SystemGroup.NOBODY]
    assert groups[nobody][OF_GROUP] == nobody
    for path, name in ((f"/streams/{channel.id}", OF_CHANNEL), (f"{GROUPS}/{group_id}", OF_GROUP)):
        assert_success(await client.patch(path, owner, **{name: {"new": nobody}}))
    of_channel, of_group = await listener.new_events()
    assert (of_channel["property"], of_channel["value"]) == (OF_CHANNEL, nobody)
    assert of_group["data"] == {OF_GROUP: nobody}
'''

MATRIX_ROW = """\
POST   /announcements                           ok ok    ok    no    no    no    no    -  -  -
"""

CLIENT_VIEW = """\
@applies("announcement")
def add_announcement(view: View, event: Event) -> None:
    if view.knows("announcements"):
        view.state["announcements"].append(event["announcement"])


"""

EXAMPLE_CALL = """\
    await call(ada, "POST /announcements", content="Lunch is ready.")
"""

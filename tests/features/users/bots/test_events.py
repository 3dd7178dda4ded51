"""Events about bots for their owners and administrators, on both databases."""

from typing import Any

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.roles import Role
from tests.factories import MakeUser, Person
from tests.support.account_changes import change_role
from tests.support.client import ApiClient
from tests.support.listening import Listener, listen
from tests.support.responses import assert_success

BOT = {"full_name": "Weather", "short_name": "weather"}


def shown(user_id: int) -> dict[str, Any]:
    return {
        "user_id": user_id,
        "default_sending_stream": None,
        "default_events_register_stream": None,
        "default_all_public_streams": False,
        "services": [],
    }


async def add_bot(client: ApiClient, owner: Person, **params: object) -> int:
    created = assert_success(await client.post("/bots", owner, **{**BOT, **params}))
    return int(created["user_id"])


async def hear(client: ApiClient, person: Person) -> Listener:
    return await listen(client, person, event_types=["realm_bot"], fetch_event_types=[])


async def told(listener: Listener) -> list[tuple[str, dict[str, Any]]]:
    return [(event["op"], event["bot"]) for event in await listener.new_events()]


@pytest.fixture
async def heir(make_user: MakeUser) -> Person:
    return await make_user()


@pytest.mark.any_database
class TestEvents:
    async def test_owner_and_administrators_get_one_event(
        self, client: ApiClient, owner: Person, admin: Person, member: Person, heir: Person
    ) -> None:
        listeners = {who: await hear(client, who) for who in (owner, admin, member, heir)}
        bot = await add_bot(client, member)
        assert_success(await client.delete(f"/bots/{bot}", member))
        assert_success(await client.post(f"/users/{bot}/reactivate", admin))
        for who, listener in listeners.items():
            # The end of a bot is the end of its user, which all users are told.
            news = [("add", shown(bot)), ("add", shown(bot))]
            assert await told(listener) == ([] if who is heir else news)

    async def test_an_administrators_own_bot(self, client: ApiClient, admin: Person) -> None:
        listener = await hear(client, admin)
        bot = await add_bot(client, admin)
        assert await told(listener) == [("add", shown(bot))]

    async def test_all_users_get_the_user_event(
        self, client: ApiClient, member: Person, guest: Person
    ) -> None:
        listener = await listen(client, guest, fetch_event_types=[])
        bot = await add_bot(client, member)
        kinds = [(event["type"], event["op"]) for event in await listener.new_events()]
        assert kinds == [("realm_user", "add"), ("user_group", "add_members")]
        assert_success(await client.patch(f"/bots/{bot}", member, full_name="Climate"))
        (event,) = await listener.new_events()
        assert event["person"] == {"user_id": bot, "full_name": "Climate"}

    async def test_transfer_emits_add_delete_and_update(
        self, client: ApiClient, admin: Person, member: Person, heir: Person, guest: Person
    ) -> None:
        bot = await add_bot(client, member)
        listeners = [await hear(client, who) for who in (admin, member, heir, guest)]
        everybody = await listen(client, guest, fetch_event_types=[])
        assert_success(await client.patch(f"/bots/{bot}", admin, bot_owner_id=heir.user_id))
        assert [await told(listener) for listener in listeners] == [
            [("update", shown(bot))],
            [("delete", {"user_id": bot})],
            [("add", shown(bot))],
            [],
        ]
        (event,) = await everybody.new_events()
        assert event["person"] == {"user_id": bot, "bot_owner_id": heir.user_id}

    async def test_transfer_between_administrators_emits_update(
        self, client: ApiClient, owner: Person, admin: Person
    ) -> None:
        bot = await add_bot(client, admin)
        listeners = [await hear(client, who) for who in (owner, admin)]
        assert_success(await client.patch(f"/bots/{bot}", admin, bot_owner_id=owner.user_id))
        for listener in listeners:
            assert await told(listener) == [("update", shown(bot))]

    async def test_new_and_former_administrators_get_add_and_delete(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        owner: Person,
        member: Person,
        heir: Person,
    ) -> None:
        bot = await add_bot(client, member)
        await add_bot(client, heir, short_name="own")
        listener = await hear(client, heir)
        for role in (Role.MODERATOR, Role.ADMIN, Role.OWNER):
            await change_role(runtime, realm, heir, role)
        assert await told(listener) == [("add", shown(bot))]
        await change_role(runtime, realm, heir, Role.GUEST)
        assert await told(listener) == [("delete", {"user_id": bot})]


@pytest.mark.any_database
class TestState:
    async def test_lists_own_bots_or_all_for_administrators(
        self, client: ApiClient, owner: Person, admin: Person, member: Person, heir: Person
    ) -> None:
        theirs = await add_bot(client, member)
        other = await add_bot(client, admin, short_name="other")
        ended = await add_bot(client, member, short_name="ended")
        assert_success(await client.delete(f"/bots/{ended}", member))
        for who, bots in (
            (owner, [theirs, other]),
            (admin, [theirs, other]),
            (member, [theirs]),
            (heir, []),
        ):
            state = (await listen(client, who, fetch_event_types=["realm_bot"])).state
            assert state["realm_bots"] == [shown(bot) for bot in bots]

    async def test_is_omitted_when_not_requested(self, client: ApiClient, admin: Person) -> None:
        state = (await listen(client, admin, fetch_event_types=["realm_user"])).state
        assert "realm_bots" not in state

"""Transfer of a bot: its former owner loses all access through it, on both databases."""

import asyncio
from dataclasses import replace

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.roles import BotType
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.uploads.files import open_file, upload
from tests.features.users.people import user_seen_by
from tests.support.account_changes import deactivate
from tests.support.apps import StartApp
from tests.support.client import ApiClient
from tests.support.listening import listen
from tests.support.responses import assert_error, assert_success
from tests.support.waiting import until_polls_wait

REFUSED = ("UNAUTHORIZED", 401)


@pytest.fixture
async def heir(make_user: MakeUser) -> Person:
    return await make_user()


@pytest.fixture
async def bot(make_user: MakeUser, member: Person) -> Person:
    return await make_user(bot_owner=member)


async def give(client: ApiClient, actor: Person, bot: Person, new_owner: Person) -> None:
    path = f"/bots/{bot.user_id}"
    assert_success(await client.patch(path, actor, bot_owner_id=new_owner.user_id))


async def further_key(client: ApiClient, owner: Person, bot: Person) -> Person:
    response = await client.get(f"/bots/{bot.user_id}/api_key", owner)
    return replace(bot, api_key=assert_success(response)["api_key"])


@pytest.mark.any_database
class TestPermissionToTransfer:
    async def test_owner_who_is_no_administrator_is_refused(
        self, client: ApiClient, member: Person, bot: Person, heir: Person
    ) -> None:
        response = await client.patch(
            f"/bots/{bot.user_id}", member, bot_owner_id=heir.user_id, full_name="Gift"
        )
        assert_error(response, "UNAUTHORIZED_PRINCIPAL")
        seen = await user_seen_by(client, bot, member)
        assert (seen["bot_owner_id"], seen["full_name"]) == (member.user_id, bot.full_name)
        assert_success(await client.get("/users/me", bot))

    async def test_bot_cannot_transfer_itself(
        self, client: ApiClient, bot: Person, heir: Person
    ) -> None:
        response = await client.patch(f"/bots/{bot.user_id}", bot, bot_owner_id=heir.user_id)
        assert assert_error(response) == "Insufficient permission"

    async def test_setting_the_same_owner_needs_no_administrator(
        self, client: ApiClient, member: Person, bot: Person
    ) -> None:
        path = f"/bots/{bot.user_id}"
        assert_success(await client.patch(path, member, bot_owner_id=member.user_id))
        assert_success(await client.get("/users/me", bot))


class TestFormerOwner:
    @pytest.mark.any_database
    async def test_all_keys_end(
        self, client: ApiClient, admin: Person, member: Person, bot: Person, heir: Person
    ) -> None:
        keys = [bot, await further_key(client, member, bot)]
        for key in keys:
            assert_success(await client.get("/users/me", key))
        await give(client, admin, bot, heir)
        for key in keys:
            assert_error(await client.get("/users/me", key), *REFUSED)
        response = await client.get(f"/bots/{bot.user_id}/api_key", member)
        assert assert_error(response) == "Insufficient permission"
        assert_success(await client.get("/users/me", await further_key(client, heir, bot)))

    async def test_keys_end_in_other_processes(
        self,
        client: ApiClient,
        start_app: StartApp,
        admin: Person,
        bot: Person,
        heir: Person,
    ) -> None:
        there = ApiClient(await start_app())
        assert_success(await there.get("/users/me", bot))
        await give(client, admin, bot, heir)
        sending = {"type": "direct", "to": [heir.user_id], "content": "Still here"}
        assert_error(await there.post("/messages", bot, **sending), *REFUSED)
        await there.aclose()

    async def test_queues_and_waiting_polls_end(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        admin: Person,
        bot: Person,
        heir: Person,
    ) -> None:
        listener = await listen(client, bot, fetch_event_types=[])
        polling = asyncio.create_task(listener.poll())
        await until_polls_wait(runtime, realm)
        await give(client, admin, bot, heir)
        assert_error(await polling, *REFUSED)
        listener.person = await further_key(client, heir, bot)
        assert_error(await listener.poll(dont_block=True), "BAD_EVENT_QUEUE_ID")

    @pytest.mark.any_database
    async def test_temporary_addresses_of_files_end(
        self, client: ApiClient, admin: Person, bot: Person, heir: Person
    ) -> None:
        url = await upload(client, bot)
        temporary = assert_success(await client.get(url, bot))["url"]
        assert (await open_file(client, None, temporary)).status_code == 200
        await give(client, admin, bot, heir)
        assert (await open_file(client, None, temporary)).status_code == 404

    @pytest.mark.any_database
    async def test_former_owner_cannot_read_private_channels_of_the_new_owner(
        self,
        client: ApiClient,
        admin: Person,
        member: Person,
        bot: Person,
        heir: Person,
        make_channel: MakeChannel,
    ) -> None:
        channel = await make_channel("secret", subscribers=[heir], invite_only=True)
        await give(client, admin, bot, heir)
        message = {"type": "stream", "to": channel.id, "topic": "x", "content": "x"}
        assert_error(await client.post("/messages", bot, **message), *REFUSED)
        response = await client.get("/streams", bot, include_owner_subscribed=True)
        assert_error(response, *REFUSED)
        theirs = await further_key(client, heir, bot)
        assert_success(await client.post("/messages", theirs, **message))

    @pytest.mark.any_database
    async def test_key_of_an_incoming_webhook_ends(
        self, client: ApiClient, admin: Person, member: Person, heir: Person, make_user: MakeUser
    ) -> None:
        webhook = await make_user(bot_owner=member, bot_type=BotType.INCOMING_WEBHOOK)
        await give(client, admin, webhook, heir)
        sending = {"type": "direct", "to": [member.user_id], "content": "Still here"}
        assert_error(await client.post("/messages", webhook, **sending), *REFUSED)

    @pytest.mark.any_database
    async def test_old_key_stays_invalid_after_reactivation_by_another_user(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        admin: Person,
        member: Person,
        bot: Person,
    ) -> None:
        await deactivate(runtime, realm, member)
        assert_success(await client.post(f"/users/{bot.user_id}/reactivate", admin))
        assert_error(await client.get("/users/me", bot), *REFUSED)
        assert_success(await client.post(f"/users/{member.user_id}/reactivate", admin))
        assert (await user_seen_by(client, bot, admin))["bot_owner_id"] == admin.user_id

"""DELETE /messages/{message_id}: permissions."""

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.ids import MAX_ID
from chatapi.core.roles import Role
from chatapi.core.system_groups import SystemGroup
from tests import factories
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.channels.channels import subscribe, unnamed
from tests.features.messages.delete.deleting import delete
from tests.features.messages.fetch.conversations import ids_read, send, send_direct
from tests.features.realm.settings import allow, change_realm
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.responses import assert_error, assert_success
from tests.support.unsubscribing import unsubscribe

NOT_ALLOWED = "You don't have permission to delete this message"
TOO_LATE = "The time limit for deleting this message has passed"
INVALID = "Invalid message(s)"


class TestOwnMessages:
    @pytest.mark.any_database
    async def test_are_deleted(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, member: Person
    ) -> None:
        channel = await make_channel(subscribers=[owner, member])
        first, second = [await send(client, member, channel) for _ in range(2)]
        assert assert_success(await delete(client, member, second)) == {}
        assert await ids_read(client, owner, ["channel", channel.id]) == [first]
        assert assert_error(await client.get(f"/messages/{second}", owner)) == INVALID
        assert assert_error(await delete(client, member, second)) == INVALID

    @pytest.mark.any_database
    async def test_of_ones_bots_count_as_own(
        self, client: ApiClient, make_channel: MakeChannel, make_user: MakeUser, member: Person
    ) -> None:
        channel = await make_channel(subscribers=[member])
        bot = await make_user(bot_owner=member)
        message_id = await send(client, bot, channel)
        other_id = await send(client, bot, channel)
        assert assert_error(await delete(client, await make_user(), message_id)) == NOT_ALLOWED
        assert_success(await delete(client, member, message_id))
        assert_success(await delete(client, bot, other_id))

    async def test_bot_cannot_delete_messages_of_its_owner(
        self, client: ApiClient, make_user: MakeUser, member: Person, make_channel: MakeChannel
    ) -> None:
        channel = await make_channel(subscribers=[member])
        bot = await make_user(bot_owner=member)
        message_id = await send(client, member, channel)
        assert assert_error(await delete(client, bot, message_id)) == NOT_ALLOWED

    @pytest.mark.any_database
    async def test_only_within_the_time_limit(
        self,
        client: ApiClient,
        make_channel: MakeChannel,
        clock: MovableClock,
        owner: Person,
        member: Person,
    ) -> None:
        await change_realm(client, owner, message_content_delete_limit_seconds=100)
        channel = await make_channel(subscribers=[member])
        early, late, later = [await send(client, member, channel) for _ in range(3)]
        clock.advance(seconds=100)
        assert_success(await delete(client, member, early))
        clock.advance(seconds=1)
        assert assert_error(await delete(client, member, late)) == TOO_LATE
        await change_realm(client, owner, message_content_delete_limit_seconds="null")
        clock.advance(days=1000)
        assert_success(await delete(client, member, late))
        # Users who may delete any message have no time limit.
        await change_realm(client, owner, message_content_delete_limit_seconds=100)
        assert_success(await delete(client, owner, later))

    @pytest.mark.any_database
    async def test_permission_comes_from_realm_or_channel(
        self,
        client: ApiClient,
        make_channel: MakeChannel,
        realm: RealmRecord,
        owner: Person,
        member: Person,
        guest: Person,
    ) -> None:
        await allow(client, owner, realm, can_delete_own_message_group=SystemGroup.MODERATORS)
        channel = await make_channel(subscribers=[member, guest])
        message_id = await send(client, member, channel)
        direct_id = await send_direct(client, member, owner)
        assert assert_error(await delete(client, member, message_id)) == NOT_ALLOWED
        assert assert_error(await delete(client, member, direct_id)) == NOT_ALLOWED
        value = {"new": unnamed([member, guest])}
        path = f"/streams/{channel.id}"
        assert_success(await client.patch(path, owner, can_delete_own_message_group=value))
        assert_success(await delete(client, member, message_id))
        assert_success(await delete(client, guest, await send(client, guest, channel)))
        assert assert_error(await delete(client, member, direct_id)) == NOT_ALLOWED


@pytest.mark.any_database
class TestMessagesOfOthers:
    @pytest.mark.parametrize("role", [Role.OWNER, Role.ADMIN])
    async def test_administrators_may_delete(
        self,
        client: ApiClient,
        make_channel: MakeChannel,
        make_user: MakeUser,
        clock: MovableClock,
        member: Person,
        role: Role,
    ) -> None:
        channel = await make_channel(subscribers=[member])
        message_id = await send(client, member, channel)
        clock.advance(days=1000)
        assert_success(await delete(client, await make_user(role), message_id))

    @pytest.mark.parametrize("role", [Role.MODERATOR, Role.MEMBER])
    async def test_others_may_not_delete(
        self,
        client: ApiClient,
        make_channel: MakeChannel,
        make_user: MakeUser,
        member: Person,
        role: Role,
    ) -> None:
        channel = await make_channel(subscribers=[member])
        message_id = await send(client, member, channel)
        response = await delete(client, await make_user(role), message_id)
        assert assert_error(response) == NOT_ALLOWED
        assert await ids_read(client, member, ["channel", channel.id]) == [message_id]

    async def test_users_named_by_the_realm_may_delete(
        self,
        client: ApiClient,
        make_channel: MakeChannel,
        realm: RealmRecord,
        owner: Person,
        member: Person,
        guest: Person,
    ) -> None:
        await allow(client, owner, realm, can_delete_any_message_group=SystemGroup.MEMBERS)
        channel = await make_channel(subscribers=[owner, guest])
        message_id = await send(client, owner, channel)
        assert assert_error(await delete(client, guest, message_id)) == NOT_ALLOWED
        assert_success(await delete(client, member, message_id))
        assert_success(await delete(client, member, await send_direct(client, owner, member)))

    async def test_users_named_by_the_channel_may_delete(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, member: Person
    ) -> None:
        channel, elsewhere = await make_channel(), await make_channel()
        value = {"new": unnamed([member])}
        path = f"/streams/{channel.id}"
        assert_success(await client.patch(path, owner, can_delete_any_message_group=value))
        assert_success(await delete(client, member, await send(client, owner, channel)))
        response = await delete(client, member, await send(client, owner, elsewhere))
        assert assert_error(response) == NOT_ALLOWED
        response = await delete(client, member, await send_direct(client, owner, member))
        assert assert_error(response) == NOT_ALLOWED


@pytest.mark.any_database
class TestHiddenMessages:
    async def test_are_unknown(
        self,
        client: ApiClient,
        make_channel: MakeChannel,
        make_user: MakeUser,
        owner: Person,
        admin: Person,
        member: Person,
    ) -> None:
        channel = await make_channel(subscribers=[owner], invite_only=True)
        hidden = [
            await send(client, owner, channel),
            await send_direct(client, owner, member),
            MAX_ID,
        ]
        for message_id in hidden:
            assert assert_error(await delete(client, admin, message_id)) == INVALID
        assert assert_error(await delete(client, None, hidden[0]), "UNAUTHORIZED", 401)

    async def test_protected_history(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, admin: Person
    ) -> None:
        channel = await make_channel(
            subscribers=[owner], invite_only=True, history_public_to_subscribers=False
        )
        before = await send(client, owner, channel)
        assert_success(await subscribe(client, owner, channel.name, principals=[admin.user_id]))
        after = await send(client, owner, channel)
        assert assert_error(await delete(client, admin, before)) == INVALID
        assert_success(await delete(client, admin, after))

    async def test_former_subscriber_cannot_delete(
        self,
        client: ApiClient,
        make_channel: MakeChannel,
        runtime: Runtime,
        realm: RealmRecord,
        member: Person,
    ) -> None:
        channel = await make_channel(subscribers=[member], invite_only=True)
        message_id = await send(client, member, channel)
        await unsubscribe(runtime, realm, member, channel)
        assert assert_error(await delete(client, member, message_id)) == INVALID

    async def test_archived_channels_refuse_deletions(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person
    ) -> None:
        channel = await make_channel(subscribers=[owner])
        message_id = await send(client, owner, channel)
        assert_success(await client.delete(f"/streams/{channel.id}", owner))
        assert assert_error(await delete(client, owner, message_id)) == INVALID

    async def test_other_organizations(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, owner: Person
    ) -> None:
        message_id = await send_direct(client, owner, owner)
        other = await factories.make_realm(runtime, "Elsewhere", "elsewhere")
        stranger = await factories.make_user(runtime, other, Role.OWNER)
        client.http.base_url = "http://elsewhere.localhost"
        assert assert_error(await delete(client, stranger, message_id)) == INVALID
        client.http.base_url = f"http://{realm.subdomain}.localhost"
        assert await ids_read(client, owner) == [message_id]

    @pytest.mark.parametrize("message_id", [0, 2**63, 10**30])
    async def test_unknown_ids(self, client: ApiClient, member: Person, message_id: int) -> None:
        assert_error(await delete(client, member, message_id))

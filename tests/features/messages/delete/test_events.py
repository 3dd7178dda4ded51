"""delete_message events: for users who could see the messages, in their client's form."""

import asyncio

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.events import feed, pages
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.channels.channels import subscribe
from tests.features.messages.delete.deleting import delete, delete_topic, listen_to_deletions, told
from tests.features.messages.edit.editing import edit
from tests.features.messages.fetch.conversations import send, send_direct
from tests.support.apps import StartApp
from tests.support.client import ApiClient
from tests.support.listening import Listener, listen
from tests.support.responses import assert_success
from tests.support.unsubscribing import unsubscribe
from tests.support.waiting import until_polls_wait


@pytest.mark.any_database
class TestForms:
    async def test_clients_with_bulk_deletion_capability(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person
    ) -> None:
        channel = await make_channel(subscribers=[owner])
        *ids, last = [await send(client, owner, channel) for _ in range(3)]
        new, old = [
            await listen_to_deletions(client, owner, is_bulk=is_bulk) for is_bulk in (True, False)
        ]
        assert_success(await delete(client, owner, last))
        assert_success(await delete_topic(client, owner, channel))
        place = {"message_type": "stream", "stream_id": channel.id, "topic": "greetings"}
        assert await told(new) == [
            {"type": "delete_message", "message_ids": each, **place} for each in ([last], ids)
        ]
        assert await told(old) == [
            {"type": "delete_message", "message_id": each, **place} for each in (last, *ids)
        ]

    @pytest.mark.parametrize("is_bulk", [True, False])
    async def test_direct_messages(
        self, client: ApiClient, owner: Person, member: Person, is_bulk: bool
    ) -> None:
        message_id = await send_direct(client, member, owner)
        listeners = [
            await listen_to_deletions(client, person, is_bulk=is_bulk) for person in (owner, member)
        ]
        assert_success(await delete(client, member, message_id))
        which = {"message_ids": [message_id]} if is_bulk else {"message_id": message_id}
        for listener in listeners:
            assert await told(listener) == [
                {"type": "delete_message", **which, "message_type": "private"}
            ]

    @pytest.mark.parametrize(("knows", "shown"), [(True, ""), (False, "general chat")])
    async def test_empty_topic(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, knows: bool, shown: str
    ) -> None:
        channel = await make_channel(subscribers=[owner])
        message_id = await send(client, owner, channel, topic="")
        listener = await listen_to_deletions(client, owner, empty_topic_name=knows)
        assert_success(await delete(client, owner, message_id))
        assert [event["topic"] for event in await told(listener)] == [shown]


class TestQueues:
    @pytest.mark.parametrize("is_bulk", [True, False])
    async def test_one_that_waits(
        self,
        client: ApiClient,
        make_channel: MakeChannel,
        runtime: Runtime,
        realm: RealmRecord,
        owner: Person,
        is_bulk: bool,
    ) -> None:
        channel = await make_channel(subscribers=[owner])
        ids = [await send(client, owner, channel) for _ in range(3)]
        listener = await listen_to_deletions(client, owner, is_bulk=is_bulk)
        poll = asyncio.create_task(listener.next_events())
        await until_polls_wait(runtime, realm)
        assert_success(await delete_topic(client, owner, channel))
        events = await poll
        assert _ids(events) == ids
        assert await listener.new_events() == []

    @pytest.mark.any_database
    @pytest.mark.parametrize("is_bulk", [True, False])
    async def test_one_that_replays_from_the_log(
        self,
        client: ApiClient,
        start_app: StartApp,
        make_channel: MakeChannel,
        owner: Person,
        is_bulk: bool,
    ) -> None:
        channel = await make_channel(subscribers=[owner])
        listener = await listen_to_deletions(client, owner, is_bulk=is_bulk)
        ids = [await send(client, owner, channel) for _ in range(3)]
        assert_success(await delete_topic(client, owner, channel))
        elsewhere = ApiClient(await start_app())
        for each in (client, elsewhere, client):
            again = Listener(each, owner, {**listener.state, "queue_id": listener.queue_id})
            assert _ids((await again.poll(dont_block=True))["events"]) == ids
        await elsewhere.aclose()

    @pytest.mark.any_database
    async def test_message_event_comes_before_its_deletion(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person
    ) -> None:
        channel = await make_channel(subscribers=[owner])
        listener = await listen(client, owner, event_types=["message", "delete_message"])
        message_id = await send(client, owner, channel)
        [sent] = await listener.new_events()
        assert_success(await delete(client, owner, message_id))
        [gone] = await listener.new_events()
        assert [sent["type"], gone["type"]] == ["message", "delete_message"]

    @pytest.mark.any_database
    @pytest.mark.parametrize("recent", [1_000, 0])
    async def test_response_size_is_limited_and_no_event_is_lost(
        self,
        client: ApiClient,
        make_channel: MakeChannel,
        owner: Person,
        monkeypatch: pytest.MonkeyPatch,
        recent: int,
    ) -> None:
        """Entries come whole, unless a single one has more pieces than a response holds."""
        monkeypatch.setattr(pages, "_EVENTS_PER_ANSWER", 4)
        monkeypatch.setattr(feed, "_RECENT_ENTRIES", recent)
        channel = await make_channel(subscribers=[owner])
        listener = await listen_to_deletions(client, owner, is_bulk=False)
        ids: list[int] = []
        for size in (3, 2, 1, 6, 1):
            ids += [await send(client, owner, channel) for _ in range(size)]
            assert_success(await delete_topic(client, owner, channel))
        responses = []
        while response := _ids(await listener_page(listener)):
            responses.append(response)
        assert [number for response in responses for number in response] == ids
        assert [len(response) for response in responses] == [3, 3, 4, 2, 1]


async def listener_page(listener: Listener) -> list[dict[str, object]]:
    """The events of one response; they count as seen afterwards."""
    events: list[dict[str, object]] = assert_success(await listener.poll(dont_block=True))["events"]
    if events:
        listener.last_event_id = int(str(events[-1]["id"]))
    return events


def _ids(events: list[dict[str, object]]) -> list[object]:
    """The message ids of events, in either form."""
    ids: list[object] = []
    for event in events:
        many = event.get("message_ids")
        ids += many if isinstance(many, list) else [event["message_id"]]
    return ids


class TestAudience:
    @pytest.mark.any_database
    async def test_subscribers_of_the_channel(
        self,
        client: ApiClient,
        make_channel: MakeChannel,
        make_user: MakeUser,
        runtime: Runtime,
        realm: RealmRecord,
        owner: Person,
        admin: Person,
    ) -> None:
        inside, left, outside = [await make_user() for _ in range(3)]
        channel = await make_channel(subscribers=[owner, inside, left], invite_only=True)
        message_id = await send(client, owner, channel)
        await unsubscribe(runtime, realm, left, channel)
        listeners = [
            await listen_to_deletions(client, person) for person in (inside, left, outside, admin)
        ]
        assert_success(await delete(client, owner, message_id))
        assert [len(await told(listener)) for listener in listeners] == [1, 0, 0, 0]

    @pytest.mark.any_database
    async def test_only_participants_of_direct_messages(
        self, client: ApiClient, owner: Person, admin: Person, member: Person
    ) -> None:
        message_id = await send_direct(client, owner, member)
        listener = await listen_to_deletions(client, admin)
        assert_success(await delete(client, owner, message_id))
        assert await told(listener) == []

    @pytest.mark.any_database
    async def test_queues_for_all_public_channels(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, member: Person
    ) -> None:
        channel = await make_channel(subscribers=[owner])
        message_id = await send(client, owner, channel)
        listener = await listen(
            client, member, event_types=["delete_message"], all_public_streams=True
        )
        assert_success(await delete(client, owner, message_id))
        assert [event["message_id"] for event in await listener.new_events()] == [message_id]

    @pytest.mark.parametrize("is_bulk", [True, False])
    async def test_protected_history_includes_received_messages_only(
        self,
        client: ApiClient,
        make_channel: MakeChannel,
        make_user: MakeUser,
        owner: Person,
        is_bulk: bool,
    ) -> None:
        early, late = await make_user(), await make_user()
        channel = await make_channel(
            subscribers=[owner], invite_only=True, history_public_to_subscribers=False
        )
        ids = [await send(client, owner, channel)]
        for person in (early, late):
            joining = {"principals": [person.user_id]}
            assert_success(await subscribe(client, owner, channel.name, **joining))
            ids.append(await send(client, owner, channel))
        never = await make_user()
        assert_success(await subscribe(client, owner, channel.name, principals=[never.user_id]))
        listeners = [
            await listen_to_deletions(client, person, is_bulk=is_bulk)
            for person in (owner, early, late, never)
        ]
        assert_success(await delete_topic(client, owner, channel))
        found = [_ids(await listener.new_events()) for listener in listeners]
        assert found == [ids, ids[1:], ids[2:], []]

    async def test_protected_history_includes_messages_moved_there_while_subscribed(
        self, client: ApiClient, make_channel: MakeChannel, make_user: MakeUser, owner: Person
    ) -> None:
        early, late = await make_user(), await make_user()
        elsewhere = await make_channel(subscribers=[owner])
        channel = await make_channel(
            subscribers=[owner], invite_only=True, history_public_to_subscribers=False
        )
        old = await send(client, owner, elsewhere)
        assert_success(await subscribe(client, owner, channel.name, principals=[early.user_id]))
        assert_success(await edit(client, owner, old, stream_id=channel.id))
        assert_success(await subscribe(client, owner, channel.name, principals=[late.user_id]))
        listeners = [await listen_to_deletions(client, person) for person in (early, late)]
        assert_success(await delete(client, owner, old))
        assert [_ids(await listener.new_events()) for listener in listeners] == [[old], []]

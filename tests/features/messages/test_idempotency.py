"""A repeated send creates one message: after failures, after restarts, and concurrently."""

import asyncio

import pytest

from chatapi.auth.runtime import Runtime
from tests.factories import MakeChannel, Person
from tests.features.channels.channels import unnamed
from tests.support.apps import StartApp
from tests.support.client import ApiClient, encode_form
from tests.support.listening import listen
from tests.support.responses import ApiResponse, assert_error, assert_success
from tests.support.statements import recorded_statements


def hello(person: Person, **more: object) -> dict[str, object]:
    return {"type": "direct", "to": [person.user_id], "content": "Hello", **more}


class Sent:
    """Messages to a topic, each with a local id."""

    def __init__(
        self, client: ApiClient, sender: Person, channel_id: int, topic: str = "greetings"
    ) -> None:
        self.client = client
        self.sender = sender
        self.channel_id = channel_id
        self.topic = topic
        self.ids: list[int] = []

    async def send(self, name: str) -> int:
        place = {"type": "channel", "to": self.channel_id, "topic": self.topic}
        named = {"content": f"Hello {name}", "queue_id": "queue", "local_id": name}
        response = assert_success(
            await self.client.post("/messages", self.sender, **place, **named)
        )
        self.ids.append(response["id"])
        return self.ids[-1]


class TestLocalIds:
    @pytest.mark.any_database
    async def test_sending_client_gets_its_local_id_in_the_event(
        self, client: ApiClient, owner: Person
    ) -> None:
        sender, other = [await listen(client, owner, event_types=["message"]) for _ in range(2)]
        message = hello(owner, queue_id=sender.queue_id, local_id="12.01")
        assert_success(await client.post("/messages", owner, **message))
        [echoed], [plain] = await sender.new_events(), await other.new_events()
        assert echoed["local_message_id"] == echoed["local_id"] == "12.01"
        assert "local_message_id" not in plain

    @pytest.mark.any_database
    async def test_queue_of_another_user_gets_no_local_id(
        self, client: ApiClient, owner: Person, member: Person
    ) -> None:
        theirs = await listen(client, member, event_types=["message"])
        message = hello(member, queue_id=theirs.queue_id, local_id="1")
        assert_success(await client.post("/messages", owner, **message))
        [event] = await theirs.new_events()
        assert "local_message_id" not in event

    async def test_retry_sends_no_second_message(self, client: ApiClient, owner: Person) -> None:
        listener = await listen(client, owner, event_types=["message"])
        message = hello(owner, queue_id=listener.queue_id, local_id="1")
        responses = [
            assert_success(await client.post("/messages", owner, **message)) for _ in "abc"
        ]
        assert len({response["id"] for response in responses}) == 1
        assert len(await listener.new_events()) == 1

    async def test_concurrent_retries_send_one_message(
        self, client: ApiClient, owner: Person
    ) -> None:
        listener = await listen(client, owner, event_types=["message"])
        message = hello(owner, queue_id=listener.queue_id, local_id="1")
        responses = await asyncio.gather(
            *(client.post("/messages", owner, **message) for _ in range(8))
        )
        assert len({assert_success(response)["id"] for response in responses}) == 1
        assert len(await listener.new_events()) == 1

    @pytest.mark.any_database
    async def test_another_local_id_is_another_message(
        self, client: ApiClient, owner: Person
    ) -> None:
        ids = [
            assert_success(
                await client.post("/messages", owner, **hello(owner, queue_id="q", local_id=name))
            )["id"]
            for name in ("1", "2")
        ]
        assert ids[0] < ids[1]

    @pytest.mark.any_database
    @pytest.mark.parametrize(
        "changes", [{"content": "Something else"}, {"type": "channel", "to": "general"}]
    )
    async def test_another_message_with_the_same_local_id_is_sent(
        self,
        client: ApiClient,
        owner: Person,
        make_channel: MakeChannel,
        changes: dict[str, object],
    ) -> None:
        await make_channel("general", subscribers=[owner])
        message = hello(owner, queue_id="q", local_id="1", topic="tea")
        first = assert_success(await client.post("/messages", owner, **message))
        second = assert_success(await client.post("/messages", owner, **{**message, **changes}))
        assert first["id"] < second["id"]

    async def test_retry_in_another_process_sends_no_second_message(
        self, client: ApiClient, start_app: StartApp, owner: Person
    ) -> None:
        message = hello(owner, queue_id="queue", local_id="1")
        first = assert_success(await client.post("/messages", owner, **message))
        again = ApiClient(await start_app())
        assert assert_success(await again.post("/messages", owner, **message)) == first
        await again.aclose()


@pytest.mark.parametrize("backend", ["postgresql"], indirect=True)
class TestOptimisticWrites:
    """An optimistic write looks up no stored response: the database refuses a duplicate."""

    @pytest.fixture
    async def sent(self, client: ApiClient, owner: Person, make_channel: MakeChannel) -> Sent:
        channel = await make_channel("general", subscribers=[owner])
        sent = Sent(client, owner, channel.id)
        for name in "abcd":
            await sent.send(name)
        return sent

    async def test_send_takes_one_statement(self, sent: Sent, runtime: Runtime) -> None:
        with recorded_statements(runtime.database, "message") as recorded:
            await sent.send("e")
        assert len(recorded) == 1
        assert sent.ids == sorted(set(sent.ids))

    async def test_retry_finds_the_first_message(self, sent: Sent) -> None:
        assert await sent.send("a") == sent.ids[0]
        assert await sent.send("d") == sent.ids[3]

    async def test_retry_finds_it_after_the_permission_was_lost(
        self, sent: Sent, client: ApiClient, owner: Person, member: Person
    ) -> None:
        channel = f"/streams/{sent.channel_id}"
        theirs = Sent(client, member, sent.channel_id, topic="short-lived")
        await theirs.send("a")
        deletion = await client.post(f"{channel}/delete_topic", owner, topic_name="short-lived")
        assert_success(deletion)
        only_owners = {"new": unnamed([owner])}
        assert_success(await client.patch(channel, owner, can_create_topic_group=only_owners))
        for name in "efg":
            await sent.send(name)
        assert await theirs.send("a") == theirs.ids[0]

    async def test_retries_among_new_messages_in_one_batch_are_found(self, sent: Sent) -> None:
        listener = await listen(sent.client, sent.sender, event_types=["message"])
        ids = await asyncio.gather(*map(sent.send, ("x", "b", "y", "c", "x")))
        assert [ids[1], ids[3]] == sent.ids[1:3]
        assert ids[0] == ids[4] != ids[2]
        assert sorted(event["message"]["id"] for event in await listener.new_events()) == sorted(
            {ids[0], ids[2]}
        )


class TestIdempotencyKeys:
    """The Idempotency-Key header does the same for every POST."""

    async def test_a_message_is_sent_once(self, client: ApiClient, owner: Person) -> None:
        listener = await listen(client, owner, event_types=["message"])
        responses = await asyncio.gather(
            *(_post(client, owner, "/messages", "key", **hello(owner)) for _ in range(6))
        )
        assert len({assert_success(response)["id"] for response in responses}) == 1
        assert len(await listener.new_events()) == 1

    async def test_group_is_created_once(self, client: ApiClient, owner: Person) -> None:
        group: dict[str, object] = {"name": "crew", "description": "", "members": []}
        responses = await asyncio.gather(
            *(_post(client, owner, "/user_groups/create", "key", **group) for _ in range(4))
        )
        assert len({assert_success(response)["group_id"] for response in responses}) == 1
        again = await _post(client, owner, "/user_groups/create", "key", **group, unknown="x")
        assert_error(again, "IDEMPOTENCY_KEY_REUSED")

    async def test_a_key_belongs_to_one_request(self, client: ApiClient, owner: Person) -> None:
        assert_success(await _post(client, owner, "/messages", "key", **hello(owner)))
        other = await _post(client, owner, "/messages", "key", **hello(owner, content="Other"))
        assert_error(other, "IDEMPOTENCY_KEY_REUSED")

    async def test_key_belongs_to_one_user(
        self, client: ApiClient, owner: Person, member: Person
    ) -> None:
        ids = {
            assert_success(await _post(client, person, "/messages", "key", **hello(owner)))["id"]
            for person in (owner, member)
        }
        assert len(ids) == 2

    async def test_refusal_is_not_stored(self, client: ApiClient, owner: Person) -> None:
        assert_error(await _post(client, owner, "/messages", "key", **hello(owner, content="")))
        assert_success(await _post(client, owner, "/messages", "key", **hello(owner)))

    async def test_length_of_a_key_is_limited(self, client: ApiClient, owner: Person) -> None:
        refusal = await _post(client, owner, "/messages", "k" * 201, **hello(owner))
        assert "Idempotency-Key" in assert_error(refusal)


class TestIdempotencyKeysOfJsonBodies:
    async def test_message_is_sent_once_whatever_the_order_of_members(
        self, client: ApiClient, owner: Person
    ) -> None:
        message = hello(owner)
        reversed_message = dict(reversed(message.items()))
        responses = [
            await _post_json(client, owner, "/messages", "key", body)
            for body in (message, message, reversed_message)
        ]
        assert len({assert_success(response)["id"] for response in responses}) == 1

    @pytest.mark.parametrize("change", [{"content": "Other"}, {"to": [0]}, {"unknown": 1}], ids=str)
    async def test_key_belongs_to_one_body(
        self, client: ApiClient, owner: Person, change: dict[str, object]
    ) -> None:
        assert_success(await _post_json(client, owner, "/messages", "key", hello(owner)))
        other = await _post_json(client, owner, "/messages", "key", {**hello(owner), **change})
        assert_error(other, "IDEMPOTENCY_KEY_REUSED")

    async def test_text_of_a_form_is_not_the_value_it_reads_like(
        self, client: ApiClient, owner: Person
    ) -> None:
        quoted = {**hello(owner), "content": '"Hello"'}
        assert_success(await _post(client, owner, "/messages", "key", **quoted))
        other = await _post_json(client, owner, "/messages", "key", hello(owner))
        assert_error(other, "IDEMPOTENCY_KEY_REUSED")


async def _post_json(
    client: ApiClient, person: Person, path: str, key: str, body: dict[str, object]
) -> ApiResponse:
    return await client.call("POST", path, person, json=body, headers={"Idempotency-Key": key})


async def _post(
    client: ApiClient, person: Person, path: str, key: str, **params: object
) -> ApiResponse:
    return await client.call(
        "POST", path, person, data=encode_form(params), headers={"Idempotency-Key": key}
    )

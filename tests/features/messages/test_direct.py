"""Direct messages: to other users, to several users and to oneself, on both databases."""

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.roles import Role
from chatapi.main import ChatApp
from tests.factories import MakeUser, Person, make_realm, make_user
from tests.features.messages.fetch.conversations import send_direct
from tests.support.account_changes import deactivate
from tests.support.client import ApiClient
from tests.support.listening import listen
from tests.support.responses import assert_error, assert_success


@pytest.fixture
async def bob(make_user: MakeUser) -> Person:
    return await make_user(full_name="Bob")


@pytest.fixture
async def carol(make_user: MakeUser) -> Person:
    return await make_user(full_name="Carol")


@pytest.mark.any_database
async def test_message_is_delivered_to_its_participants_only(
    client: ApiClient, owner: Person, bob: Person, carol: Person
) -> None:
    ears = [await listen(client, person, event_types=["message"]) for person in (owner, bob, carol)]
    sent = assert_success(
        await client.post(
            "/messages", owner, type="direct", to=[bob.user_id], content="Hello **Bob**"
        )
    )
    own, other, stranger = [await listener.new_events() for listener in ears]
    assert stranger == []
    assert [event["message"]["id"] for event in (*own, *other)] == [sent["id"]] * 2
    message = other[0]["message"]
    assert message["type"] == "private"
    assert message["content"] == "Hello **Bob**"
    assert message["content_type"] == "text/x-markdown"
    assert message["subject"] == ""
    assert message["sender_id"] == owner.user_id
    assert [person["id"] for person in message["display_recipient"]] == sorted(
        [owner.user_id, bob.user_id]
    )
    assert "stream_id" not in message


async def test_html_is_sent_to_clients_that_ask_for_it(
    client: ApiClient, owner: Person, bob: Person
) -> None:
    listener = await listen(client, bob, event_types=["message"], apply_markdown=True)
    await client.post("/messages", owner, type="private", to=bob.email, content="Hello **Bob**")
    [event] = await listener.new_events()
    assert event["message"]["content"] == "<p>Hello <strong>Bob</strong></p>"
    assert event["message"]["content_type"] == "text/html"


@pytest.mark.any_database
@pytest.mark.parametrize("form", ["ids", "emails", "bare", "one id"])
async def test_recipients_are_given_by_id_or_email(
    client: ApiClient, owner: Person, bob: Person, form: str
) -> None:
    to: object = {
        "ids": [bob.user_id, owner.user_id],
        "emails": [bob.email.upper()],
        "bare": f" {bob.email} , {owner.email}",
        "one id": bob.user_id,
    }[form]
    listener = await listen(client, bob, event_types=["message"])
    assert_success(await client.post("/messages", owner, type="direct", to=to, content="Hi"))
    [event] = await listener.new_events()
    assert len(event["message"]["display_recipient"]) == 2


@pytest.mark.any_database
async def test_each_set_of_users_is_one_conversation(
    client: ApiClient, owner: Person, bob: Person, carol: Person
) -> None:
    listener = await listen(client, carol, event_types=["message"])
    for sender, others in ((owner, [bob, carol]), (bob, [carol, owner])):
        to = [person.user_id for person in others]
        assert_success(await client.post("/messages", sender, type="direct", to=to, content="Hi"))
    first, second = await listener.new_events()
    assert first["message"]["recipient_id"] == second["message"]["recipient_id"]
    assert len(first["message"]["display_recipient"]) == 3


@pytest.mark.any_database
async def test_a_note_to_oneself_has_one_participant(client: ApiClient, owner: Person) -> None:
    listener = await listen(client, owner, event_types=["message"])
    assert_success(
        await client.post("/messages", owner, type="direct", to=[owner.user_id], content="Milk")
    )
    [event] = await listener.new_events()
    assert [person["id"] for person in event["message"]["display_recipient"]] == [owner.user_id]


@pytest.mark.any_database
class TestRefusals:
    async def test_unknown_recipients(
        self, app: ChatApp, runtime: Runtime, realm: RealmRecord, owner: Person, bob: Person
    ) -> None:
        elsewhere = await make_user(runtime, await make_realm(runtime))
        client = ApiClient(app, f"{realm.subdomain}.localhost")
        for to, named in (
            ([elsewhere.user_id], str(elsewhere.user_id)),
            ([bob.user_id, 999_999], "999999"),
            (["nobody@example.com"], "nobody@example.com"),
        ):
            refusal = await client.post("/messages", owner, type="direct", to=to, content="Hi")
            assert named in assert_error(refusal)
        await client.aclose()

    async def test_deactivated_recipients(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, owner: Person, bob: Person
    ) -> None:
        await deactivate(runtime, realm, bob)
        refusal = await client.post(
            "/messages", owner, type="direct", to=[bob.user_id], content="Hi"
        )
        assert "Bob" in assert_error(refusal)

    @pytest.mark.any_database
    @pytest.mark.parametrize(
        ("change", "named"),
        [
            ({"content": ""}, "content"),
            ({"content": " \n "}, "content"),
            ({"content": "x" * 10_001}, "content"),
            ({"content": "a\0b"}, "content"),
            ({"to": []}, "to"),
            ({"to": ","}, "to"),
            ({"to": list(range(2_000))}, "to"),
            ({"to": {"id": 1}}, "to"),
            ({"type": "carrier pigeon"}, "type"),
            ({"queue_id": "x"}, "local_id"),
            ({"read_by_sender": 7}, "read_by_sender"),
        ],
    )
    async def test_bad_input(
        self, client: ApiClient, owner: Person, change: dict[str, object], named: str
    ) -> None:
        params: dict[str, object] = {"type": "direct", "to": [owner.user_id], "content": "Hi"}
        assert named in assert_error(await client.post("/messages", owner, **{**params, **change}))

    @pytest.mark.parametrize("missing", ["type", "to", "content"])
    async def test_missing_parameters(self, client: ApiClient, owner: Person, missing: str) -> None:
        params: dict[str, object] = {"type": "direct", "to": [owner.user_id], "content": "Hi"}
        del params[missing]
        assert missing in assert_error(await client.post("/messages", owner, **params))


@pytest.mark.any_database
class TestPermission:
    """Realms decide who may send direct messages, and who may start conversations."""

    async def test_direct_messages_can_be_disabled(
        self, client: ApiClient, realm: RealmRecord, owner: Person, bob: Person, carol: Person
    ) -> None:
        await _set(client, owner, "direct_message_permission_group", realm, "role:nobody")
        refusal = await client.post(
            "/messages", bob, type="direct", to=[carol.user_id], content="Hi"
        )
        assert "not allowed" in assert_error(refusal)
        assert_success(
            await client.post("/messages", bob, type="direct", to=[bob.user_id], content="Milk")
        )

    async def test_one_participant_with_permission_is_enough(
        self, client: ApiClient, realm: RealmRecord, owner: Person, bob: Person
    ) -> None:
        await _set(client, owner, "direct_message_permission_group", realm, "role:owners")
        assert_success(
            await client.post("/messages", bob, type="direct", to=[owner.user_id], content="Hi")
        )

    async def test_user_who_may_not_start_conversations_can_reply(
        self, client: ApiClient, realm: RealmRecord, owner: Person, bob: Person
    ) -> None:
        await _set(client, owner, "direct_message_initiator_group", realm, "role:owners")
        hello: dict[str, object] = {"type": "direct", "to": [owner.user_id], "content": "Hi"}
        assert "initiate" in assert_error(await client.post("/messages", bob, **hello))
        begun = await client.post(
            "/messages", owner, type="direct", to=[bob.user_id], content="Hello"
        )
        assert_success(begun)
        assert_success(await client.post("/messages", bob, **hello))

    async def test_guests_can_send_direct_messages(
        self, client: ApiClient, make_user: MakeUser, owner: Person
    ) -> None:
        guest = await make_user(Role.GUEST)
        assert_success(
            await client.post("/messages", guest, type="direct", to=[owner.user_id], content="Hi")
        )


async def _set(
    client: ApiClient, owner: Person, setting: str, realm: RealmRecord, group: str
) -> None:
    change = {"new": realm.system_groups[group]}
    assert_success(await client.patch("/realm", owner, **{setting: change}))


@pytest.mark.any_database
class TestOldMessages:
    """A user who may no longer send a message cannot edit it into an old one either."""

    async def test_cannot_be_changed_without_permission_for_direct_messages(
        self, client: ApiClient, realm: RealmRecord, owner: Person, bob: Person, carol: Person
    ) -> None:
        sent = await send_direct(client, bob, carol)
        note = await send_direct(client, bob, bob)
        await _set(client, owner, "direct_message_permission_group", realm, "role:nobody")
        edited = await client.patch(f"/messages/{sent}", bob, content="Bye")
        assert "not allowed" in assert_error(edited)
        assert "not allowed" in assert_error(await client.delete(f"/messages/{sent}", bob))
        assert_success(await client.patch(f"/messages/{note}", bob, content="Eggs"))
        assert_success(await client.delete(f"/messages/{note}", bob))
        await _set(client, owner, "direct_message_permission_group", realm, "role:everyone")
        assert_success(await client.patch(f"/messages/{sent}", bob, content="Bye"))
        assert_success(await client.delete(f"/messages/{sent}", bob))

    async def test_can_be_changed_when_the_other_is_deactivated(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, bob: Person, carol: Person
    ) -> None:
        sent = await send_direct(client, bob, carol)
        await deactivate(runtime, realm, carol)
        assert_success(await client.patch(f"/messages/{sent}", bob, content="Bye"))
        assert_success(await client.delete(f"/messages/{sent}", bob))

    async def test_can_be_deleted_with_permission_to_delete_any_message(
        self, client: ApiClient, realm: RealmRecord, owner: Person, bob: Person
    ) -> None:
        sent = await send_direct(client, bob, owner)
        await _set(client, owner, "direct_message_permission_group", realm, "role:nobody")
        assert_success(await client.delete(f"/messages/{sent}", owner))

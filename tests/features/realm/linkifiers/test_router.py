"""GET and PATCH /realm/linkifiers, POST /realm/filters, PATCH and DELETE /realm/filters/{id}."""

from typing import Any

import pytest

from chatapi.auth.runtime import Runtime
from chatapi.core.roles import Role
from chatapi.main import ChatApp
from tests import factories
from tests.factories import MakeUser, Person
from tests.features.realm.linkifiers.linking import (
    TICKETS,
    add_linkifier,
    linkifier,
    linkifiers_seen_by,
)
from tests.support.client import ApiClient
from tests.support.listening import listen
from tests.support.responses import assert_error, assert_success

FILTERS = "/realm/filters"
ORDER = "/realm/linkifiers"


class TestAdd:
    @pytest.mark.any_database
    async def test_is_for_administrators(
        self, client: ApiClient, make_user: MakeUser, owner: Person
    ) -> None:
        linkifier_id = await add_linkifier(client, owner)
        for role in (Role.MODERATOR, Role.MEMBER, Role.GUEST):
            person = await make_user(role)
            for response in (
                await client.post(FILTERS, person, **TICKETS),
                await client.patch(f"{FILTERS}/{linkifier_id}", person, **TICKETS),
                await client.delete(f"{FILTERS}/{linkifier_id}", person),
                await client.patch(ORDER, person, ordered_linkifier_ids=[linkifier_id]),
            ):
                assert_error(response, "UNAUTHORIZED_PRINCIPAL")
            assert await linkifiers_seen_by(client, person) == [linkifier(linkifier_id)]
        assert_error(await client.get(ORDER), "UNAUTHORIZED", 401)

    @pytest.mark.any_database
    async def test_event_is_sent_to_all_users(
        self, client: ApiClient, admin: Person, guest: Person
    ) -> None:
        listener = await listen(client, guest, event_types=["realm_linkifiers"])
        assert listener.state["realm_linkifiers"] == []
        linkifier_id = await add_linkifier(client, admin)
        added = [linkifier(linkifier_id)]
        [event] = await listener.new_events()
        assert event == {
            "id": event["id"],
            "type": "realm_linkifiers",
            "realm_linkifiers": added,
        }
        assert (await listen(client, guest)).state["realm_linkifiers"] == added

    @pytest.mark.any_database
    async def test_all_parameters(self, client: ApiClient, admin: Person) -> None:
        details = {
            "example_input": "#123",
            "reverse_template": "#{id}",
            "alternative_url_templates": ["https://old.example/{id}"],
        }
        linkifier_id = await add_linkifier(client, admin, **details)
        assert await linkifiers_seen_by(client, admin) == [linkifier(linkifier_id, **details)]

    @pytest.mark.any_database
    @pytest.mark.parametrize(
        ("wrong", "message"),
        [
            ({"pattern": ""}, "pattern cannot be empty"),
            ({"pattern": "x" * 501}, "pattern is too long (limit: 500 characters)"),
            ({"pattern": "a\0b"}, "pattern must not contain NUL characters"),
            ({"pattern": "#(?P<id>[0-9]+"}, "pattern: Bad regular expression: missing )"),
            ({"pattern": "(?P<id>a)(?=b)"}, "pattern: Bad regular expression: invalid perl"),
            ({"pattern": r"(?P<id>a)\1"}, "pattern: Bad regular expression: invalid escape"),
            ({"pattern": "(?P<id>(a{30}){30})"}, "pattern: Bad regular expression: pattern too"),
            ({"pattern": "(?P<id>[0-9]*)"}, "pattern: Must not match an empty text"),
            ({"pattern": "#[0-9]+"}, "url_template: 'id' in the template is not a group"),
            (
                {"pattern": "(?P<x>a)(?P<id>b)"},
                "url_template: Group 'x' in linkifier pattern is not present",
            ),
            ({"url_template": ""}, "url_template cannot be empty"),
            ({"url_template": "x" * 1_001}, "url_template is too long"),
            ({"url_template": "https://a.b/{id"}, "url_template: Invalid URL template: '{'"),
            ({"url_template": "https://a b/{id}"}, "url_template: Invalid URL template: ' '"),
            ({"url_template": "javascript:{id}"}, "url_template: Must begin with https://"),
            ({"url_template": "{+id}"}, "url_template: Must begin with https://"),
            ({"example_input": "123"}, "example_input: Does not match the pattern"),
            ({"reverse_template": "#{"}, "reverse_template: Invalid template"),
            ({"reverse_template": "#"}, "reverse_template: Group 'id' in linkifier pattern"),
            ({"reverse_template": "#{id}{x}"}, "reverse_template: 'x' in the template"),
            (
                {"alternative_url_templates": ["https://a.b/"]},
                "alternative_url_templates[0]: Group 'id'",
            ),
            ({"alternative_url_templates": "x"}, 'Argument "alternative_url_templates"'),
            ({"alternative_url_templates": [1]}, "alternative_url_templates[0] is not a string"),
            (
                {"alternative_url_templates": ["https://a.b/{id}"] * 11},
                "alternative_url_templates has too many entries (limit: 10)",
            ),
        ],
    )
    async def test_is_refused(
        self, client: ApiClient, admin: Person, wrong: dict[str, Any], message: str
    ) -> None:
        linkifier_id = await add_linkifier(client, admin, pattern="T(?P<id>[0-9]+)")
        before = await linkifiers_seen_by(client, admin)
        listener = await listen(client, admin, event_types=["realm_linkifiers"])
        values = {**TICKETS, **wrong}
        assert message in assert_error(await client.post(FILTERS, admin, **values))
        changed = await client.patch(f"{FILTERS}/{linkifier_id}", admin, **values)
        assert message in assert_error(changed)
        assert await linkifiers_seen_by(client, admin) == before
        assert await listener.new_events() == []

    async def test_twice_is_refused(self, client: ApiClient, admin: Person) -> None:
        await add_linkifier(client, admin)
        refused = "pattern: A linkifier with this pattern already exists"
        assert assert_error(await client.post(FILTERS, admin, **TICKETS)) == refused
        other = await add_linkifier(client, admin, pattern="T(?P<id>[0-9]+)")
        changed = await client.patch(f"{FILTERS}/{other}", admin, **TICKETS)
        assert assert_error(changed) == refused

    @pytest.mark.any_database
    async def test_number_is_limited(self, client: ApiClient, admin: Person) -> None:
        for number in range(100):
            await add_linkifier(client, admin, pattern=f"T{number}-(?P<id>[0-9]+)")
        refused = await client.post(FILTERS, admin, **TICKETS)
        assert assert_error(refused) == "Too many linkifiers (maximum 100)"


class TestChange:
    async def test_emits_an_event(self, client: ApiClient, admin: Person, member: Person) -> None:
        linkifier_id = await add_linkifier(client, admin, example_input="#1")
        listener = await listen(client, member, event_types=["realm_linkifiers"])
        new = {**TICKETS, "url_template": "https://new.example/{id}"}
        path = f"{FILTERS}/{linkifier_id}"
        assert assert_success(await client.patch(path, admin, **new)) == {}
        assert_success(await client.patch(path, admin, **new))
        [event] = await listener.new_events()
        changed = linkifier(linkifier_id, **new, example_input="#1")
        assert event["realm_linkifiers"] == [changed]
        assert_success(await client.patch(path, admin, **new, example_input=""))
        assert await linkifiers_seen_by(client, admin) == [{**changed, "example_input": None}]

    @pytest.mark.any_database
    @pytest.mark.parametrize("number", ["4711", "0", "9223372036854775807"])
    async def test_of_unknown_ones(self, client: ApiClient, admin: Person, number: str) -> None:
        path = f"{FILTERS}/{number}"
        assert assert_error(await client.patch(path, admin, **TICKETS)) == "Linkifier not found."
        assert assert_error(await client.delete(path, admin)) == "Linkifier not found."

    @pytest.mark.any_database
    async def test_of_another_organization(
        self, app: ChatApp, runtime: Runtime, owner: Person
    ) -> None:
        other = await factories.make_realm(runtime, "Other")
        stranger = await factories.make_user(runtime, other, Role.OWNER)
        theirs = ApiClient(app, "other.localhost")
        linkifier_id = await add_linkifier(theirs, stranger)
        client = ApiClient(app, "acme.localhost")
        path = f"{FILTERS}/{linkifier_id}"
        assert_error(await client.patch(path, owner, **TICKETS))
        assert_error(await client.delete(path, owner))
        assert_error(await client.patch(ORDER, owner, ordered_linkifier_ids=[linkifier_id]))
        assert await linkifiers_seen_by(client, owner) == []
        assert await linkifiers_seen_by(theirs, stranger) == [linkifier(linkifier_id)]


class TestRemove:
    async def test_emits_an_event(self, client: ApiClient, admin: Person, member: Person) -> None:
        linkifier_id = await add_linkifier(client, admin)
        listener = await listen(client, member, event_types=["realm_linkifiers"])
        assert assert_success(await client.delete(f"{FILTERS}/{linkifier_id}", admin)) == {}
        [event] = await listener.new_events()
        assert event["realm_linkifiers"] == []
        assert await linkifiers_seen_by(client, member) == []


class TestOrder:
    async def test_emits_an_event(self, client: ApiClient, admin: Person, member: Person) -> None:
        ids = [
            await add_linkifier(client, admin, pattern=f"{letter}(?P<id>[0-9]+)")
            for letter in "ABC"
        ]
        order = [ids[2], ids[0], ids[1]]
        listener = await listen(client, member, event_types=["realm_linkifiers"])
        for _ in range(2):
            moved = await client.patch(ORDER, admin, ordered_linkifier_ids=order)
            assert assert_success(moved) == {}
        [event] = await listener.new_events()
        assert [each["id"] for each in event["realm_linkifiers"]] == order
        assert [each["id"] for each in await linkifiers_seen_by(client, member)] == order
        last = await add_linkifier(client, admin)
        assert [each["id"] for each in await linkifiers_seen_by(client, member)] == [*order, last]

    async def test_order_must_contain_each_once(self, client: ApiClient, admin: Person) -> None:
        first = await add_linkifier(client, admin)
        second = await add_linkifier(client, admin, pattern="T(?P<id>[0-9]+)")
        for wrong in ([], [first], [first, first], [first, second, second], [first, second, 4711]):
            refused = await client.patch(ORDER, admin, ordered_linkifier_ids=wrong)
            assert "ordered_linkifier_ids must contain" in assert_error(refused)
        for nonsense in ("x", ["1"], [True], [-1], [2**63]):
            refused = await client.patch(ORDER, admin, ordered_linkifier_ids=nonsense)
            assert "ordered_linkifier_ids" in assert_error(refused)


class TestOldClients:
    @pytest.mark.any_database
    async def test_get_events_in_the_old_form(
        self, client: ApiClient, admin: Person, member: Person
    ) -> None:
        old = await listen(client, member, event_types=["realm_filters"])
        new = await listen(client, member, event_types=["realm_filters", "realm_linkifiers"])
        assert old.state["realm_filters"] == []
        linkifier_id = await add_linkifier(client, admin)
        await add_linkifier(
            client, admin, pattern="T(?P<id>[0-9]+)", url_template="https://t.example/{?id}"
        )
        known = [[TICKETS["pattern"], "https://t.example/%(id)s", linkifier_id]]
        assert [event["realm_filters"] for event in await old.new_events()] == [known, known]
        assert {event["type"] for event in await new.new_events()} == {"realm_linkifiers"}
        assert (await listen(client, member)).state["realm_filters"] == known

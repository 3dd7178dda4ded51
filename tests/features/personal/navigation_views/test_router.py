"""GET and POST /navigation_views, PATCH and DELETE /navigation_views/{fragment}."""

from typing import Any

import pytest

from tests.factories import Person
from tests.support.client import ApiClient
from tests.support.listening import listen
from tests.support.responses import assert_error, assert_success

VIEWS = "/navigation_views"
ALERTED = "narrow/is/alerted"


async def add(
    client: ApiClient, person: Person, fragment: str = ALERTED, **details: object
) -> None:
    values = {"is_pinned": True, **details}
    assert assert_success(await client.post(VIEWS, person, fragment=fragment, **values)) == {}


async def views_of(client: ApiClient, person: Person) -> list[dict[str, Any]]:
    views: list[dict[str, Any]] = assert_success(await client.get(VIEWS, person))[
        "navigation_views"
    ]
    return views


def view(fragment: str = ALERTED, **details: object) -> dict[str, Any]:
    return {"fragment": fragment, "is_pinned": True, "name": None, **details}


class TestViews:
    async def test_anonymous_is_refused(self, client: ApiClient, member: Person) -> None:
        await add(client, member)
        for response in (
            await client.get(VIEWS),
            await client.post(VIEWS, fragment="inbox", is_pinned=True),
            await client.patch(f"{VIEWS}/{ALERTED}", is_pinned=False),
            await client.delete(f"{VIEWS}/{ALERTED}"),
        ):
            assert_error(response, "UNAUTHORIZED", 401)

    @pytest.mark.any_database
    async def test_are_private_to_the_user(
        self, client: ApiClient, owner: Person, member: Person
    ) -> None:
        listener = await listen(client, member, event_types=["navigation_view", "navigation_views"])
        outside = await listen(client, owner, event_types=["navigation_view"])
        assert listener.state["navigation_views"] == []
        await add(client, member, name=" Alerts ")
        await add(client, member, "inbox", is_pinned=False)
        alerts = view(name="Alerts")
        first, second = await listener.new_events()
        assert first == {
            "id": first["id"],
            "type": "navigation_view",
            "op": "add",
            "navigation_view": alerts,
        }
        inbox = view("inbox", is_pinned=False)
        assert second["navigation_view"] == inbox
        assert await views_of(client, member) == [inbox, alerts]
        assert (await listen(client, member)).state["navigation_views"] == [inbox, alerts]
        assert await views_of(client, owner) == []
        assert await outside.new_events() == []

    @pytest.mark.any_database
    @pytest.mark.parametrize(
        ("wrong", "message"),
        [
            ({"fragment": ""}, "fragment cannot be empty"),
            ({"fragment": "x" * 501}, "fragment is too long (limit: 500 characters)"),
            ({"fragment": "a\0b"}, "fragment must not contain NUL characters"),
            ({"fragment": ALERTED}, "fragment: Navigation view already exists."),
            ({"is_pinned": "yes"}, 'Argument "is_pinned" is not valid JSON.'),
            ({"is_pinned": 1}, "is_pinned is not a boolean"),
            ({"name": " "}, "name cannot be empty"),
            ({"name": "x" * 61}, "name is too long (limit: 60 characters)"),
        ],
    )
    async def test_length_is_limited(
        self, client: ApiClient, member: Person, wrong: dict[str, object], message: str
    ) -> None:
        await add(client, member)
        values = {"fragment": "inbox", "is_pinned": True, **wrong}
        assert assert_error(await client.post(VIEWS, member, **values)) == message
        assert await views_of(client, member) == [view()]

    @pytest.mark.any_database
    async def test_number_is_limited(self, client: ApiClient, member: Person) -> None:
        for number in range(200):
            await add(client, member, f"narrow/id/{number}")
        refused = await client.post(VIEWS, member, fragment=ALERTED, is_pinned=True)
        assert assert_error(refused) == "Too many navigation views (maximum 200)"


class TestEdit:
    @pytest.mark.parametrize("path", [ALERTED, "narrow%2Fis%2Falerted"])
    async def test_changes_passed_values_only(
        self, client: ApiClient, member: Person, path: str
    ) -> None:
        await add(client, member)
        listener = await listen(client, member, event_types=["navigation_view"])
        assert assert_success(await client.patch(f"{VIEWS}/{path}", member, name="Alerts")) == {}
        assert_success(await client.patch(f"{VIEWS}/{path}", member, is_pinned=False))
        assert_success(await client.patch(f"{VIEWS}/{path}", member, is_pinned=False))
        events = await listener.new_events()
        assert [(event["op"], event["fragment"], event["data"]) for event in events] == [
            ("update", ALERTED, {"name": "Alerts", "is_pinned": True}),
            ("update", ALERTED, {"name": "Alerts", "is_pinned": False}),
        ]
        assert await views_of(client, member) == [view(name="Alerts", is_pinned=False)]

    @pytest.mark.any_database
    async def test_is_refused(self, client: ApiClient, owner: Person, member: Person) -> None:
        await add(client, owner)
        path = f"{VIEWS}/{ALERTED}"
        assert_error(await client.patch(path, member, is_pinned=False), "NOT_FOUND", 404)
        assert_error(await client.delete(path, member), "BAD_REQUEST", 400)
        assert "name" in assert_error(await client.patch(path, owner, name="x" * 61))
        assert await views_of(client, owner) == [view()]


class TestRemove:
    async def test_emits_an_event(self, client: ApiClient, member: Person) -> None:
        await add(client, member)
        await add(client, member, "inbox")
        listener = await listen(client, member, event_types=["navigation_view"])
        assert assert_success(await client.delete(f"{VIEWS}/{ALERTED}", member)) == {}
        [event] = await listener.new_events()
        assert event == {
            "id": event["id"],
            "type": "navigation_view",
            "op": "remove",
            "fragment": ALERTED,
        }
        assert await views_of(client, member) == [view("inbox")]

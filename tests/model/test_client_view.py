"""The comparison of clients with the database can fail: a client that misses an event differs."""

from copy import deepcopy
from typing import Any

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.events.event import registry
from tests.factories import MakeChannel, Person
from tests.model.client_view import apply_event, begin, differences
from tests.model.client_view.view import known_types
from tests.support.client import ApiClient
from tests.support.listening import listen
from tests.support.responses import assert_success

_KNOWN = {
    "notification_settings_null": True,
    "archived_channels": True,
    "empty_topic_name": True,
    "user_avatar_url_field_optional": True,
}
_WISH: dict[str, object] = {"include_subscribers": "true", "client_capabilities": _KNOWN}


@pytest.fixture
async def registered_and_told(
    client: ApiClient, realm: RealmRecord, owner: Person, guest: Person, make_channel: MakeChannel
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The initial state of the owner's client, and its events about one change of many parts."""
    del realm
    channel = await make_channel("team", subscribers=[owner])
    listener = await listen(client, owner, **_WISH)
    sent = await client.post("/messages", guest, type="direct", to=[owner.user_id], content="hello")
    number = assert_success(sent)["id"]
    draft = {"type": "", "to": [], "topic": "", "content": "dear"}
    subscription = {"subscriptions": [{"name": "team"}], "principals": [guest.user_id]}
    requests: list[tuple[str, str, dict[str, object]]] = [
        ("post", "/messages/flags", {"messages": [number], "op": "add", "flag": "starred"}),
        ("post", "/users/me/subscriptions", {**subscription, "announce": False}),
        ("patch", f"/streams/{channel.id}", {"new_name": "crew"}),
        ("post", "/users/me/alert_words", {"alert_words": ["hey"]}),
        ("post", "/drafts", {"drafts": [draft]}),
        ("patch", f"/users/{guest.user_id}", {"full_name": "Another"}),
        ("post", "/user_topics", {"stream_id": channel.id, "topic": "t", "visibility_policy": 1}),
        ("patch", "/realm", {"description": "about us"}),
        ("post", "/users/me/status", {"status_text": "busy"}),
    ]
    for method, path, params in requests:
        assert_success(await getattr(client, method)(path, owner, **params))
    told = await listener.new_events()
    return listener.state, told


def test_every_type_of_event_is_known_to_the_model() -> None:
    ours = [event for event in registry.values() if event.__module__.startswith("chatapi.")]
    told = {event.type for event in ours if not event.is_internal}
    assert told - known_types() == set()


async def test_client_that_takes_every_event_agrees(
    client: ApiClient,
    owner: Person,
    registered_and_told: tuple[dict[str, Any], list[dict[str, Any]]],
) -> None:
    registered, told = registered_and_told
    fresh = begin(assert_success(await client.post("/register", owner, **_WISH)), owner.user_id)
    view = begin(deepcopy(registered), owner.user_id)
    for event in told:
        apply_event(view, event)
    assert differences(view, fresh) == {}


async def test_client_that_misses_one_event_differs(
    client: ApiClient,
    owner: Person,
    registered_and_told: tuple[dict[str, Any], list[dict[str, Any]]],
) -> None:
    registered, told = registered_and_told
    fresh = begin(assert_success(await client.post("/register", owner, **_WISH)), owner.user_id)
    for missed in range(len(told)):
        view = begin(deepcopy(registered), owner.user_id)
        for number, event in enumerate(told):
            if number != missed:
                apply_event(view, event)
        assert differences(view, fresh), told[missed]

"""Responses stored for repeated requests hold no secrets, and are small."""

import re
from collections.abc import Iterator
from typing import Any, get_args, get_type_hints

import pytest
from sqlalchemy import text
from typing_extensions import is_typeddict

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.db.session import DatabaseSession
from chatapi.events.log import EventLog
from chatapi.http.idempotency import MAX_KEPT_BYTES
from chatapi.http.route import ChatRoute
from chatapi.wire.secrets import holds_secret
from tests.factories import Person
from tests.security.seeding import add_people
from tests.support.client import ApiClient, encode_form
from tests.support.responses import ApiResponse, assert_error, assert_success
from tests.support.routes import ROUTES

NAME_OF_SECRET = re.compile(r"(_keys?|password|token|secret|credentials?)$")
BOT = {"full_name": "Weather", "short_name": "weather"}


async def post(client: ApiClient, person: Person, path: str, **values: object) -> ApiResponse:
    headers = {"Idempotency-Key": "once"}
    return await client.call("POST", path, person, data=encode_form(values), headers=headers)


async def kept_answers(runtime: Runtime) -> list[str]:
    async with DatabaseSession(runtime.database) as db:
        return list((await db.execute(text("SELECT response FROM stored_response"))).scalars())


class TestBots:
    async def test_repeat_makes_no_second_bot_and_shows_no_key(
        self, client: ApiClient, owner: Person
    ) -> None:
        first = assert_success(await post(client, owner, "/bots", **BOT))
        assert first["api_key"]
        repeat = await post(client, owner, "/bots", **BOT)
        assert_error(repeat, "IDEMPOTENCY_ANSWER_NOT_KEPT", 409)
        assert first["api_key"] not in str(repeat.body)
        assert len((await client.get("/bots", owner))["bots"]) == 1

    async def test_key_is_not_in_the_database(
        self, client: ApiClient, owner: Person, runtime: Runtime
    ) -> None:
        await post(client, owner, "/bots", **BOT)
        assert await kept_answers(runtime) == ["null"]

    async def test_new_key_of_a_bot_is_not_in_the_database(
        self, client: ApiClient, owner: Person, runtime: Runtime
    ) -> None:
        bot = assert_success(await client.post("/bots", owner, **BOT))
        path = f"/bots/{bot['user_id']}/api_key/regenerate"
        key = assert_success(await post(client, owner, path))["api_key"]
        assert_error(await post(client, owner, path), "IDEMPOTENCY_ANSWER_NOT_KEPT", 409)
        assert key not in str(await kept_answers(runtime))


async def test_own_new_key_is_not_in_the_database(
    client: ApiClient, owner: Person, runtime: Runtime
) -> None:
    response = assert_success(await post(client, owner, "/users/me/api_key/regenerate"))
    assert response["api_key"] not in str(await kept_answers(runtime))


async def test_stored_response_without_a_secret_is_repeated(
    client: ApiClient, owner: Person
) -> None:
    values = {"title": "Hello", "content": "Hello"}
    responses = [await post(client, owner, "/saved_snippets", **values) for _ in range(2)]
    assert assert_success(responses[0]) == assert_success(responses[1])


class TestLargeResponses:
    async def test_large_response_is_not_stored_and_repeat_is_refused(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, owner: Person
    ) -> None:
        crowd = await add_people(runtime, realm, 40, [])
        wanted = {
            "subscriptions": [{"name": f"channel {number}".ljust(50, "x")} for number in range(50)],
            "principals": crowd,
        }
        path = "/users/me/subscriptions"
        first = assert_success(await post(client, owner, path, **wanted))
        assert len(str(first)) > MAX_KEPT_BYTES
        assert await kept_answers(runtime) == ["null"]
        before = await last_event(runtime, realm)
        repeat = await post(client, owner, path, **wanted)
        assert_error(repeat, "IDEMPOTENCY_ANSWER_NOT_KEPT", 409)
        assert await last_event(runtime, realm) == before

    async def test_registering_again_makes_another_queue_and_stores_nothing(
        self, client: ApiClient, owner: Person, runtime: Runtime
    ) -> None:
        """Its response grows with the realm, and a stored queue may be gone."""
        wanted = {"event_types": ["message"]}
        responses = [await post(client, owner, "/register", **wanted) for _ in range(2)]
        first, second = (assert_success(response)["queue_id"] for response in responses)
        assert first != second
        assert await kept_answers(runtime) == []
        assert_success(await client.delete("/events", owner, queue_id=first))
        third = assert_success(await post(client, owner, "/register", **wanted))["queue_id"]
        assert third not in {first, second}

    async def test_rendered_text_is_not_stored(
        self, client: ApiClient, owner: Person, runtime: Runtime
    ) -> None:
        responses = [await post(client, owner, "/messages/render", content="*a*") for _ in range(2)]
        assert assert_success(responses[0]) == assert_success(responses[1])
        assert await kept_answers(runtime) == []


async def last_event(runtime: Runtime, realm: RealmRecord) -> int:
    async with DatabaseSession(runtime.database) as db:
        return (await EventLog(db).read_clock(realm.id)).last_event


@pytest.mark.parametrize(
    "route", [pytest.param(route, id=f"{route.method} {route.path}") for route in ROUTES]
)
def test_every_key_that_is_named_like_a_secret_is_marked(route: ChatRoute) -> None:
    unmarked = [
        name
        for name, kind in keys_of(route.operation.payload(), set())
        if NAME_OF_SECRET.search(name) and str in strings_of(kind) and not holds_secret(kind)
    ]
    assert unmarked == []


def keys_of(kind: Any, seen: set[int]) -> Iterator[tuple[str, Any]]:
    """All keys of a payload and of what is inside, with their types."""
    if id(kind) in seen:
        return
    seen.add(id(kind))
    hints = get_type_hints(kind, include_extras=True) if is_typeddict(kind) else {}
    yield from hints.items()
    for member in (*hints.values(), *get_args(kind)):
        yield from keys_of(member, seen)


def strings_of(kind: Any) -> set[Any]:
    """The plain types a type is made of."""
    members = get_args(kind)
    return {kind} if not members else {each for member in members for each in strings_of(member)}

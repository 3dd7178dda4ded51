"""Incoming webhook bots may send messages and do nothing else, whatever their role."""

from collections.abc import AsyncIterator

import pytest

from chatapi.auth.guards import CallerGuard, WebhookGuard
from chatapi.core.roles import BotType, Role
from chatapi.features.registry import load_from_features
from chatapi.features.uploads.router import file_router
from chatapi.http.route import API_PREFIX, ChatRoute, FeatureRouter
from chatapi.main import ChatApp
from tests.contract.permission_world import People, World, make_people, world_of
from tests.contract.test_permission_matrix import PREPARATIONS, endpoint_of
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.realm.settings import change_realm
from tests.support.client import ApiClient, basic_auth, encode_form
from tests.support.clock import MovableClock
from tests.support.databases import WorkerSqlite
from tests.support.responses import assert_error, assert_success
from tests.support.routes import ROUTES, example_of, send_to

SENDING = "POST /messages"
REFUSED = "This API is not available to incoming webhook bots."
refusing_routes = pytest.mark.parametrize(
    "route",
    [
        pytest.param(route, id=endpoint_of(route))
        for route in ROUTES
        if route.operation.guard.credentials != "ignored" and endpoint_of(route) != SENDING
    ],
)


@pytest.fixture
async def webhook(make_user: MakeUser, owner: Person) -> Person:
    return await make_user(Role.OWNER, bot_owner=owner, bot_type=BotType.INCOMING_WEBHOOK)


def test_only_the_send_endpoint_admits_webhook_bots() -> None:
    admitting = [
        endpoint_of(route)
        for route in (*ROUTES, *file_router.chat_routes)
        if isinstance(route.operation.guard, CallerGuard) and route.operation.guard.allows_webhooks
    ]
    assert admitting == [SENDING]


def test_only_documents_of_other_programs_are_admitted_by_a_key_in_the_query() -> None:
    routers = load_from_features("router", FeatureRouter)
    admitting = [
        endpoint_of(route)
        for router in routers
        for route in router.chat_routes
        if isinstance(route.operation.guard, WebhookGuard)
    ]
    assert admitting == ["POST /external/{integration}"]


class TestEveryRoute:
    @pytest.fixture(params=["sqlite"])
    def backend(self, request: pytest.FixtureRequest) -> str:
        """The guard decides above the database."""
        return str(request.param)

    @pytest.fixture
    async def people(self, backend: str, sqlite_database: WorkerSqlite) -> People:
        return await sqlite_database.fill("people of all kinds", make_people)

    @pytest.fixture
    def database_url(self, people: People, sqlite_database: WorkerSqlite) -> str:
        return sqlite_database.url

    @pytest.fixture
    async def world(
        self, people: People, app: ChatApp, clock: MovableClock
    ) -> AsyncIterator[World]:
        world = world_of(people, app, clock)
        yield world
        await world.client.aclose()

    @refusing_routes
    async def test_request_of_a_webhook_bot_is_refused(
        self, world: World, route: ChatRoute
    ) -> None:
        webhook = await world.make_user(
            Role.OWNER, bot_owner=world.boss, bot_type=BotType.INCOMING_WEBHOOK
        )
        prepare = PREPARATIONS.get(endpoint_of(route))
        places, values = {}, {}
        if prepare is not None:
            prepared = await prepare(world, world.boss)
            places, values = dict(prepared.places), dict(prepared.values)
        answer = await send_to(
            world.client, route, webhook, {**example_of(route), **encode_form(values)}, places
        )
        assert assert_error(answer, "UNAUTHORIZED", 401) == REFUSED


@pytest.mark.any_database
async def test_webhook_bot_sends_a_message(
    client: ApiClient, make_channel: MakeChannel, owner: Person, webhook: Person
) -> None:
    channel = await make_channel("builds", subscribers=[owner])
    sent = assert_success(
        await client.post(
            "/messages", webhook, type="stream", to=channel.name, topic="nightly", content="Done"
        )
    )
    read = assert_success(await client.get(f"/messages/{sent['id']}", owner))
    assert read["message"]["sender_id"] == webhook.user_id


async def test_repeated_send_of_a_webhook_bot_gets_the_stored_response(
    client: ApiClient, make_channel: MakeChannel, owner: Person, webhook: Person
) -> None:
    channel = await make_channel("builds", subscribers=[owner])
    message = {"type": "stream", "to": channel.name, "topic": "nightly", "content": "Done"}
    ids = {
        assert_success(
            await client.call(
                "POST", "/messages", webhook, data=message, headers={"Idempotency-Key": "1"}
            )
        )["id"]
        for _ in range(2)
    }
    assert len(ids) == 1


@pytest.mark.any_database
async def test_webhook_bot_is_refused_by_endpoints_open_to_visitors(
    client: ApiClient, owner: Person, webhook: Person
) -> None:
    await change_realm(client, owner, enable_spectator_access=True)
    assert_success(await client.get("/users"))
    assert assert_error(await client.get("/users", webhook), "UNAUTHORIZED", 401) == REFUSED
    path = "/user_uploads/1/aa/token/file.txt"
    response = await client.http.get(path, auth=basic_auth(webhook))
    assert (response.status_code, response.json()["msg"]) == (401, REFUSED)
    response = await client.http.get(API_PREFIX + path, auth=basic_auth(webhook))
    assert (response.status_code, response.json()["msg"]) == (401, REFUSED)


@pytest.mark.any_database
async def test_wrong_key_gets_the_usual_error(client: ApiClient, webhook: Person) -> None:
    impostor = Person(webhook.user_id, webhook.email, "not the key")
    refusal = assert_error(await client.get("/users/me", impostor), "UNAUTHORIZED", 401)
    assert refusal == "Invalid API key"

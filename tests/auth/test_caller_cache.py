"""The cache of callers, and its invalidation by changes of other processes."""

import asyncio
import base64
from collections import defaultdict
from collections.abc import Awaitable
from dataclasses import replace

import pytest

from chatapi.auth.guards import WebhookGuard
from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.roles import Role
from chatapi.core.settings import Settings
from chatapi.db.session import DatabaseSession
from chatapi.main import ChatApp
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.messages.fetch.conversations import send
from tests.features.realm.settings import change_realm
from tests.support.account_changes import change_role, deactivate, replace_api_key
from tests.support.apps import StartApp
from tests.support.client import ApiClient
from tests.support.listening import listen
from tests.support.responses import ApiResponse, assert_error, assert_success
from tests.support.routes import ROUTES, example_of, send_to
from tests.support.sample_events import PersonTouched, RealmTouched, commit_events
from tests.support.servers import Servers
from tests.support.statements import recorded_statements
from tests.support.waiting import until, until_true


async def create_user(client: ApiClient, person: Person) -> ApiResponse:
    details = {"email": "new@example.com", "full_name": "New", "password": "correct horse"}
    return await client.call("POST", "/users", person, data=details)


def basic_header(person: Person) -> str:
    credentials = f"{person.email}:{person.api_key}"
    return f"Basic {base64.b64encode(credentials.encode()).decode()}"


class TestMemory:
    async def test_cached_caller_takes_no_statement(
        self, client: ApiClient, runtime: Runtime, member: Person
    ) -> None:
        await client.get("/users/me", member)
        with recorded_statements(runtime.database, "api_key") as statements:
            await client.get("/users/me", member)
        assert statements == []

    async def test_a_wrong_key_is_looked_up_every_time(
        self, client: ApiClient, runtime: Runtime, member: Person
    ) -> None:
        with recorded_statements(runtime.database, "api_key") as statements:
            for _ in range(2):
                await client.get("/users/me", Person(member.user_id, member.email, "wrong"))
        assert len(statements) == 2

    @pytest.mark.parametrize("kind", ["person", "realm"])
    async def test_is_invalidated_by_events(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, member: Person, kind: str
    ) -> None:
        await client.get("/users/me", member)
        touched = PersonTouched(user_ids=frozenset({member.user_id}))
        await commit_events(runtime, realm, touched if kind == "person" else RealmTouched())
        with recorded_statements(runtime.database, "api_key") as statements:
            assert_success(await client.get("/users/me", member))
        assert len(statements) == 1

    async def test_simultaneous_requests_are_all_marked_stale(
        self, runtime: Runtime, realm: RealmRecord, member: Person
    ) -> None:
        """Each cached caller must be marked when the user changes, not only the last one."""
        header = basic_header(member)
        async with (
            DatabaseSession(runtime.database) as one,
            DatabaseSession(runtime.database) as two,
        ):
            callers = await asyncio.gather(
                *(runtime.callers.authenticate(db, realm, header) for db in (one, two))
            )
        await commit_events(runtime, realm, RealmTouched())
        assert [caller.is_stale for caller in callers] == [True, True]

    async def test_other_callers_stay_cached(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, make_user: MakeUser
    ) -> None:
        changed, other = await make_user(), await make_user()
        await client.get("/users/me", other)
        await commit_events(runtime, realm, PersonTouched(user_ids=frozenset({changed.user_id})))
        with recorded_statements(runtime.database, "api_key") as statements:
            await client.get("/users/me", other)
        assert statements == []


class TestOtherProcess:
    """A change made in one process takes effect in the other; with and without a bus."""

    @pytest.fixture(params=["log", "bus"])
    def settings(
        self, settings: Settings, servers: Servers, request: pytest.FixtureRequest
    ) -> Settings:
        redis_url = servers.valkey.url if request.param == "bus" else ""
        return settings.model_copy(update={"redis_url": redis_url})

    @pytest.fixture
    async def there(self, start_app: StartApp) -> ApiClient:
        return ApiClient(await start_app())

    async def refuses(self, there: ApiClient, person: Person) -> bool:
        return (await there.get("/users/me", person)).status == 401

    async def test_a_replaced_key(
        self, runtime: Runtime, realm: RealmRecord, member: Person, there: ApiClient
    ) -> None:
        assert_success(await there.get("/users/me", member))
        await replace_api_key(runtime, realm, member)
        await until_true(lambda: self.refuses(there, member))

    async def test_a_deactivation(
        self, runtime: Runtime, realm: RealmRecord, owner: Person, member: Person, there: ApiClient
    ) -> None:
        assert_success(await there.get("/users/me", member))
        await deactivate(runtime, realm, member)
        await until_true(lambda: self.refuses(there, member))

    async def test_a_role(
        self, runtime: Runtime, realm: RealmRecord, owner: Person, member: Person, there: ApiClient
    ) -> None:
        assert not assert_success(await there.get("/users/me", member))["is_admin"]
        await change_role(runtime, realm, member, Role.ADMIN)

        async def is_admin() -> bool:
            return bool((await there.get("/users/me", member))["is_admin"])

        await until_true(is_admin)

    async def test_write_never_uses_an_outdated_role(
        self, runtime: Runtime, realm: RealmRecord, owner: Person, admin: Person, there: ApiClient
    ) -> None:
        """The lock on the realm shows a writer everything that was committed before."""
        assert_success(await there.get("/users/me", admin))
        await change_role(runtime, realm, admin, Role.MEMBER)
        assert_error(await create_user(there, admin), "UNAUTHORIZED_PRINCIPAL")

    async def test_registration_never_returns_outdated_settings(
        self, client: ApiClient, member: Person, there: ApiClient
    ) -> None:
        """State and queue position are of one moment: an earlier change is in the state."""
        assert_success(await there.get("/users/me", member))
        for size in (20, 21, 22):
            assert_success(await client.patch("/settings", member, web_font_size_px=size))
            listener = await listen(there, member)
            assert listener.state["user_settings"]["web_font_size_px"] == size
            assert await listener.new_events() == []


class TestChangeWhileWaiting:
    """A caller's role or account changes while their request waits for the realm's lock."""

    async def request_behind(
        self,
        change: Awaitable[None],
        app: ChatApp,
        realm: RealmRecord,
        request: Awaitable[ApiResponse],
    ) -> ApiResponse:
        """Let both wait for the lock, the change first, and return the request's response."""
        turn = app.runtime.database.writer_turn(realm.id)
        async with app.runtime.begin().db as blocker:
            await blocker.lock_realm(realm.id)
            changing = asyncio.ensure_future(change)
            await until(lambda: turn.waiting == 1)
            requesting = asyncio.ensure_future(request)
            await until(lambda: turn.waiting == 2)
        await changing
        return await requesting

    async def test_a_demoted_administrator_is_refused(
        self, app: ChatApp, client: ApiClient, realm: RealmRecord, owner: Person, admin: Person
    ) -> None:
        await client.get("/users/me", admin)
        change = change_role(app.runtime, realm, admin, Role.MEMBER)
        response = await self.request_behind(change, app, realm, create_user(client, admin))
        assert_error(response, "UNAUTHORIZED_PRINCIPAL")

    async def test_a_deactivated_administrator_is_unknown(
        self, app: ChatApp, client: ApiClient, realm: RealmRecord, owner: Person, admin: Person
    ) -> None:
        await client.get("/users/me", admin)
        change = deactivate(app.runtime, realm, admin)
        response = await self.request_behind(change, app, realm, create_user(client, admin))
        assert_error(response, "UNAUTHORIZED", 401)

    async def test_administrator_whose_role_is_unchanged_is_served(
        self, app: ChatApp, client: ApiClient, realm: RealmRecord, owner: Person, admin: Person
    ) -> None:
        await client.get("/users/me", admin)
        change = change_role(app.runtime, realm, admin, Role.OWNER)
        response = await self.request_behind(change, app, realm, create_user(client, admin))
        assert_success(response)


class TestRevokedKey:
    """A key that another process revoked is refused before anything else is said."""

    @pytest.mark.slow
    @pytest.mark.parametrize("role", [Role.MEMBER, Role.ADMIN])
    async def test_is_refused_by_every_endpoint_before_permissions_and_parameters(
        self,
        start_app: StartApp,
        client: ApiClient,
        realm: RealmRecord,
        make_user: MakeUser,
        role: Role,
    ) -> None:
        other = await start_app()
        guarded = [
            route
            for route in ROUTES
            if route.operation.guard.credentials != "ignored"
            and not isinstance(route.operation.guard, WebhookGuard)
        ]
        assert len(guarded) > 150
        person = await make_user(role)
        responses = {}
        for route in guarded:
            assert_success(await client.get("/users/me", person))
            old = person
            person = replace(person, api_key=await replace_api_key(other.runtime, realm, person))
            places: defaultdict[str, int] = defaultdict(lambda: 1)
            for name, values in (("example", example_of(route)), ("empty", {})):
                response = await send_to(client, route, old, values, places)
                responses[f"{route.method} {route.path_format} ({name})"] = response.status
        assert {name: status for name, status in responses.items() if status != 401} == {}

    async def test_emits_no_typing_event(
        self, start_app: StartApp, client: ApiClient, realm: RealmRecord, member: Person
    ) -> None:
        other = await start_app()
        typing = {"op": "start", "to": [member.user_id]}
        assert_success(await client.post("/typing", member, **typing))
        await replace_api_key(other.runtime, realm, member)
        assert_error(await client.post("/typing", member, **typing), "UNAUTHORIZED", 401)


class TestReading:
    """No read is served with a cached caller that is outdated."""

    async def test_anonymous_access_ended_in_another_process_reads_nothing_more(
        self,
        start_app: StartApp,
        client: ApiClient,
        make_channel: MakeChannel,
        owner: Person,
    ) -> None:
        await change_realm(client, owner, enable_spectator_access=True)
        channel = await make_channel("open", subscribers=[owner], is_web_public=True)
        message_id = await send(client, owner, channel)
        elsewhere = ApiClient(await start_app())
        for path in (f"/messages/{message_id}", f"/users/me/{channel.id}/topics"):
            assert_success(await client.get(path))
            await change_realm(elsewhere, owner, enable_spectator_access=False)
            assert (await client.get(path)).status >= 400, path
            await change_realm(elsewhere, owner, enable_spectator_access=True)
        await elsewhere.aclose()

    async def test_page_of_messages_takes_one_read_of_the_clock(
        self,
        client: ApiClient,
        runtime: Runtime,
        make_channel: MakeChannel,
        member: Person,
    ) -> None:
        channel = await make_channel(subscribers=[member])
        message_id = await send(client, member, channel)
        for path, params in (
            ("/messages", {"anchor": "newest", "num_before": 1, "num_after": 0}),
            (f"/messages/{message_id}", {}),
            ("/users", {}),
        ):
            with recorded_statements(runtime.database, "realm_clock") as statements:
                assert_success(await client.get(path, member, **params))
            of_request = [each for each in statements if "log_floor" in each]
            assert len(of_request) == 1, path

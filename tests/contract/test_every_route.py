"""Rules that hold for every endpoint."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import pytest

from chatapi.core.errors import BadRequestError
from chatapi.core.roles import Role
from chatapi.http.openapi._headers import has_etag
from chatapi.http.route import ChatRoute
from chatapi.wire.params import Params
from chatapi.wire.strict_json import JsonValue
from tests import factories
from tests.factories import Person
from tests.support.apps import make_settings, running_app
from tests.support.client import ApiClient, basic_auth, encode_form
from tests.support.clock import MovableClock
from tests.support.databases import SqliteTemplate
from tests.support.responses import ApiResponse
from tests.support.routes import ROUTES, example_of, natural_example_of, send_to
from tests.support.waiting import MAX_WAIT_SECONDS

T = TypeVar("T")

UNKNOWN = "no_endpoint_knows_this"
SOMETHING: defaultdict[str, str] = defaultdict(lambda: "1")
"""A value for each path parameter; the endpoint reports that nothing has this id."""

every_route = pytest.mark.parametrize(
    "route", [pytest.param(route, id=f"{route.method} {route.path}") for route in ROUTES]
)
guarded_routes = pytest.mark.parametrize(
    "route",
    [
        pytest.param(route, id=f"{route.method} {route.path}")
        for route in ROUTES
        if route.operation.guard.credentials == "required"
    ],
)


routes_with_body = pytest.mark.parametrize(
    "route",
    [
        pytest.param(route, id=f"{route.method} {route.path}")
        for route in ROUTES
        if route.method != "GET"
    ],
)


async def send(
    client: ApiClient, route: ChatRoute, person: Person | None, values: dict[str, str]
) -> ApiResponse:
    return await send_to(client, route, person, values, SOMETHING)


async def send_json(
    client: ApiClient, route: ChatRoute, person: Person | None, values: dict[str, Any]
) -> ApiResponse:
    path = route.path_format.format_map(SOMETHING)
    auth = basic_auth(person)
    return client.read(await client.http.request(route.method, path, auth=auth, json=values))


@pytest.fixture(params=["sqlite"])
def backend(request: pytest.FixtureRequest) -> str:
    """These checks do not depend on the kind of database."""
    return str(request.param)


@dataclass(frozen=True)
class SharedApp:
    """An application for requests that are refused: they change nothing, so one serves all."""

    client: ApiClient
    owner: Person


@pytest.fixture(scope="module")
async def shared_app(
    sqlite_template: SqliteTemplate, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[SharedApp]:
    folder = tmp_path_factory.mktemp("refused")
    settings = make_settings(sqlite_template.copy_to(folder), folder)
    async with running_app(settings, MovableClock()) as app:
        realm = await factories.make_realm(app.runtime)
        client = ApiClient(app)
        yield SharedApp(client, await factories.make_user(app.runtime, realm, Role.OWNER))
        await client.aclose()


@guarded_routes
async def test_wrong_credentials_get_the_same_error_and_missing_ones_are_named(
    backend: str, shared_app: SharedApp, route: ChatRoute
) -> None:
    client, owner = shared_app.client, shared_app.owner
    impostor = Person(owner.user_id, owner.email, "not the key")
    unknown = Person(owner.user_id, "nobody@example.com", owner.api_key)
    responses = [
        await send(client, route, person, example_of(route)) for person in (None, impostor, unknown)
    ]
    for answer in responses:
        assert (answer.status, answer["code"]) == (401, "UNAUTHORIZED")
        assert answer.headers["www-authenticate"].startswith("Basic ")
    anonymous, wrong_key, wrong_name = [answer["msg"] for answer in responses]
    assert wrong_key == wrong_name == "Invalid API key"
    assert anonymous.startswith("Not logged in")


@every_route
async def test_unknown_parameters_are_reported_on_success_only(
    client: ApiClient, owner: Person, route: ChatRoute
) -> None:
    answer = await send(client, route, owner, {**example_of(route), UNKNOWN: "1"})
    if answer["result"] == "success":
        assert answer["ignored_parameters_unsupported"] == [UNKNOWN]
    else:
        assert "ignored_parameters_unsupported" not in answer.body


def each_one_missing(values: Mapping[str, T]) -> Iterator[tuple[str, dict[str, T]]]:
    """Each name of the values, with all others."""
    for name in values:
        yield name, {other: value for other, value in values.items() if other != name}


def assert_is_missing(answer: ApiResponse, name: str) -> None:
    assert (answer.status, answer["code"]) == (400, "BAD_REQUEST")
    assert f"'{name}'" in answer["msg"]


@every_route
async def test_a_missing_parameter_is_named(
    backend: str, shared_app: SharedApp, route: ChatRoute
) -> None:
    for name, rest in each_one_missing(example_of(route)):
        answer = await send(shared_app.client, route, shared_app.owner, rest)
        assert_is_missing(answer, name)


@routes_with_body
def test_examples_mean_the_same_in_a_form_and_in_a_json_body(route: ChatRoute) -> None:
    params = route.operation.params
    values = natural_example_of(route)
    values.pop(params.file_parameter or "", None)
    natural = {name: JsonValue(value) for name, value in values.items()}
    assert outcome(params, natural) == outcome(params, encode_form(values))


def outcome(params: type[Params], values: Mapping[str, str | JsonValue]) -> object:
    try:
        return params.read(values)
    except BadRequestError as error:
        return error.msg


@routes_with_body
async def test_parameters_of_a_json_body_are_read_like_those_of_a_form(
    backend: str, shared_app: SharedApp, route: ChatRoute
) -> None:
    for name, rest in each_one_missing(natural_example_of(route)):
        answer = await send_json(shared_app.client, route, shared_app.owner, rest)
        assert_is_missing(answer, name)


@routes_with_body
async def test_unknown_members_of_a_json_body_are_reported(
    client: ApiClient, owner: Person, route: ChatRoute
) -> None:
    answer = await send_json(client, route, owner, {**natural_example_of(route), UNKNOWN: [1]})
    if answer["result"] == "success":
        assert answer["ignored_parameters_unsupported"] == [UNKNOWN]
    else:
        assert "ignored_parameters_unsupported" not in answer.body


@every_route
async def test_request_that_locks_first_is_served_and_leaves_no_lock(
    client: ApiClient, owner: Person, route: ChatRoute, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(route, "_most_restarts", -1)
    async with asyncio.timeout(MAX_WAIT_SECONDS):
        answer = await send(client, route, owner, example_of(route))
        assert answer.status < 500
        monkeypatch.undo()
        assert (await client.post("/users/me/presence", owner, status="active")).status < 500
        assert (await client.patch("/settings", owner, web_font_size_px=20)).status < 500


@every_route
async def test_every_response_has_an_envelope_and_no_shared_cache_keeps_it(
    client: ApiClient, owner: Person, route: ChatRoute
) -> None:
    answer = await send(client, route, owner, example_of(route))
    assert answer["result"] == ("success" if answer.status == 200 else "error")
    assert isinstance(answer["msg"], str)
    assert (answer["msg"] == "") == (answer.status == 200)
    assert ("code" in answer.body) == (answer.status != 200)
    is_kept = answer.status == 200 and "etag" in answer.headers
    # What may be kept is asked for again each time; no shared cache keeps anything.
    assert answer.headers["cache-control"] == (
        "private, no-cache" if is_kept else "no-store, private"
    )
    assert is_kept == (answer.status == 200 and has_etag(route))
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["x-request-id"]


@every_route
async def test_other_methods_are_refused_with_a_list_of_allowed_ones(
    backend: str, shared_app: SharedApp, route: ChatRoute
) -> None:
    path = route.path_format.format_map(SOMETHING)
    auth = basic_auth(shared_app.owner)
    response = await shared_app.client.http.request("TRACE", path, auth=auth)
    body = response.json()
    assert (response.status_code, body["code"]) == (405, "METHOD_NOT_ALLOWED")
    assert route.method in response.headers["allow"].split(", ")
    assert body["allowed_methods"] == response.headers["allow"].split(", ")

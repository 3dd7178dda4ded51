"""What holds for every endpoint, whatever it does."""

from collections import defaultdict
from typing import Any

import orjson
import pytest

from chatapi.http.openapi import build_document
from chatapi.http.route import ChatRoute
from chatapi.main import FEATURES
from tests.factories import Person
from tests.support.answers import Answer
from tests.support.client import ApiClient, basic_auth

ROUTES = [route for feature in FEATURES for route in feature.routes]
DOCUMENT = build_document(FEATURES)
UNKNOWN = "no_endpoint_knows_this"

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


def path_of(route: ChatRoute) -> str:
    """The path with something in each place; that nothing is there is for the endpoint to say."""
    return route.path_format.format_map(defaultdict(lambda: "1"))


def example_of(route: ChatRoute) -> dict[str, str]:
    """A request as the documentation shows it: every required parameter with its example."""
    operation = DOCUMENT["paths"][route.path_format][route.method.lower()]
    values: dict[str, Any] = {}
    for parameter in operation.get("parameters", ()):
        if parameter["in"] == "query" and parameter["required"]:
            media = parameter.get("content", {}).get("application/json", parameter)
            values[parameter["name"]] = media["example"]
    for media in operation.get("requestBody", {}).get("content", {}).values():
        form = DOCUMENT["components"]["schemas"][media["schema"]["$ref"].rpartition("/")[2]]
        for name in form.get("required", ()):
            values[name] = form["properties"][name]["examples"][0]
    return {
        name: value if isinstance(value, str) else orjson.dumps(value).decode()
        for name, value in values.items()
    }


async def send(
    client: ApiClient, route: ChatRoute, person: Person | None, values: dict[str, str]
) -> Answer:
    place: dict[str, Any] = {"params" if route.method == "GET" else "data": values}
    response = await client.http.request(
        route.method, path_of(route), auth=basic_auth(person), **place
    )
    return client.read(response)


@pytest.fixture(params=["sqlite"])
def backend(request: pytest.FixtureRequest) -> str:
    """What is looked at here never reaches the database's own ways."""
    return str(request.param)


@guarded_routes
async def test_strangers_are_refused_alike(
    client: ApiClient, owner: Person, route: ChatRoute
) -> None:
    impostor = Person(owner.user_id, owner.email, "not the key")
    unknown = Person(owner.user_id, "nobody@example.com", owner.api_key)
    answers = [
        await send(client, route, person, example_of(route)) for person in (None, impostor, unknown)
    ]
    for answer in answers:
        assert (answer.status, answer["code"]) == (401, "UNAUTHORIZED")
        assert answer.headers["www-authenticate"].startswith("Basic ")
        assert answer.body == answers[0].body


@every_route
async def test_unknown_parameters_are_reported_on_success_only(
    client: ApiClient, owner: Person, route: ChatRoute
) -> None:
    answer = await send(client, route, owner, {**example_of(route), UNKNOWN: "1"})
    if answer["result"] == "success":
        assert answer["ignored_parameters_unsupported"] == [UNKNOWN]
    else:
        assert "ignored_parameters_unsupported" not in answer.body


@every_route
async def test_a_missing_parameter_is_named(
    client: ApiClient, owner: Person, route: ChatRoute
) -> None:
    values = example_of(route)
    for name in values:
        rest = {other: value for other, value in values.items() if other != name}
        answer = await send(client, route, owner, rest)
        assert (answer.status, answer["code"]) == (400, "BAD_REQUEST")
        assert f"'{name}'" in answer["msg"]


@every_route
async def test_every_answer_has_an_envelope_and_may_not_be_cached(
    client: ApiClient, owner: Person, route: ChatRoute
) -> None:
    answer = await send(client, route, owner, example_of(route))
    assert answer["result"] == ("success" if answer.status == 200 else "error")
    assert isinstance(answer["msg"], str)
    assert (answer["msg"] == "") == (answer.status == 200)
    assert ("code" in answer.body) == (answer.status != 200)
    assert answer.headers["cache-control"] == "no-store, private"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["x-request-id"]


@every_route
async def test_other_methods_are_refused_with_those_that_are_allowed(
    client: ApiClient, owner: Person, route: ChatRoute
) -> None:
    response = await client.http.request("TRACE", path_of(route), auth=basic_auth(owner))
    body = response.json()
    assert (response.status_code, body["code"]) == (405, "METHOD_NOT_ALLOWED")
    assert route.method in response.headers["allow"].split(", ")
    assert body["allowed_methods"] == response.headers["allow"].split(", ")

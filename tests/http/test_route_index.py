"""Routing: constant cost, and the envelope for unknown paths."""

import pytest
from starlette.routing import Match, Route
from starlette.types import ASGIApp, Scope
from typing_extensions import TypedDict, override

from chatapi.auth.guards import Anybody
from chatapi.core.errors import MethodNotAllowedError, NotFoundError
from chatapi.http.route import API_PREFIX, FeatureRouter, PageApp, RouteIndex
from tests.support.client import ApiClient
from tests.support.responses import assert_error

# Paths are matched without the database.
pytestmark = pytest.mark.any_database

asked: list[str] = []


class CountingRoute(Route):
    """Records that it was asked to match."""

    @override
    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        asked.append(self.path)
        return super().matches(scope)


async def endpoint(*_arguments: object) -> None:
    """Returns nothing; only the routing to it matters."""


def scope(path: str, method: str = "GET") -> Scope:
    return {"type": "http", "path": path, "method": method, "root_path": "", "headers": []}


def found_endpoint(index: RouteIndex, requested: Scope) -> ASGIApp:
    found = index.find(requested)
    assert isinstance(found, PageApp)
    return found.app


def find(index: RouteIndex, path: str, method: str = "GET") -> list[str]:
    """The routes that were asked to match a path."""
    asked.clear()
    assert found_endpoint(index, scope(path, method)) is endpoint
    return list(asked)


@pytest.fixture
def index() -> RouteIndex:
    routes = [
        CountingRoute(f"{API_PREFIX}/thing{number}{rest}", endpoint, methods=[method])
        for number in range(100)
        for rest, method in (("", "GET"), ("/{id}", "PATCH"))
    ]
    for route in routes:
        route.app = endpoint
    return RouteIndex(list(routes))


class TestCost:
    def test_only_patterns_of_the_same_segment_are_asked(self, index: RouteIndex) -> None:
        assert find(index, "/api/v1/thing99") == []
        assert len(find(index, "/api/v1/thing99/5", "PATCH")) == 1

    def test_unknown_segment_asks_no_route(self, index: RouteIndex) -> None:
        for path in ("/api/v1/nothing", "/api/v1/", "/api/v1", "/", "", "/thing99"):
            with pytest.raises(NotFoundError):
                find(index, path)
            assert asked == []

    @pytest.mark.parametrize(
        ("path", "allowed"), [("thing7/5", ["PATCH"]), ("thing7", ["GET", "HEAD"])]
    )
    def test_allowed_methods_are_listed(
        self, index: RouteIndex, path: str, allowed: list[str]
    ) -> None:
        with pytest.raises(MethodNotAllowedError) as refused:
            find(index, f"/api/v1/{path}", "DELETE")
        assert refused.value.allowed_methods == allowed


def test_parameter_with_slashes_does_not_match_an_empty_path() -> None:
    route = Route("/files/{name:path}", endpoint)
    route.app = endpoint
    index = RouteIndex([route])
    assert found_endpoint(index, scope("/files/a/b")) is endpoint
    with pytest.raises(NotFoundError):
        index.find(scope("/files/"))


class TextPayload(TypedDict):
    text: str


router = FeatureRouter("Tests")


@router.get("/test/items/special")
async def special(ctx: Anybody) -> TextPayload:
    """The one that is spelled out."""
    return {"text": "special"}


@router.get("/test/items/{item_id}")
async def item(ctx: Anybody, item_id: int) -> TextPayload:
    """Any of them."""
    return {"text": str(item_id)}


@router.patch("/test/items/{item_id}")
async def change_item(ctx: Anybody, item_id: int) -> None:
    """Any of them, changed."""


@router.delete("/test/items/{name}")
async def delete_item(ctx: Anybody, name: str) -> None:
    """The same path under another name."""


@pytest.mark.usefixtures("realm")
class TestResponses:
    @pytest.fixture
    def extra_routes(self) -> tuple[FeatureRouter, ...]:
        return (router,)

    async def test_literal_path_has_priority(self, client: ApiClient) -> None:
        assert (await client.get("/test/items/special"))["text"] == "special"
        assert (await client.get("/test/items/5"))["text"] == "5"

    async def test_literal_path_does_not_match_the_parameter(self, client: ApiClient) -> None:
        answer = await client.delete("/test/items/special")
        assert_error(answer, "METHOD_NOT_ALLOWED", 405, allowed_methods=["GET", "HEAD"])

    @pytest.mark.parametrize("path", ["/nothing", "/users/1/2/3", "/test/items/", "/users/", ""])
    async def test_unknown_paths(self, client: ApiClient, path: str) -> None:
        assert_error(await client.get(path), "NOT_FOUND", 404)

    @pytest.mark.parametrize("path", ["/nothing", "/api", "/api/v2/users", "//api/v1/users"])
    async def test_unknown_paths_outside_the_api(self, client: ApiClient, path: str) -> None:
        response = await client.http.get(f"http://localhost{path}")
        assert_error(client.read(response), "NOT_FOUND", 404)

    @pytest.mark.parametrize("method", ["PUT", "POST", "OPTIONS", "TRACE", "QUERY"])
    async def test_other_methods(self, client: ApiClient, method: str) -> None:
        response = await client.http.request(method, "/api/v1/test/items/5")
        assert response.status_code == 405
        assert response.headers["allow"] == "GET, HEAD, PATCH, DELETE"

    async def test_other_methods_are_named_in_the_envelope(self, client: ApiClient) -> None:
        answer = await client.call("PUT", "/test/items/5")
        allowed = ["GET", "HEAD", "PATCH", "DELETE"]
        message = assert_error(answer, "METHOD_NOT_ALLOWED", 405, allowed_methods=allowed)
        assert "GET, HEAD, PATCH, DELETE" in message

    async def test_a_path_argument_of_the_wrong_type(self, client: ApiClient) -> None:
        message = assert_error(await client.get("/test/items/five"))
        assert message.startswith("Invalid item_id")

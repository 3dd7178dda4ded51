"""Guards: the type of an endpoint's first argument says who may call it."""

import pytest
from typing_extensions import TypedDict

from chatapi.auth.guards import Admin, Anybody, LoggedIn, MaybeAnonymous, Server
from chatapi.auth.realm_cache import RealmRecord
from chatapi.core.roles import Role
from chatapi.http.route import FeatureRouter
from tests.factories import MakeUser, Person
from tests.support.client import ApiClient
from tests.support.responses import assert_error, assert_success


class WhoPayload(TypedDict):
    user_id: int | None


router = FeatureRouter("Tests")


@router.get("/test/server")
async def server(ctx: Server) -> WhoPayload:
    """Open to every client, without a realm."""
    return {"user_id": None}


@router.get("/test/anybody")
async def anybody(ctx: Anybody) -> WhoPayload:
    """Open to every client of a realm."""
    return {"user_id": ctx.reader.id if ctx.reader else None}


@router.get("/test/visitor")
async def visitor(ctx: MaybeAnonymous) -> WhoPayload:
    """For users, and for anonymous visitors."""
    return {"user_id": ctx.reader.id if ctx.reader else None}


@router.get("/test/caller")
async def caller(ctx: LoggedIn) -> WhoPayload:
    """For users."""
    return {"user_id": ctx.user.id}


@router.get("/test/admin")
async def administrator(ctx: Admin) -> WhoPayload:
    """For administrators."""
    return {"user_id": ctx.user.id}


@pytest.fixture
def extra_routes() -> tuple[FeatureRouter, ...]:
    return (router,)


WRONG = Person(0, "nobody@example.com", "wrong")  # type: ignore[arg-type]  # nobody's


class TestServer:
    @pytest.mark.any_database
    async def test_needs_no_realm(self, client: ApiClient) -> None:
        assert_success(await client.get("/test/server"))
        assert_success(await client.get("/test/server", WRONG))


@pytest.mark.any_database
class TestAnybody:
    async def test_needs_a_realm(self, client: ApiClient) -> None:
        assert_error(await client.get("/test/anybody"), "NONEXISTENT_SUBDOMAIN", 404)

    async def test_ignores_credentials(self, client: ApiClient, realm: RealmRecord) -> None:
        assert_success(await client.get("/test/anybody", WRONG))


@pytest.mark.any_database
class TestMaybeAnonymous:
    async def test_without_credentials_there_is_no_caller(
        self, client: ApiClient, realm: RealmRecord
    ) -> None:
        assert (await client.get("/test/visitor"))["user_id"] is None

    async def test_with_credentials_there_is_a_caller(
        self, client: ApiClient, member: Person
    ) -> None:
        assert (await client.get("/test/visitor", member))["user_id"] == member.user_id

    async def test_wrong_credentials_are_refused(
        self, client: ApiClient, realm: RealmRecord
    ) -> None:
        assert_error(await client.get("/test/visitor", WRONG), "UNAUTHORIZED", 401)


@pytest.mark.any_database
class TestCaller:
    @pytest.mark.parametrize("role", list(Role))
    async def test_admits_every_role(
        self, client: ApiClient, make_user: MakeUser, role: Role
    ) -> None:
        person = await make_user(role)
        assert (await client.get("/test/caller", person))["user_id"] == person.user_id

    async def test_refuses_missing_and_wrong_credentials(
        self, client: ApiClient, realm: RealmRecord
    ) -> None:
        assert_error(await client.get("/test/caller"), "UNAUTHORIZED", 401)
        assert_error(await client.get("/test/caller", WRONG), "UNAUTHORIZED", 401)


@pytest.mark.any_database
class TestAdmin:
    @pytest.mark.parametrize("role", [Role.OWNER, Role.ADMIN])
    async def test_admits_administrators(
        self, client: ApiClient, make_user: MakeUser, role: Role
    ) -> None:
        assert_success(await client.get("/test/admin", await make_user(role)))

    @pytest.mark.parametrize("role", [Role.MODERATOR, Role.MEMBER, Role.GUEST])
    async def test_refuses_other_roles(
        self, client: ApiClient, make_user: MakeUser, role: Role
    ) -> None:
        response = await client.get("/test/admin", await make_user(role))
        assert_error(response, "UNAUTHORIZED_PRINCIPAL")

    async def test_refuses_anonymous_as_unauthenticated(
        self, client: ApiClient, realm: RealmRecord
    ) -> None:
        assert_error(await client.get("/test/admin"), "UNAUTHORIZED", 401)

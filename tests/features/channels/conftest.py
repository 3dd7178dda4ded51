"""A second realm, for tests of isolation between realms."""

from collections.abc import AsyncIterator

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.roles import Role
from chatapi.main import ChatApp
from tests import factories
from tests.factories import Person
from tests.support.client import ApiClient


@pytest.fixture
async def other_owner(
    runtime: Runtime, realm: RealmRecord, app: ChatApp
) -> AsyncIterator[tuple[ApiClient, Person]]:
    other = await factories.make_realm(runtime, "Elsewhere", "elsewhere")
    client = ApiClient(app, "elsewhere.localhost")
    yield client, await factories.make_user(runtime, other, Role.OWNER)
    await client.aclose()

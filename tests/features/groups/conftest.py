"""A second realm, for tests of isolation between realms."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.roles import Role
from chatapi.main import ChatApp
from tests import factories
from tests.factories import Person
from tests.features.groups.groups import add_group
from tests.support.client import ApiClient


@dataclass(frozen=True)
class Elsewhere:
    """A user and a group of another realm, and a client for the first realm."""

    person: Person
    group_id: int
    here: ApiClient


@pytest.fixture
async def elsewhere(runtime: Runtime, realm: RealmRecord, app: ChatApp) -> AsyncIterator[Elsewhere]:
    other = await factories.make_realm(runtime, "Elsewhere", "elsewhere")
    person = await factories.make_user(runtime, other, Role.OWNER)
    there = ApiClient(app, f"{other.subdomain}.localhost")
    here = ApiClient(app, f"{realm.subdomain}.localhost")
    yield Elsewhere(person, await add_group(there, person, [person]), here)
    await there.aclose()
    await here.aclose()

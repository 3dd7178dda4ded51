"""The organization and users that tests start with: made once by the service, then copied.

Creating an organization and four users takes about forty statements, which was most of the setup
of an ordinary test. A worker creates each combination of users once and keeps its rows
(`WorkerDatabase.fill` in tests/support/databases.py).
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.roles import Role
from tests import factories
from tests.factories import Person
from tests.support.apps import make_settings, running_app
from tests.support.clock import MovableClock

ROLES = {"owner": Role.OWNER, "admin": Role.ADMIN, "member": Role.MEMBER, "guest": Role.GUEST}
"""The fixtures of users, in the order in which the users are created."""


@dataclass(frozen=True)
class World:
    """What is in the database before the application of a test starts."""

    realm: RealmRecord
    people: Mapping[Role, Person]


def roles_in(fixture_names: Collection[str]) -> tuple[Role, ...] | None:
    """The users a test asks for; None if it does not even ask for an organization."""
    if "realm" not in fixture_names:
        return None
    return tuple(role for name, role in ROLES.items() if name in fixture_names)


async def make_world(roles: Iterable[Role], database_url: str) -> World:
    """Fill an empty database."""
    with TemporaryDirectory() as folder:
        settings = make_settings(database_url, Path(folder))
        async with running_app(settings, MovableClock()) as app:
            realm = await factories.make_realm(app.runtime, "Acme")
            people = {role: await factories.make_user(app.runtime, realm, role) for role in roles}
    return World(realm, people)


class LoadedWorlds:
    """Which world a database was filled with, for fixtures that hand out its parts."""

    def __init__(self) -> None:
        self._worlds: dict[str, World] = {}

    def put(self, database_url: str, world: World | None) -> None:
        self._worlds.pop(database_url, None)
        if world is not None:
            self._worlds[database_url] = world

    def of(self, runtime: Runtime) -> World | None:
        return self._worlds.get(runtime.settings.effective_database_url)


loaded_worlds = LoadedWorlds()
"""Those of this worker; a test runs on one database at a time."""

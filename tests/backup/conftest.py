"""An organization with something in nearly every table, and empty databases to restore into."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import TypeAlias

import pytest

from chatapi.auth.realm_rows import RealmRows
from chatapi.core.clock import SystemClock
from chatapi.core.roles import Role
from chatapi.core.settings import SQLITE_FILE, Settings
from chatapi.db.database import Database
from chatapi.db.migrate import upgrade_database
from tests import factories
from tests.examples.recorder import Recorder
from tests.examples.story import record
from tests.features.emoji.adding import add_emoji
from tests.features.emoji.pictures import moving_picture, picture
from tests.features.uploads.files import send_to_person, upload
from tests.features.uploads.pictures import draw_all, stop_drawing, upload_picture
from tests.features.users.avatars.pictures import upload_avatar
from tests.support.apps import make_settings, running_app
from tests.support.client import ApiClient
from tests.support.responses import assert_success
from tests.support.servers import Servers

MakeEmpty: TypeAlias = Callable[[str], Awaitable[Settings]]

KINDS = ["sqlite", "postgresql"]
_numbers = count()
"""Each database has an address of its own: apps of tests keep connections by address."""


@asynccontextmanager
async def empty_databases(servers: Servers, folder: Path, prefix: str) -> AsyncIterator[MakeEmpty]:
    """Yields a function that makes a database without tables and a folder for its files."""
    made: list[str] = []

    async def make(kind: str) -> Settings:
        number = next(_numbers)
        data = folder / f"data{number}"
        data.mkdir()
        if kind == "sqlite":
            return make_settings(f"sqlite+aiosqlite:///{data / SQLITE_FILE}", data)
        name = f"{prefix}_{number}"
        made.append(name)
        await servers.postgres.drop_database(name)
        await servers.postgres.create_database(name)
        return make_settings(servers.postgres.url_for(name), data)

    yield make
    for name in made:
        await servers.postgres.drop_database(name)


@pytest.fixture
async def make_empty(
    servers: Servers, tmp_path: Path, worker_name: str
) -> AsyncIterator[MakeEmpty]:
    async with empty_databases(servers, tmp_path, f"chatapi_restored_{worker_name}") as make:
        yield make


@pytest.fixture(scope="module", params=KINDS)
async def original(
    request: pytest.FixtureRequest,
    servers: Servers,
    tmp_path_factory: pytest.TempPathFactory,
    worker_name: str,
) -> AsyncIterator[Settings]:
    """A database in which every endpoint has been called; tests leave it as it is."""
    folder = tmp_path_factory.mktemp("original")
    async with empty_databases(servers, folder, f"chatapi_original_{worker_name}") as make:
        settings = await make(str(request.param))
        database = Database(settings)
        await upgrade_database(database)
        await database.close()
        await record(Recorder, settings.database_url, settings.data_dir)
        await add_files(settings)
        yield settings


async def add_files(settings: Settings) -> None:
    """Add files of all kinds: the story has deleted most of its own."""
    async with running_app(settings, SystemClock()) as app:
        stop_drawing(app.runtime)
        client = ApiClient(app)
        async with app.runtime.reading() as db:
            [realm] = await RealmRows(db).list_all()
        owner = await factories.make_user(app.runtime, realm, Role.OWNER)
        links = [
            await upload(client, owner),
            await upload_picture(client, owner),
            await upload_picture(client, owner, moving_picture(), "moving.gif"),
        ]
        await send_to_person(client, owner, owner, " ".join(f"[file]({url})" for url in links))
        await draw_all(app.runtime)
        await add_emoji(client, owner, "moving", moving_picture())
        await upload_avatar(client, owner)
        for path in ("/realm/icon", "/realm/logo"):
            files = {"file": ("picture.png", picture(), "image/png")}
            assert_success(await client.call("POST", path, owner, files=files))
        # Its id must not be given to another message by the restored service.
        last = await send_to_person(client, owner, owner, "to be deleted")
        assert_success(await client.delete(f"/messages/{last}", owner))
        await client.aclose()

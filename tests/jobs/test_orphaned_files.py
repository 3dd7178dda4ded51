"""Files without a row are deleted after a day; all others stay."""

import asyncio
import hashlib
import io
import os
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.clock import SystemClock
from chatapi.core.settings import Settings
from chatapi.db.database import Database
from chatapi.db.session import DatabaseSession
from chatapi.files.names import new_path
from chatapi.jobs.orphaned_files import remove_orphaned_files
from tests import factories
from tests.factories import Person
from tests.features.emoji.adding import add_emoji
from tests.features.emoji.pictures import moving_picture
from tests.features.uploads.files import is_open_to, upload
from tests.support.apps import running_app
from tests.support.bucket_server import BucketServer
from tests.support.client import ApiClient, basic_auth
from tests.support.clock import MovableClock
from tests.support.live_server import live_server
from tests.support.server_process import server_process
from tests.support.waiting import MAX_WAIT_SECONDS, until

CONTENT = b"Nobody knows of it"


class Folder:
    """The store as a folder; its files are as old as the test says."""

    def __init__(self, folder: Path, clock: MovableClock) -> None:
        self.folder = folder
        self.clock = clock

    def keys(self) -> set[str]:
        files = (path for path in self.folder.rglob("*") if path.is_file())
        return {str(path.relative_to(self.folder)) for path in files}

    def set_age(self, key: str, hours: float) -> None:
        moment = (self.clock.now() - timedelta(hours=hours)).timestamp()
        os.utime(self.folder / key, (moment, moment))


class InBucket:
    """The store as a bucket."""

    def __init__(self, bucket: BucketServer) -> None:
        self.bucket = bucket

    def keys(self) -> set[str]:
        return {path.removeprefix("/files/") for path in self.bucket.objects}

    def set_age(self, key: str, hours: float) -> None:
        self.bucket.written_at[f"/files/{key}"] = self.bucket.now - timedelta(hours=hours)


@pytest.fixture
async def bucket(clock: MovableClock) -> AsyncIterator[tuple[BucketServer, str]]:
    bucket = BucketServer(now=clock.now(), page=2)
    async with live_server(bucket) as address:
        keys = f"{quote(bucket.access_key, safe='')}:{quote(bucket.secret_key, safe='')}"
        host = address.removeprefix("http://")
        yield bucket, f"http://{keys}@{host}/files?region={bucket.region}"


@pytest.fixture(params=["folder", "bucket"])
def store_kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def settings(settings: Settings, bucket: tuple[BucketServer, str], store_kind: str) -> Settings:
    url = bucket[1] if store_kind == "bucket" else ""
    return settings.model_copy(update={"uploads_url": url})


@pytest.fixture
def stored(
    settings: Settings, clock: MovableClock, bucket: tuple[BucketServer, str], store_kind: str
) -> Folder | InBucket:
    if store_kind == "bucket":
        return InBucket(bucket[0])
    return Folder(settings.uploads_dir, clock)


async def leave_behind(runtime: Runtime, realm: RealmRecord, tag: str | None = None) -> str:
    """Leave the file of an upload that was killed before its row was committed."""
    own = await runtime.files.deployment_tag()
    key = new_path(realm.id, "file", own if tag is None else tag).rpartition("/")[0]
    digest = hashlib.sha256(CONTENT).hexdigest()
    await runtime.files.store.put(key, io.BytesIO(CONTENT), digest)
    return key


async def test_removes_old_files_without_a_row(
    runtime: Runtime, realm: RealmRecord, stored: Folder | InBucket
) -> None:
    keys = [await leave_behind(runtime, realm) for _ in range(5)]
    for key in keys:
        stored.set_age(key, hours=25)
    await remove_orphaned_files(runtime)
    assert stored.keys() == set()
    await remove_orphaned_files(runtime)


async def test_keeps_files_whose_row_may_still_be_committed(
    runtime: Runtime, realm: RealmRecord, stored: Folder | InBucket
) -> None:
    key = await leave_behind(runtime, realm)
    stored.set_age(key, hours=23)
    await remove_orphaned_files(runtime)
    assert stored.keys() == {key}


async def test_keeps_files_of_other_deployments_and_other_origin(
    runtime: Runtime, realm: RealmRecord, stored: Folder | InBucket
) -> None:
    foreign = await leave_behind(runtime, realm, tag="-other")
    stored.set_age(foreign, hours=1_000)
    digest = hashlib.sha256(CONTENT).hexdigest()
    await runtime.files.store.put("notes/of/an-operator", io.BytesIO(CONTENT), digest)
    stored.set_age("notes/of/an-operator", hours=1_000)
    await remove_orphaned_files(runtime)
    assert stored.keys() == {foreign, "notes/of/an-operator"}


async def test_keeps_uploads_and_emoji(
    client: ApiClient, runtime: Runtime, stored: Folder | InBucket, owner: Person
) -> None:
    url = await upload(client, owner)
    await add_emoji(client, owner, "moving", moving_picture())
    keys = stored.keys()
    assert len(keys) == 3
    for key in keys:
        stored.set_age(key, hours=1_000)
    await remove_orphaned_files(runtime)
    assert stored.keys() == keys
    assert await is_open_to(client, owner, url)


@pytest.mark.parametrize("store_kind", ["folder"], indirect=True)
class TestFolder:
    async def test_removes_what_was_half_written(
        self, runtime: Runtime, realm: RealmRecord, stored: Folder, clock: MovableClock
    ) -> None:
        key = await leave_behind(runtime, realm)
        folder, _, name = key.rpartition("/")
        for part in (f".{name}.abc_1234", f".{name}.young"):
            (stored.folder / folder / part).write_bytes(b"half")
        stored.set_age(f"{folder}/.{name}.abc_1234", hours=25)
        stored.set_age(f"{folder}/.{name}.young", hours=1)
        stored.set_age(key, hours=1)
        await remove_orphaned_files(runtime)
        assert stored.keys() == {key, f"{folder}/.{name}.young"}

    async def test_upload_of_a_killed_server_is_removed(
        self, settings: Settings, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        """The file is stored, and its process is killed while it waits for the realm's lock."""
        async with running_app(settings, SystemClock()) as app:
            realm = await factories.make_realm(app.runtime, "Acme")
            person = await factories.make_user(app.runtime, realm)
        environment = {
            "database_url": settings.database_url,
            "data_dir": str(settings.data_dir),
            "migrate_on_start": "false",
        }
        clock = MovableClock()
        stored = Folder(settings.uploads_dir, clock)
        database = Database(settings)
        async with server_process(tmp_path_factory.mktemp("server"), **environment) as server:
            # It accepts connections before it is ready, and starting writes to the database.
            await until_it_answers(server.url)
            async with DatabaseSession(database) as db:
                await db.lock_realm(realm.id)
                uploading = asyncio.create_task(try_to_upload(server.url, person))
                await until(lambda: bool(stored.keys()))
                server.kill()
                await asyncio.gather(uploading, return_exceptions=True)
        await database.close()
        [key] = stored.keys()
        stored.set_age(key, hours=25)
        async with running_app(settings, clock) as app:
            await remove_orphaned_files(app.runtime)
        assert stored.keys() == set()


async def until_it_answers(url: str) -> None:
    async with httpx.AsyncClient(base_url=url, timeout=MAX_WAIT_SECONDS) as http:
        (await http.get("/health")).raise_for_status()


async def try_to_upload(url: str, person: Person) -> None:
    async with httpx.AsyncClient(
        base_url=url, auth=basic_auth(person), timeout=MAX_WAIT_SECONDS
    ) as http:
        file = {"file": ("hello.txt", CONTENT)}
        await http.post("/api/v1/user_uploads", files=file)

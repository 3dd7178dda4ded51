"""Deletion of an organization: its clients end, its rows and files go, all others stay."""

import asyncio
from contextlib import suppress

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.realm_rows import RealmRows
from chatapi.auth.runtime import Runtime
from chatapi.core.ids import RealmId
from chatapi.core.roles import Role
from chatapi.core.settings import Settings
from chatapi.db.models import metadata
from chatapi.events.entry import Entry
from chatapi.events.hub import Observer
from chatapi.features.realm.deletion import delete_organization, repository
from chatapi.main import ChatApp
from tests import factories
from tests.factories import Person
from tests.features.realm.table_rows import (
    WITHOUT_REALM,
    fill_every_table,
    read_all_rows,
)
from tests.features.uploads.files import upload
from tests.support.apps import StartApp
from tests.support.client import ApiClient
from tests.support.responses import assert_error, assert_success
from tests.support.waiting import until, until_polls_wait, until_true


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"root_domain": "chat.example.com"})


@pytest.fixture
async def globex(runtime: Runtime, realm: RealmRecord) -> RealmRecord:
    return await factories.make_realm(runtime, "Globex", "globex")


@pytest.fixture
async def stranger(runtime: Runtime, globex: RealmRecord) -> Person:
    return await factories.make_user(runtime, globex, Role.OWNER)


class TestRows:
    async def test_of_the_organization_go_and_all_others_stay(
        self, runtime: Runtime, realm: RealmRecord, member: Person
    ) -> None:
        await fill_every_table(runtime.database, realm.id)
        before = await read_all_rows(runtime.database)
        assert all(before[table.name] for table in metadata.sorted_tables)
        globex = await factories.make_realm(runtime, "Globex", "globex")
        await factories.make_user(runtime, globex, Role.OWNER)
        await fill_every_table(runtime.database, globex.id)
        for name, rows in (await read_all_rows(runtime.database)).items():
            assert name in WITHOUT_REALM or len(rows) > len(before[name]), name

        assert await delete_organization(runtime, globex) > len(repository.realm_tables())
        assert await read_all_rows(runtime.database) == before

    async def test_go_in_small_transactions(
        self,
        runtime: Runtime,
        globex: RealmRecord,
        stranger: Person,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """Bots refer to users of the same table, who may be removed before them."""
        monkeypatch.setattr(repository, "_ROWS_AT_ONCE", 1)
        for _ in range(3):
            await factories.make_user(runtime, globex, bot_owner=stranger)
        await delete_organization(runtime, globex)
        assert await subdomains_left(runtime) == ["acme"]


async def subdomains_left(runtime: Runtime) -> list[str]:
    async with runtime.reading() as db:
        return [realm.subdomain for realm in await RealmRows(db).list_with_deleted()]


class TestClients:
    async def test_are_cut_off_in_every_process(
        self, app: ChatApp, start_app: StartApp, globex: RealmRecord, stranger: Person
    ) -> None:
        client = ApiClient(app, "globex.chat.example.com")
        queue = assert_success(await client.post("/register", stranger))["queue_id"]
        poll = asyncio.create_task(
            client.get("/events", stranger, queue_id=queue, last_event_id=-1)
        )
        await until_polls_wait(app.runtime, globex)
        other = (await start_app()).runtime
        # While its rows are still there, only the event can tell that it is being deleted.
        await interrupt_deletion(other, await other.realms.of_id(globex.id))
        # The remaining organization is served at every host name, and does not know the key.
        assert_error(await poll, "UNAUTHORIZED", 401)
        assert_error(await client.get("/users/me", stranger), "UNAUTHORIZED", 401)

    async def test_of_the_remaining_organization_reach_it_at_every_host_again(
        self, app: ChatApp, member: Person, globex: RealmRecord, stranger: Person
    ) -> None:
        client = ApiClient(app, "anything.example")
        assert_error(await client.get("/users/me", member), "NONEXISTENT_SUBDOMAIN", 404)
        queue = await ApiClient(app, "acme.chat.example.com").post("/register", member)
        await delete_organization(app.runtime, globex)
        assert_success(await client.get("/users/me", member))
        poll = {"queue_id": queue["queue_id"], "last_event_id": -1, "dont_block": True}
        assert_success(await client.get("/events", member, **poll))

    async def test_process_stops_following_the_log(
        self, app: ChatApp, start_app: StartApp, globex: RealmRecord, stranger: Person
    ) -> None:
        client = ApiClient(app, "globex.chat.example.com")
        assert_success(await client.get("/users/me", stranger))
        feeds = app.runtime.hub._feeds
        assert globex.id in feeds
        other = (await start_app()).runtime
        await delete_organization(other, await other.realms.of_id(globex.id))
        await until(lambda: globex.id not in feeds)


async def test_only_organization_can_be_deleted(
    client: ApiClient, runtime: Runtime, realm: RealmRecord, member: Person
) -> None:
    await delete_organization(runtime, realm)
    assert_error(await client.get("/users/me", member), "NONEXISTENT_SUBDOMAIN", 404)


async def test_files_are_removed_and_those_of_others_stay(
    app: ChatApp,
    settings: Settings,
    globex: RealmRecord,
    stranger: Person,
    realm: RealmRecord,
    member: Person,
) -> None:
    await upload(ApiClient(app, "acme.chat.example.com"), member, content=b"stays")
    await upload(ApiClient(app, "globex.chat.example.com"), stranger, content=b"goes")
    await delete_organization(app.runtime, globex)
    left = [path.read_bytes() for path in settings.uploads_dir.rglob("*") if path.is_file()]
    assert left == [b"stays"]


async def interrupt_deletion(runtime: Runtime, realm: RealmRecord) -> None:
    """Begin to delete a realm, and stop when its clients are cut off and no row is removed yet."""
    deleting = asyncio.create_task(delete_organization(runtime, realm))

    def interrupt(entry: Entry) -> None:
        if entry.realm_id == realm.id:
            deleting.cancel()

    def ignore(realm_id: RealmId) -> None:
        del realm_id

    runtime.hub.observe(Observer(interrupt, ignore))
    with suppress(asyncio.CancelledError):
        await deleting
    assert deleting.cancelled()
    assert await subdomains_left(runtime) == ["acme", realm.subdomain]


async def test_interrupted_deletion_can_be_repeated(
    app: ChatApp, globex: RealmRecord, stranger: Person, start_app: StartApp
) -> None:
    runtime = (await start_app()).runtime
    await interrupt_deletion(runtime, globex)
    client = ApiClient(app, "globex.chat.example.com")

    async def is_cut_off() -> bool:
        return (await client.get("/users/me", stranger)).status == 401

    await until_true(is_cut_off)
    await delete_organization(runtime, await runtime.realms.of_id(globex.id))
    assert await subdomains_left(runtime) == ["acme"]

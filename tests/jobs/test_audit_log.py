"""Failed logins are summarized in the audit log, and old entries are deleted."""

from datetime import timedelta

import pytest
from sqlalchemy import func, insert, select

from chatapi.auth import failed_logins
from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.clock import unix_seconds
from chatapi.core.settings import Settings
from chatapi.db.models import AuditLogEntry
from chatapi.features.realm import delete_organization
from chatapi.jobs.audit_log import store_failed_logins, store_last_failed_logins, trim_audit_log
from tests.factories import MakeUser, Person, make_realm
from tests.support.apps import StartApp
from tests.support.audit import audit_log
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.responses import assert_error, assert_success
from tests.support.statements import recorded_statements

PASSWORD = "correct horse"


@pytest.fixture
async def iago(make_user: MakeUser) -> Person:
    return await make_user(email="iago@example.com", password=PASSWORD)


async def fail_to_log_in(client: ApiClient, username: str, times: int = 1) -> None:
    for _ in range(times):
        response = await client.post("/fetch_api_key", username=username, password="wrong")
        assert_error(response, "AUTHENTICATION_FAILED", 401)


class TestFailedLogins:
    async def test_become_one_entry_about_the_account(
        self,
        client: ApiClient,
        runtime: Runtime,
        clock: MovableClock,
        owner: Person,
        iago: Person,
    ) -> None:
        began = unix_seconds(clock.now())
        await fail_to_log_in(client, iago.email, times=3)
        assert await audit_log(client, owner, kind="login_failed") == []
        clock.advance(minutes=1)
        await store_failed_logins(runtime)
        [entry] = await audit_log(client, owner, kind="login_failed")
        assert (entry["user_id"], entry["acting_user_id"]) == (iago.user_id, None)
        assert entry["new_value"] == {
            "attempts": 3,
            "first_at": began,
            "addresses": ["127.0.0.1"],
        }
        assert (entry["source"], entry["address"]) == ("api", "127.0.0.1")

    async def test_flood_adds_one_entry_an_hour(
        self,
        client: ApiClient,
        runtime: Runtime,
        clock: MovableClock,
        owner: Person,
        iago: Person,
    ) -> None:
        for _minute in range(125):
            await fail_to_log_in(client, iago.email)
            await store_failed_logins(runtime)
            clock.advance(minutes=1)
        entries = await audit_log(client, owner, kind="login_failed")
        assert [entry["new_value"]["attempts"] for entry in entries] == [60, 60, 1]

    async def test_of_a_deleted_organization_do_not_keep_others_from_being_written(
        self, client: ApiClient, runtime: Runtime, owner: Person, iago: Person
    ) -> None:
        globex = await make_realm(runtime, "Globex", "globex")
        runtime.failed_logins.count(
            globex.id, iago.user_id, "127.0.0.1", "curl", runtime.clock.now()
        )
        await delete_organization(runtime, globex)
        await fail_to_log_in(client, iago.email)
        await store_failed_logins(runtime)
        assert len(await audit_log(client, owner, kind="login_failed")) == 1

    async def test_of_unknown_names_leave_nothing(
        self, client: ApiClient, runtime: Runtime, owner: Person
    ) -> None:
        await fail_to_log_in(client, "nobody@example.com")
        await store_last_failed_logins(runtime)
        assert await audit_log(client, owner, kind="login_failed") == []

    async def test_of_deactivated_accounts_are_recorded(
        self, client: ApiClient, runtime: Runtime, owner: Person, iago: Person
    ) -> None:
        assert_success(await client.delete(f"/users/{iago.user_id}", owner))
        refused = await client.post("/fetch_api_key", username=iago.email, password=PASSWORD)
        assert_error(refused, "AUTHENTICATION_FAILED", 401)
        await store_failed_logins(runtime)
        [entry] = await audit_log(client, owner, kind="login_failed")
        assert entry["user_id"] == iago.user_id

    async def test_request_runs_the_same_statements_as_for_unknown_names(
        self, client: ApiClient, runtime: Runtime, iago: Person
    ) -> None:
        """Else its time would tell which accounts exist."""
        await fail_to_log_in(client, "anybody@example.com")
        counts = []
        for name in (iago.email, "nobody@example.com"):
            with recorded_statements(runtime.database, "") as statements:
                await fail_to_log_in(client, name)
            counts.append(len(statements))
        assert counts[0] == counts[1]

    async def test_are_written_when_the_process_ends(
        self, client: ApiClient, start_app: StartApp, runtime: Runtime, owner: Person, iago: Person
    ) -> None:
        await fail_to_log_in(client, iago.email)
        await store_failed_logins(runtime)
        await fail_to_log_in(client, iago.email, times=2)
        await store_failed_logins(runtime)
        assert len(await audit_log(client, owner, kind="login_failed")) == 1
        await store_last_failed_logins(runtime)
        assert [
            entry["new_value"]["attempts"]
            for entry in await audit_log(client, owner, kind="login_failed")
        ] == [2, 1]

    async def test_of_too_many_accounts_are_not_kept_in_memory(
        self,
        client: ApiClient,
        runtime: Runtime,
        owner: Person,
        iago: Person,
        make_user: MakeUser,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        other = await make_user(email="other@example.com", password=PASSWORD)
        monkeypatch.setattr(failed_logins, "MAX_ACCOUNTS", 1)
        await fail_to_log_in(client, iago.email)
        await fail_to_log_in(client, other.email)
        await store_failed_logins(runtime)
        entries = await audit_log(client, owner, kind="login_failed")
        assert [entry["user_id"] for entry in entries] == [iago.user_id]

    async def test_that_could_not_be_written_are_counted_again(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        clock: MovableClock,
        owner: Person,
        iago: Person,
    ) -> None:
        await fail_to_log_in(client, iago.email)
        due = runtime.failed_logins.take_due(clock.now())
        await fail_to_log_in(client, iago.email)
        runtime.failed_logins.put_back(realm.id, due[realm.id])
        await store_failed_logins(runtime)
        [entry] = await audit_log(client, owner, kind="login_failed")
        assert entry["new_value"]["attempts"] == 2


class TestRetention:
    async def test_deletes_entries_that_are_too_old(
        self,
        client: ApiClient,
        runtime: Runtime,
        settings: Settings,
        clock: MovableClock,
        owner: Person,
    ) -> None:
        assert_success(await client.patch("/realm", owner, name="Old"))
        clock.advance(days=1)
        assert_success(await client.patch("/realm", owner, name="New"))
        clock.advance(days=settings.audit_log_days - 1, seconds=1)
        await trim_audit_log(runtime)
        names = [
            entry["new_value"]
            for entry in await audit_log(client, owner, kind="realm_setting_changed")
        ]
        assert names == ["New"]

    async def test_deletes_many_entries_in_bounded_batches(
        self,
        runtime: Runtime,
        settings: Settings,
        realm: RealmRecord,
        clock: MovableClock,
        owner: Person,
    ) -> None:
        old = clock.now() - timedelta(days=settings.audit_log_days + 1)
        row = {
            "realm_id": realm.id,
            "created_at": old,
            "kind": "realm_setting_changed",
            "source": "api",
            "address": "",
            "client": "",
        }
        async with runtime.reading() as db, db.transaction():
            await db.execute(insert(AuditLogEntry), [row] * 2_500)
        with recorded_statements(runtime.database, "DELETE FROM audit_log_entry") as statements:
            await trim_audit_log(runtime)
        assert len(statements) == 3
        async with runtime.reading() as db:
            aged = select(func.count()).where(AuditLogEntry.created_at == old)
            assert (await db.execute(aged)).scalar_one() == 0

    async def test_zero_days_keep_everything(
        self,
        client: ApiClient,
        start_app: StartApp,
        settings: Settings,
        clock: MovableClock,
        owner: Person,
    ) -> None:
        app = await start_app(settings=settings.model_copy(update={"audit_log_days": 0}))
        assert_success(await client.patch("/realm", owner, name="Old"))
        clock.advance(days=10_000)
        await trim_audit_log(app.runtime)
        assert len(await audit_log(client, owner, kind="realm_setting_changed")) == 1

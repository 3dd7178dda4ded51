"""Entries are part of the transaction of their change, and cost nothing where there is none."""

import asyncio
from itertools import pairwise

import pytest

from chatapi.audit.entries import AuditChange, AuditKind, AuditOrigin, AuditSource
from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.realm_sessions import realm_transaction
from chatapi.auth.runtime import Runtime
from chatapi.auth.user_rows import UserRows
from chatapi.core.roles import Role
from chatapi.features.users import change_role
from tests.factories import MakeChannel, Person
from tests.support.audit import audit_log, last_id
from tests.support.client import ApiClient
from tests.support.responses import assert_success
from tests.support.statements import recorded_statements


@pytest.mark.any_database
async def test_what_is_rolled_back_leaves_no_entry(
    client: ApiClient, runtime: Runtime, realm: RealmRecord, owner: Person, member: Person
) -> None:
    before = await last_id(client, owner)

    async def change_and_fail() -> None:
        async with realm_transaction(runtime, realm.id) as ctx:
            user = await UserRows(ctx.db, realm.id).get(member.user_id)
            await change_role(ctx, user, Role.ADMIN)
            raise InterruptedError

    with pytest.raises(InterruptedError):
        await change_and_fail()
    assert await audit_log(client, owner, after_id=before) == []
    shown = assert_success(await client.get(f"/users/{member.user_id}", owner))
    assert shown["user"]["role"] == Role.MEMBER


@pytest.mark.any_database
async def test_change_of_a_job_is_of_the_server(
    client: ApiClient, runtime: Runtime, realm: RealmRecord, owner: Person, member: Person
) -> None:
    before = await last_id(client, owner)
    async with realm_transaction(runtime, realm.id) as ctx:
        await change_role(ctx, await UserRows(ctx.db, realm.id).get(member.user_id), Role.ADMIN)
    [entry] = await audit_log(client, owner, after_id=before)
    assert (entry["source"], entry["acting_user_id"], entry["address"]) == ("server", None, "")


async def test_concurrent_changes_are_entered_in_the_order_of_their_commits(
    client: ApiClient, owner: Person, admin: Person
) -> None:
    before = await last_id(client, owner)
    names = [f"Name {number}" for number in range(12)]
    people = [owner, admin] * 6
    changes = [
        client.patch("/realm", person, name=name)
        for person, name in zip(people, names, strict=True)
    ]
    for response in await asyncio.gather(*changes):
        assert_success(response)
    entries = (await audit_log(client, owner, after_id=before))[::-1]
    assert sorted(entry["new_value"] for entry in entries) == sorted(names)
    for earlier, later in pairwise(entries):
        assert later["old_value"] == earlier["new_value"]
    for entry in entries:
        person = people[names.index(entry["new_value"])]
        assert entry["acting_user_id"] == person.user_id


async def test_entry_without_the_lock_of_the_realm_is_refused(
    runtime: Runtime, realm: RealmRecord, client: ApiClient, owner: Person
) -> None:
    """Without it, a later commit could have a lower id, which readers of new entries would miss."""
    before = await last_id(client, owner)
    async with runtime.begin() as work:
        with pytest.raises(RuntimeError, match="lock the realm"):
            work.audit(realm.id, AuditChange(AuditKind.REALM_CREATED), AuditOrigin(AuditSource.API))
    assert await last_id(client, owner) == before


@pytest.mark.any_database
async def test_sending_touches_no_audit_log(
    client: ApiClient, runtime: Runtime, owner: Person, make_channel: MakeChannel
) -> None:
    channel = await make_channel("lab", subscribers=[owner])
    before = await last_id(client, owner)
    message = {"type": "channel", "to": channel.id, "topic": "t", "content": "hello"}
    with recorded_statements(runtime.database, "audit_log_entry") as statements:
        assert_success(await client.post("/messages", owner, **message))
    assert statements == []
    assert await last_id(client, owner) == before

"""Lists of ids: whatever their length, one statement with one parameter."""

import pytest
from sqlalchemy import select

from chatapi.auth.runtime import Runtime
from chatapi.core.ids import RealmId
from chatapi.db.id_lists import is_one_of
from chatapi.db.models import Realm
from chatapi.db.session import DatabaseSession
from tests import factories
from tests.support.statements import recorded_statements

_NAMED = select(Realm.id).where(is_one_of(Realm.id, "realm_ids")).order_by(Realm.id)
_OTHERS = select(Realm.id).where(~is_one_of(Realm.id, "realm_ids")).order_by(Realm.id)


@pytest.fixture
async def realm_ids(runtime: Runtime) -> list[RealmId]:
    return [(await factories.make_realm(runtime, name)).id for name in ("One", "Two", "Three")]


async def test_finds_those_in_the_list(runtime: Runtime, realm_ids: list[RealmId]) -> None:
    first, second, third = realm_ids
    async with DatabaseSession(runtime.database) as db:
        found = await db.execute(_NAMED, {"realm_ids": [third, first, 10**15]})
        assert found.scalars().all() == [first, third]
        found = await db.execute(_OTHERS, {"realm_ids": [third, first]})
        assert found.scalars().all() == [second]
        found = await db.execute(_NAMED, {"realm_ids": []})
        assert found.scalars().all() == []


async def test_is_the_same_statement_for_any_length(
    runtime: Runtime, realm_ids: list[RealmId]
) -> None:
    with recorded_statements(runtime.database, "ORDER BY realm.id") as statements:
        async with DatabaseSession(runtime.database) as db:
            for length in (0, 1, 20_000):
                await db.execute(_NAMED, {"realm_ids": realm_ids[:1] * length})
    assert len(statements) == 3
    assert len(set(statements)) == 1

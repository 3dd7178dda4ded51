"""The first organization, when several processes start on an empty database together."""

import asyncio

from chatapi.cli.bootstrap import OWNER_EMAIL, create_first_organization
from chatapi.cli.operator import open_runtime
from chatapi.core.settings import Settings
from chatapi.features.realm.repository import RealmRepository
from chatapi.features.users.repository import UserRepository


async def test_is_created_by_exactly_one(settings: Settings) -> None:
    async with open_runtime(settings) as one, open_runtime(settings) as other:
        owners = await asyncio.gather(
            *(create_first_organization(runtime) for runtime in (one, other, one, other))
        )
        assert len([owner for owner in owners if owner is not None]) == 1
        async with one.begin().db as db:
            (realm,) = await RealmRepository(db).list_all()
            (user,) = await UserRepository(db, realm.id).list_all()
    assert user.delivery_email == OWNER_EMAIL

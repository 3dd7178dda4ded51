"""Changes of roles, accounts and keys, made the way the command line makes them."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from chatapi.auth.context import RealmContext
from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.auth.users import UserRecord
from chatapi.core.roles import Role
from chatapi.features.users import activation, changes
from chatapi.features.users.repository import UserRepository
from tests.factories import Person, realm_context

T = TypeVar("T")


async def change_role(runtime: Runtime, realm: RealmRecord, person: Person, role: Role) -> None:
    await _change(runtime, realm, person, lambda ctx, user: changes.change_role(ctx, user, role))


async def deactivate(runtime: Runtime, realm: RealmRecord, person: Person) -> None:
    await _change(runtime, realm, person, activation.deactivate_user)


async def replace_api_key(runtime: Runtime, realm: RealmRecord, person: Person) -> str:
    return await _change(runtime, realm, person, changes.replace_api_key)


async def _change(
    runtime: Runtime,
    realm: RealmRecord,
    person: Person,
    change: Callable[[RealmContext, UserRecord], Awaitable[T]],
) -> T:
    ctx = realm_context(runtime, realm)
    try:
        user = await UserRepository(ctx.db, realm.id).get(person.user_id)
        result = await change(ctx, user)
        await ctx.work.commit()
    finally:
        await ctx.db.close()
    return result

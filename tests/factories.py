"""Organizations and people for tests, made the way the service makes them."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from itertools import count

from chatapi.auth.context import RealmContext
from chatapi.auth.realms import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.ids import UserId
from chatapi.core.roles import BotType, Role
from chatapi.features.realm.creation import create_organization
from chatapi.features.users.creation import CreatedUser, NewUser, add_user

_numbers = count(1)


@dataclass(frozen=True)
class Person:
    """A user with what it takes to act as them."""

    user_id: UserId
    email: str
    api_key: str
    full_name: str = ""
    role: Role = Role.MEMBER
    password: str | None = None


MakeUser = Callable[..., Awaitable[Person]]
"""`make_user` below for a realm that is already chosen."""


async def make_realm(
    runtime: Runtime, name: str | None = None, subdomain: str | None = None
) -> RealmRecord:
    return await create_organization(runtime, name or f"Organization {next(_numbers)}", subdomain)


def realm_context(runtime: Runtime, realm: RealmRecord) -> RealmContext:
    """What the command line acts with: a realm, and nobody in particular."""
    return RealmContext(runtime, runtime.begin(), "http://localhost", realm, realm)


async def make_user(
    runtime: Runtime,
    realm: RealmRecord,
    role: Role = Role.MEMBER,
    *,
    email: str | None = None,
    full_name: str | None = None,
    password: str | None = None,
    bot_owner: Person | None = None,
) -> Person:
    number = next(_numbers)
    ctx = realm_context(runtime, realm)
    new = NewUser(
        email=email or f"person{number}@example.com",
        full_name=full_name or f"Person {number}",
        role=role,
        password_hash=None if password is None else await runtime.passwords.hash(password),
        bot_type=None if bot_owner is None else BotType.GENERIC,
        bot_owner_id=None if bot_owner is None else bot_owner.user_id,
    )
    try:
        created: CreatedUser = await add_user(ctx, new)
        await ctx.work.commit()
    finally:
        await ctx.db.close()
    return Person(
        user_id=created.user.id,
        email=created.user.delivery_email,
        api_key=created.api_key,
        full_name=created.user.full_name,
        role=role,
        password=password,
    )

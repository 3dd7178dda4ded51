"""Realms and users for tests, created the way the service creates them."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from itertools import count

from chatapi.auth.caller_cache import Caller
from chatapi.auth.context import Context, RealmContext
from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.auth.users import UserRecord
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.ids import UserId
from chatapi.core.roles import BotType, Role
from chatapi.events.unit_of_work import UnitOfWork
from chatapi.features.channels.creation import ChannelCreator, NewChannel
from chatapi.features.channels.params import ChannelOptions
from chatapi.features.channels.repository import ChannelRepository
from chatapi.features.channels.subscriptions.writer import SubscriptionWriter
from chatapi.features.realm.creation import add_organization
from chatapi.features.realm.repository import RealmRepository
from chatapi.features.users.creation import CreatedUser, NewUser, add_user
from chatapi.features.users.repository import UserRepository

_numbers = count(1)


@dataclass(frozen=True)
class Person:
    """A user, with the credentials to act as them."""

    user_id: UserId
    email: str
    api_key: str
    full_name: str = ""
    role: Role = Role.MEMBER
    password: str | None = None


MakeUser = Callable[..., Awaitable[Person]]
"""`make_user` below for a realm that is already chosen."""

MakeChannel = Callable[..., Awaitable[ChannelRecord]]
"""`make_channel` below for a realm and a creator that are already chosen."""


async def make_realm(
    runtime: Runtime, name: str | None = None, subdomain: str | None = None
) -> RealmRecord:
    """A realm without channels; those of `chatapi org create` begin with one."""
    async with runtime.begin() as work:
        realm = await add_organization(
            work, runtime.clock.now(), name or f"Organization {next(_numbers)}", subdomain
        )
    runtime.realms.reload_soon()
    return realm


def realm_context(runtime: Runtime, realm: RealmRecord) -> RealmContext:
    """A realm context without a caller, as the command line has it."""
    return RealmContext(
        runtime=runtime,
        work=runtime.begin(),
        origin="http://localhost",
        maybe_realm=realm,
        realm=realm,
    )


async def make_user(
    runtime: Runtime,
    realm: RealmRecord,
    role: Role = Role.MEMBER,
    *,
    email: str | None = None,
    full_name: str | None = None,
    password: str | None = None,
    bot_owner: Person | None = None,
    bot_type: BotType = BotType.GENERIC,
) -> Person:
    number = next(_numbers)
    ctx = realm_context(runtime, realm)
    new = NewUser(
        email=email or f"person{number}@example.com",
        full_name=full_name or f"Person {number}",
        role=role,
        password_hash=None if password is None else await runtime.passwords.hash(password),
        bot_type=None if bot_owner is None else bot_type,
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


async def acting_as(runtime: Runtime, realm: RealmRecord, person: Person) -> Context:
    """The context a request of this user would have, with the current realm."""
    work = runtime.begin()
    current = await RealmRepository(work.db).get(realm.id)
    user = await UserRepository(work.db, realm.id).get(person.user_id)
    return context_of(runtime, work, current, user)


def context_of(runtime: Runtime, work: UnitOfWork, realm: RealmRecord, user: UserRecord) -> Context:
    """The context of a request by a user that was read already."""
    return Context(
        runtime=runtime,
        work=work,
        origin="http://localhost",
        maybe_realm=realm,
        realm=realm,
        caller=Caller(user),
        client_name="tests",
    )


async def make_channel(
    runtime: Runtime,
    realm: RealmRecord,
    creator: Person,
    name: str | None = None,
    *,
    subscribers: Iterable[Person] = (),
    **options: object,
) -> ChannelRecord:
    """A channel with some subscribers, without a notice about them.

    `options` are those of POST /channels/create.
    """
    ctx = await acting_as(runtime, realm, creator)
    description = str(options.pop("description", ""))
    chosen = ChannelOptions.model_validate(options)
    try:
        await ctx.lock()
        new = NewChannel(name or f"channel {next(_numbers)}", description)
        [channel] = await ChannelCreator(ctx, chosen).create([new])
        user_ids = [person.user_id for person in subscribers]
        await SubscriptionWriter(ctx).add(user_ids, [channel], new=[channel.id])
        channel = await ChannelRepository(ctx.db, realm.id).get(channel.id)
        await ctx.work.commit()
    finally:
        await ctx.db.close()
    return channel

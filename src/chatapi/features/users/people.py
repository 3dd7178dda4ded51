"""The lists of people a client begins with, encoded once for all readers who see the same."""

from collections.abc import Hashable
from typing import Annotated, NamedTuple, TypeAlias

import orjson

from chatapi.auth.context import Context
from chatapi.auth.people import UserRecord
from chatapi.events.client import ClientProfile
from chatapi.features.users.payloads import UserPayload
from chatapi.features.users.repository import UserRepository
from chatapi.features.users.rules import user_payload
from chatapi.permissions.people import sees_everybody, sight_of
from chatapi.wire.types import ShapeOf

EncodedUsers: TypeAlias = Annotated[orjson.Fragment, ShapeOf(list[UserPayload])]
"""Users, already as JSON."""


class People(NamedTuple):
    """Everybody, as one reader sees them."""

    active: orjson.Fragment
    inactive: orjson.Fragment
    system_bots: orjson.Fragment


async def load_people(ctx: Context, profile: ClientProfile) -> People:
    """In large organizations most of a client's state; most readers see the same of it."""
    blocks, realm_id, as_of = ctx.runtime.blocks, ctx.realm.id, ctx.db.as_of
    look = _common_look(ctx, profile)
    if look is None or as_of is None:
        return People(*map(orjson.Fragment, await _encode(ctx, profile)))
    keys = [(look, name) for name in People._fields]
    found = [blocks.find(realm_id, key, as_of) for key in keys]
    encoded = [block for block in found if block is not None]
    if len(encoded) < len(keys):
        encoded = await _encode(ctx, profile)
        for key, block in zip(keys, encoded, strict=True):
            blocks.keep(realm_id, key, as_of, block)
    return People(*map(orjson.Fragment, encoded))


def _common_look(ctx: Context, profile: ClientProfile) -> Hashable | None:
    """What the lists depend on; None for a reader who sees something nobody else does."""
    me = ctx.user
    sees_more_of_self = not me.is_bot and not me.email_visibility.shows_to(me.role)
    if sees_more_of_self or not sees_everybody(ctx.realm, me):
        return None
    return me.role, profile.client_gravatar


async def _encode(ctx: Context, profile: ClientProfile) -> list[bytes]:
    repository = UserRepository(ctx.db, ctx.realm.id)
    users = await repository.list_all()
    profiles = await repository.profiles()

    def show(user: UserRecord) -> UserPayload:
        return user_payload(
            user,
            user.api_email(ctx.realm, ctx.settings.root_domain),
            shows_email=user.shows_email_to(ctx.user),
            client_gravatar=profile.client_gravatar,
            profile_data=profiles.get(user.id, {}),
        )

    sight = await sight_of(ctx)
    seen = [user for user in users if sight.sees(user)]
    lists = (
        [show(user) for user in seen if user.is_active],
        [show(user) for user in seen if not user.is_active],
        [show(bot) for bot in await repository.list_system_bots()],
    )
    return [orjson.dumps(each) for each in lists]

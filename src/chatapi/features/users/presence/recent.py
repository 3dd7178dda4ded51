"""Reads the presence of all users who were seen lately, mostly from memory."""

from datetime import timedelta
from functools import partial

import orjson

from chatapi.auth.context import Context
from chatapi.core.cooperative import map_in_steps
from chatapi.features.users.presence.payloads import legacy_payload, moments_payload
from chatapi.features.users.presence.repository import PresenceRepository, SeenPerson
from chatapi.features.users.presence.rules import USUAL_HISTORY_DAYS
from chatapi.presence_cache.recent import RecentPresences, SeenUser


async def list_recent_presences(ctx: Context, days: int, last_update_id: int) -> RecentPresences:
    """Return who was seen in the last days, with all changes up to a number and maybe later ones.

    The number must have been read in the same snapshot, or before.
    """
    load = partial(_load, ctx, days, last_update_id)
    if days > USUAL_HISTORY_DAYS or ctx.db.is_writing:
        return await load()
    cache = ctx.runtime.presences
    if ctx.db.as_of is not None:
        recent = await cache.get_as_of(ctx.realm.id, ctx.db.as_of, load)
    else:
        recent = await cache.get(ctx.realm.id, load, is_live=ctx.db.is_live)
    if recent.since > ctx.now() - timedelta(days=days):
        # It is of fewer days, or the clock was set back.
        return await load()
    if recent.up_to < last_update_id:
        repository = PresenceRepository(ctx.db, ctx.realm.id)
        changed = await repository.list_changed_people(recent.up_to)
        recent.add(await _encode(ctx, changed), last_update_id)
    return recent


async def _load(ctx: Context, days: int, last_update_id: int) -> RecentPresences:
    since = ctx.now() - timedelta(days=max(days, USUAL_HISTORY_DAYS))
    people = await PresenceRepository(ctx.db, ctx.realm.id).list_recent_people(since)
    return RecentPresences(await _encode(ctx, people), since=since, up_to=last_update_id)


async def _encode(ctx: Context, people: list[SeenPerson]) -> list[SeenUser]:
    return await map_in_steps(partial(_encode_one, ctx), people)


def _encode_one(ctx: Context, person: SeenPerson) -> SeenUser:
    user, seen = person.user, person.seen
    email = user.api_email(ctx.realm, ctx.settings.root_domain)
    return SeenUser(
        id=user.id,
        update_id=person.update_id,
        idle_at=seen.idle_at,
        by_id=_member(str(user.id), moments_payload(seen)),
        by_email=_member(email, legacy_payload(seen)),
    )


def _member(name: str, value: object) -> bytes:
    """A member of a JSON object."""
    return orjson.dumps({name: value})[1:-1]

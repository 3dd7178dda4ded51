"""Hides a user's presence and shows it: by the user's settings, or with the user."""

from collections.abc import Collection
from datetime import timedelta

from chatapi.auth.context import Context, RealmContext
from chatapi.auth.users import UserRecord
from chatapi.core.ids import UserId
from chatapi.features.users.presence.events import PresenceChanged, PresenceShown
from chatapi.features.users.presence.repository import PresenceRepository
from chatapi.features.users.presence.rules import USUAL_HISTORY_DAYS, LastSeen
from chatapi.permissions.user_visibility import user_visible_to


async def change_visibility(ctx: Context, *, is_hidden: bool) -> None:
    """Hide the caller's presence, or show it; the setting changes with it."""
    user, now = ctx.user, ctx.now()
    if user.is_bot:
        return
    seen = LastSeen(is_hidden=True) if is_hidden else LastSeen(active_at=now, idle_at=now)
    repository = PresenceRepository(ctx.db, ctx.realm.id)
    await repository.replace({user.id: seen}, await repository.take_update_ids(1))
    if not ctx.realm.options.presence_disabled:
        email = user.api_email(ctx.realm, ctx.settings.root_domain)
        ctx.emit(PresenceChanged.of(user, email, seen, now), to=user_visible_to(user))


async def list_shown_presence(
    ctx: RealmContext, users: Collection[UserRecord]
) -> dict[UserId, PresenceShown]:
    """The presence of users for readers to whom they become visible, as a new client gets it."""
    if ctx.realm.options.presence_disabled:
        return {}
    now = ctx.now()
    since = now - timedelta(days=USUAL_HISTORY_DAYS)
    active = {user.id: user for user in users if user.is_active}
    found = await PresenceRepository(ctx.db, ctx.realm.id).list_some(active)
    return {
        user_id: PresenceShown.of(
            active[user_id],
            active[user_id].api_email(ctx.realm, ctx.settings.root_domain),
            seen,
            now,
        )
        for user_id, seen in found.items()
        if seen.idle_at is not None and seen.idle_at >= since
    }


async def list_hidden_users(ctx: RealmContext) -> set[UserId]:
    """The users who hide their presence."""
    return await PresenceRepository(ctx.db, ctx.realm.id).list_hidden()

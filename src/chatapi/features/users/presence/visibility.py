"""Hides a user's presence and shows it again, by the user's settings."""

from chatapi.auth.context import Context, RealmContext
from chatapi.core.ids import UserId
from chatapi.features.users.presence.repository import PresenceRepository
from chatapi.features.users.presence.rules import LastSeen
from chatapi.features.users.presence.writer import presence_event
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
        ctx.emit(presence_event(user, email, seen, now), to=user_visible_to(user))


async def list_hidden_users(ctx: RealmContext) -> set[UserId]:
    """The users who hide their presence."""
    return await PresenceRepository(ctx.db, ctx.realm.id).list_hidden()

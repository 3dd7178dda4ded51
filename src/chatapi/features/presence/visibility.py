"""Hiding somebody's presence and showing it again, as their settings say."""

from chatapi.auth.context import Context
from chatapi.features.presence.repository import PresenceRepository
from chatapi.features.presence.rules import Seen
from chatapi.features.presence.writer import presence_event
from chatapi.permissions.people import who_sees


async def change_visibility(ctx: Context, *, is_hidden: bool) -> None:
    """Let the caller vanish for others, or be there; the setting changes with it."""
    user, now = ctx.user, ctx.now()
    if user.is_bot:
        return
    seen = Seen(is_hidden=True) if is_hidden else Seen(active_at=now, idle_at=now)
    repository = PresenceRepository(ctx.db, ctx.realm.id)
    await repository.replace({user.id: seen}, await repository.take_update_ids(1))
    if not ctx.realm.options.presence_disabled:
        email = user.api_email(ctx.realm, ctx.settings.root_domain)
        ctx.emit(presence_event(user, email, seen, now), to=who_sees(user))

"""Use cases: report presence and read it."""

from datetime import timedelta

from chatapi.auth.context import Context
from chatapi.core.errors import BadRequestError
from chatapi.features.users.presence.params import PingParams
from chatapi.features.users.presence.payloads import (
    NO_PRESENCES,
    OnePresencePayload,
    PingPayload,
    PresencesPayload,
    RealmPresencesPayload,
    moments_payload,
    user_payload,
)
from chatapi.features.users.presence.recent import list_recent_presences
from chatapi.features.users.presence.repository import PresenceRepository
from chatapi.features.users.presence.rules import USUAL_HISTORY_DAYS, PingStatus
from chatapi.features.users.presence.writer import Ping, PresenceWriter
from chatapi.permissions.user_lookup import find_user
from chatapi.permissions.user_visibility import user_visibility
from chatapi.presence_cache.recent import PresenceForm
from chatapi.wire.encoded import Encoded, encoded

_KNOWS_NOTHING = -1


class PresenceService:
    """Reports the caller's presence, and reads that of users whom the caller may see."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._repository = PresenceRepository(ctx.db, ctx.realm.id)

    async def ping(self, params: PingParams) -> PingPayload:
        """POST /users/me/presence; every client calls it once a minute."""
        await self._ctx.recheck_caller()
        if self._ctx.user.is_bot:
            raise BadRequestError("Bots have no presence.")
        if not self._is_disabled and self._ctx.user.options.presence_enabled:
            await self._note(params.status)
        if params.ping_only:
            return {}
        if params.last_update_id is not None and params.last_update_id != _KNOWS_NOTHING:
            return {**await self._list_changed(params.last_update_id)}
        is_slim = params.slim_presence or params.last_update_id is not None
        return {**await self.list_recent(is_slim=is_slim, days=params.history_limit_days)}

    async def list_recent(self, *, is_slim: bool, days: int | None = None) -> PresencesPayload:
        """The users seen in the last days, by user id or by email."""
        # The number is read first: all changes up to it are then visible to the next statement.
        last_update_id = await self._last_update_id()
        form = PresenceForm.BY_ID if is_slim else PresenceForm.BY_EMAIL
        days = USUAL_HISTORY_DAYS if days is None else days
        return {
            "server_timestamp": self._ctx.now().timestamp(),
            "presences": await self._encoded(form, days, last_update_id),
            "presence_last_update_id": last_update_id,
        }

    async def list_by_email(self) -> RealmPresencesPayload:
        """GET /realm/presence."""
        last_update_id = await self._last_update_id()
        return {
            "server_timestamp": self._ctx.now().timestamp(),
            "presences": await self._encoded(
                PresenceForm.BY_EMAIL, USUAL_HISTORY_DAYS, last_update_id
            ),
        }

    async def get(self, reference: str) -> OnePresencePayload:
        """GET /users/{user_id_or_email}/presence."""
        user = await find_user(self._ctx, reference)
        if not user.is_active:
            raise BadRequestError("No such user")
        if user.is_bot:
            raise BadRequestError("Bots have no presence.")
        seen = await self._repository.get(user.id)
        if seen.idle_at is None or self._is_disabled:
            raise BadRequestError(f"No presence data for {reference}")
        now = self._ctx.now()
        return {"server_timestamp": now.timestamp(), "presence": user_payload(seen, now)}

    async def _note(self, status: PingStatus) -> None:
        """Write only what other users could not know already."""
        ctx = self._ctx
        before = await self._repository.get(ctx.user.id)
        if before.after_ping(status, ctx.now()) == before:
            return
        # The group commit is another transaction, which may have to wait.
        await ctx.release_connection()
        email = ctx.user.api_email(ctx.realm, ctx.settings.root_domain)
        await ctx.runtime.group_committer.submit(
            ctx.realm.id,
            "presence",
            PresenceWriter(ctx.realm.id).write,
            Ping(ctx.user, email, status, ctx.now()),
            locks_realm=False,
        )

    async def _list_changed(self, last_update_id: int) -> PresencesPayload:
        newest = await self._last_update_id()
        presences = NO_PRESENCES
        if newest > last_update_id:
            visibility = await user_visibility(self._ctx)
            changed = await self._repository.list_changed(last_update_id)
            presences = encoded(
                {
                    str(user_id): moments_payload(seen)
                    for user_id, seen in changed.items()
                    if visibility.can_see_id(user_id)
                }
            )
        return {
            "server_timestamp": self._ctx.now().timestamp(),
            "presences": presences,
            # Not the client's number, which may come from before a backup was restored.
            "presence_last_update_id": newest,
        }

    async def _encoded(self, form: PresenceForm, days: int, last_update_id: int) -> Encoded:
        if not days or last_update_id == _KNOWS_NOTHING:
            return NO_PRESENCES
        visibility = await user_visibility(self._ctx)
        recent = await list_recent_presences(self._ctx, days, last_update_id)
        since = self._ctx.now() - timedelta(days=days)
        shows = None if visibility.sees_all_users else visibility.can_see_id
        return recent.joined(form, since, shows)

    async def _last_update_id(self) -> int:
        if self._is_disabled:
            return _KNOWS_NOTHING
        last = await self._repository.last_update_id(self._ctx.user.id)
        return _KNOWS_NOTHING if last is None else last

    @property
    def _is_disabled(self) -> bool:
        return self._ctx.realm.options.presence_disabled

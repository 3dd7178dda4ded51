"""Use cases: read and change user statuses."""

from msgspec.structs import replace

from chatapi.auth.context import Context, RealmContext
from chatapi.auth.users import UserRecord
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import UserId
from chatapi.features.emoji import Emoji, EmojiKind, EmojiResolver
from chatapi.features.users.presence.visibility import list_hidden_users
from chatapi.features.users.repository import UserRepository
from chatapi.features.users.settings.changes import change_settings
from chatapi.features.users.status.params import ChangeOwnStatusParams, ChangeUserStatusParams
from chatapi.features.users.status.repository import UserStatusRepository
from chatapi.features.users.status.rules import NO_EMOJI, NO_STATUS, status_changes, status_payload
from chatapi.features.users.status_events import UserStatusChanged
from chatapi.features.users.status_payloads import OneUserStatusPayload, UserStatusPayload
from chatapi.permissions.user_lookup import find_user
from chatapi.permissions.user_visibility import user_visibility, user_visible_to


class UserStatusService:
    """Reads and changes statuses, one's own or, for administrators, those of others."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._statuses = UserStatusRepository(ctx.db, ctx.realm.id)

    async def get(self, user_id: UserId) -> OneUserStatusPayload:
        """GET /users/{user_id}/status."""
        user = await find_user(self._ctx, str(user_id))
        status = await self._statuses.get(user.id)
        return {"status": status_payload(status, away=not user.options.presence_enabled)}

    async def list_seen(self) -> dict[str, UserStatusPayload]:
        """Statuses of all users whom the caller may see and who have one, or are away."""
        statuses = await list_statuses(self._ctx)
        visibility = await user_visibility(self._ctx)
        return {
            str(user_id): status
            for user_id, status in statuses.items()
            if visibility.can_see_id(user_id)
        }

    async def change_own(self, params: ChangeOwnStatusParams) -> None:
        """SPEC 4.16, POST /users/me/status."""
        if self._ctx.user.is_bot:
            raise BadRequestError("Bots have no status.")
        _check_has_news(params, away=params.away)
        await self._ctx.lock()
        news: UserStatusPayload = {}
        if params.away is not None and await change_settings(
            self._ctx, {"presence_enabled": not params.away}
        ):
            news["away"] = params.away
        await self._change(self._ctx.user, params, news)

    async def change_of(self, user_id: UserId, params: ChangeUserStatusParams) -> None:
        """POST /users/{user_id}/status; the guard admits only administrators."""
        _check_has_news(params)
        await self._ctx.lock()
        user = await UserRepository(self._ctx.db, self._ctx.realm.id).get(user_id)
        if user.is_bot:
            raise BadRequestError("Bots have no status.")
        if not user.is_active:
            raise BadRequestError("User is deactivated")
        await self._change(user, params, {})

    async def _change(
        self, user: UserRecord, params: ChangeUserStatusParams, news: UserStatusPayload
    ) -> None:
        """Change text and emoji, and emit the change together with `news`."""
        before = await self._statuses.get(user.id)
        after = before if params.status_text is None else replace(before, text=params.status_text)
        if params.emoji_name is not None:
            after = replace(after, emoji=await self._find_emoji(params.emoji_name, params))
        if after != before:
            await self._statuses.replace(user.id, after)
        news = {**news, **status_changes(before, after)}
        if news:
            self._ctx.emit(UserStatusChanged(user_id=user.id, **news), to=user_visible_to(user))

    async def _find_emoji(self, name: str, params: ChangeUserStatusParams) -> Emoji:
        if not name:
            return NO_EMOJI
        choice = EmojiResolver(self._ctx)
        kind = EmojiKind.read(params.reaction_type or None)
        emoji = await choice.find(name, params.emoji_code or None, kind)
        await choice.check(emoji)
        return emoji


async def list_statuses(ctx: RealmContext) -> dict[UserId, UserStatusPayload]:
    """Statuses of all users who have one, or are away."""
    statuses = await UserStatusRepository(ctx.db, ctx.realm.id).list_all()
    away = await list_hidden_users(ctx)
    return {
        user_id: status_payload(statuses.get(user_id, NO_STATUS), away=user_id in away)
        for user_id in sorted(statuses.keys() | away)
    }


def _check_has_news(params: ChangeUserStatusParams, *, away: bool | None = None) -> None:
    if params.emoji_name is None and (params.emoji_code or params.reaction_type):
        raise BadRequestError(
            "Client must pass emoji_name if they pass either emoji_code or reaction_type."
        )
    if params.status_text is None and params.emoji_name is None and away is None:
        raise BadRequestError("Client did not pass any new values.")

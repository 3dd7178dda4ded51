"""Use cases: mute and unmute users."""

from collections.abc import Mapping
from datetime import datetime

from chatapi.auth.context import Context
from chatapi.core.clock import unix_seconds
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import UserId
from chatapi.events.audience import Users
from chatapi.features.users.muted_users.events import MutedUsersChanged
from chatapi.features.users.muted_users.payloads import MutedUserPayload
from chatapi.features.users.muted_users.repository import MutedUserRepository
from chatapi.features.users.repository import UserRepository
from chatapi.permissions.user_visibility import user_visibility
from chatapi.read_state.events import FlagAdded
from chatapi.read_state.repository import ReadExceptionRepository


class MutedUserService:
    """Mutes and unmutes users: messages of a muted user count as read."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._repository = MutedUserRepository(ctx.db)

    async def mute(self, user_id: UserId) -> None:
        """POST /users/me/muted_users/{muted_user_id}."""
        if user_id == self._ctx.user.id:
            raise BadRequestError("Cannot mute self")
        await self._ctx.lock()
        user = await UserRepository(self._ctx.db, self._ctx.realm.id).get(user_id)
        if not (await user_visibility(self._ctx)).can_see(user):
            raise BadRequestError("No such user")
        muted = await self._repository.list_of(self._ctx.user.id)
        if user_id in muted:
            raise BadRequestError("User already muted")
        await self._repository.mute(self._ctx.user.id, user_id, self._ctx.now())
        self._emit({**muted, user_id: self._ctx.now()})
        await self._mark_read(user_id)

    async def unmute(self, user_id: UserId) -> None:
        """DELETE /users/me/muted_users/{muted_user_id}."""
        await self._ctx.lock()
        muted = await self._repository.list_of(self._ctx.user.id)
        if muted.pop(user_id, None) is None:
            raise BadRequestError("User is not muted")
        await self._repository.unmute(self._ctx.user.id, user_id)
        self._emit(muted)

    async def list_own(self) -> list[MutedUserPayload]:
        return _payload(await self._repository.list_of(self._ctx.user.id))

    async def _mark_read(self, sender_id: UserId) -> None:
        """Mark the unread messages of a sender as read."""
        reader_id = self._ctx.user.id
        unread = await self._repository.list_unread_of(reader_id, sender_id)
        if unread:
            await ReadExceptionRepository(self._ctx.db).mark_read(unread)
            message_ids = [message.message_id for message in unread]
            self._ctx.emit(FlagAdded(flag="read", messages=message_ids), to=Users.only(reader_id))

    def _emit(self, muted: Mapping[UserId, datetime]) -> None:
        self._ctx.emit_to_caller(MutedUsersChanged(muted_users=_payload(muted)))


def _payload(muted: Mapping[UserId, datetime]) -> list[MutedUserPayload]:
    return [{"id": user_id, "timestamp": unix_seconds(since)} for user_id, since in muted.items()]

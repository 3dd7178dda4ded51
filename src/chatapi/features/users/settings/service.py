"""Use case: change personal settings."""

from typing import NamedTuple

from chatapi.auth.context import Context
from chatapi.core.errors import BadRequestError
from chatapi.core.roles import EmailVisibility, Role
from chatapi.features.personal import remove_all_drafts
from chatapi.features.users.changes import (
    change_address,
    change_password,
    change_timezone,
    rename_user,
)
from chatapi.features.users.repository import UserRepository
from chatapi.features.users.rules import check_full_name, check_password
from chatapi.features.users.settings.changes import change_settings, emit_setting
from chatapi.features.users.settings.params import ChangeSettingsParams
from chatapi.features.users.settings.rules import check_timezone
from chatapi.features.users.status_events import UserStatusChanged
from chatapi.permissions.user_visibility import user_visible_to


class PasswordChange(NamedTuple):
    """A new password, and the hash against which the old one was checked."""

    old_hash: str | None
    new_hash: str


class UserSettingsService:
    """Changes a user's own settings and account."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._users = UserRepository(ctx.db, ctx.realm.id)

    async def change(self, params: ChangeSettingsParams) -> None:
        """PATCH /settings: all changes or none; only actual changes are emitted."""
        # Hash before the lock: it takes long, and other writers should not wait for it.
        password = await self._check_password(params) if params.has("new_password") else None
        await self._ctx.lock()
        if password is not None:
            await self._change_password(password)
        if params.has("full_name"):
            await self._rename(params.full_name)
        if params.has("email") or params.has("email_address_visibility"):
            await self._change_address(params)
        if params.has("timezone"):
            await self._change_timezone(params.timezone)
        await self._change_settings(params.passed_settings())

    async def _check_password(self, params: ChangeSettingsParams) -> PasswordChange:
        new_password = check_password(params.new_password, "new_password")
        old_hash = await self._users.get_password_hash(self._ctx.user.id)
        await self._ctx.release_connection()
        passwords = self._ctx.runtime.passwords
        if not await passwords.verify(params.old_password, old_hash):
            raise BadRequestError("Wrong password!")
        return PasswordChange(old_hash, await passwords.hash(new_password))

    async def _change_password(self, change: PasswordChange) -> None:
        """The API keys stay valid; they are replaced by another endpoint."""
        if await self._users.get_password_hash(self._ctx.user.id) != change.old_hash:
            raise BadRequestError("Wrong password!")
        await change_password(self._ctx, self._ctx.user, change.new_hash)

    async def _rename(self, full_name: str) -> None:
        full_name = check_full_name(full_name)
        if full_name == self._ctx.user.full_name:
            return
        if self._ctx.realm.options.name_changes_disabled and not self._is_admin:
            raise BadRequestError("Name changes are disabled in this organization.")
        await rename_user(self._ctx, self._ctx.user, full_name)

    async def _change_address(self, params: ChangeSettingsParams) -> None:
        user = self._ctx.user
        email = params.email.strip() if params.has("email") else user.delivery_email
        visibility = user.email_visibility
        if params.has("email_address_visibility"):
            visibility = EmailVisibility(params.email_address_visibility)
        if email != user.delivery_email:
            # The server cannot verify who owns an address, and must not reveal to all users whether
            # one is taken: so the request is refused before anything is looked up.
            if not self._is_admin:
                raise BadRequestError("email: Only administrators can change email addresses.")
        elif visibility is user.email_visibility:
            return
        await change_address(self._ctx, user, email, visibility)
        if visibility is not user.email_visibility:
            emit_setting(self._ctx, "email_address_visibility", visibility.value)

    async def _change_timezone(self, timezone: str) -> None:
        timezone = check_timezone(timezone)
        if timezone != self._ctx.user.timezone:
            await change_timezone(self._ctx, self._ctx.user, timezone)
            emit_setting(self._ctx, "timezone", timezone)

    async def _change_settings(self, passed: dict[str, bool | int | str]) -> None:
        changes = await change_settings(self._ctx, passed)
        if "presence_enabled" in changes:
            # Clients that show the status "away" get the change in that format.
            event = UserStatusChanged(
                user_id=self._ctx.user.id, away=not changes["presence_enabled"]
            )
            self._ctx.emit(event, to=user_visible_to(self._ctx.user))
        if changes.get("enable_drafts_synchronization") is False:
            # The server keeps no drafts of users who turn off their synchronization. No event is
            # emitted: clients keep their local drafts.
            await remove_all_drafts(self._ctx)

    @property
    def _is_admin(self) -> bool:
        return self._ctx.user.role.at_least(Role.ADMIN)

"""Use cases: change, deactivate and reactivate other users' accounts."""

from chatapi.auth.context import Context
from chatapi.auth.users import UserRecord
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import UserId
from chatapi.core.roles import Role
from chatapi.features.users.activation import deactivate_user, reactivate_user
from chatapi.features.users.bot_changes import give_bot
from chatapi.features.users.bot_rules import check_owner
from chatapi.features.users.changes import change_address, change_role, rename_user
from chatapi.features.users.people.params import ChangeUserParams, DeactivateUserParams
from chatapi.features.users.people.permissions import (
    check_can_manage,
    check_may_change,
    check_may_give_role,
)
from chatapi.features.users.profile_fields.profiles import ProfileService
from chatapi.features.users.repository import UserRepository
from chatapi.features.users.rules import check_full_name
from chatapi.permissions.user_lookup import find_user


class UserAdministration:
    """Changes to accounts by administrators, to bots by their owners, and to one's own account.

    Actor and user are read under the lock, so the decision is based on their current state.
    """

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._actor = ctx.user
        self._users = UserRepository(ctx.db, ctx.realm.id)

    async def change(self, reference: str, params: ChangeUserParams) -> None:
        """Change what was passed: all of it or nothing."""
        user = await self._find(reference)
        check_may_change(self._actor, user)
        if params.full_name is not None and check_full_name(params.full_name) != user.full_name:
            await rename_user(self._ctx, user, params.full_name)
        if params.new_email is not None:
            await self._change_address(user, params.new_email)
        if params.profile_data is not None:
            await ProfileService(self._ctx, user).set_values(params.profile_data)
        if params.role is not None and params.role != user.role:
            check_may_give_role(self._actor, user, Role(params.role))
            await change_role(self._ctx, user, Role(params.role))

    async def deactivate(self, reference: str, params: DeactivateUserParams) -> None:
        """Deactivate a user; no message or other content of the user is deleted."""
        if params.actions is not None and params.actions.asks_for_any():
            raise BadRequestError("actions: deleting what a user wrote is not supported")
        user = await self._find(reference)
        check_can_manage(self._actor, user)
        if not user.is_active:
            raise BadRequestError("User is already deactivated")
        await deactivate_user(self._ctx, user)

    async def deactivate_own(self) -> None:
        """Deactivate the caller's own account; refused for the last owner."""
        await self._ctx.lock()
        await deactivate_user(self._ctx, self._actor)

    async def reactivate(self, user_id: UserId) -> None:
        """Reactivate a user; a bot whose owner is deactivated becomes the caller's."""
        await self._ctx.lock()
        user = await self._users.get(user_id)
        check_can_manage(self._actor, user)
        if user.is_active:
            raise BadRequestError("User is already active")
        if user.is_bot:
            user = await self._with_owner(user)
        await reactivate_user(self._ctx, user)

    async def _find(self, reference: str) -> UserRecord:
        await self._ctx.lock()
        return await find_user(self._ctx, reference)

    async def _change_address(self, user: UserRecord, email: str) -> None:
        """Only owners may change an owner's address: its holder could take over the account."""
        check_can_manage(self._actor, user)
        if email.strip() != user.delivery_email:
            await change_address(self._ctx, user, email, user.email_visibility)

    async def _with_owner(self, bot: UserRecord) -> UserRecord:
        owner = None if bot.bot_owner_id is None else await self._users.find(bot.bot_owner_id)
        if owner is not None and owner.is_active:
            return bot
        return await give_bot(self._ctx, bot, check_owner(self._actor))

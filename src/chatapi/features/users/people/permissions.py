"""Which users may change which other users; pure."""

from chatapi.auth.users import UserRecord
from chatapi.core.errors import AdministratorRequiredError, BadRequestError, OwnerRequiredError
from chatapi.core.roles import Role


def check_can_manage(actor: UserRecord, user: UserRecord) -> None:
    """Administrators may manage all users except owners; owners may manage all."""
    if not actor.role.at_least(Role.ADMIN):
        raise AdministratorRequiredError
    if user.role is Role.OWNER and actor.role is not Role.OWNER:
        raise OwnerRequiredError


def check_may_change(actor: UserRecord, user: UserRecord) -> None:
    """Administrators may change all users, and users their bots; some changes require more."""
    if actor.id != user.bot_owner_id and not actor.role.at_least(Role.ADMIN):
        raise AdministratorRequiredError


def check_may_give_role(actor: UserRecord, user: UserRecord, role: Role) -> None:
    """Only owners grant and revoke the owner role; users can only lower their own role."""
    check_can_manage(actor, user)
    if role is Role.OWNER and actor.role is not Role.OWNER:
        raise OwnerRequiredError
    if actor.id == user.id and actor.role is not Role.OWNER:
        raise BadRequestError("role: You cannot change your own role")

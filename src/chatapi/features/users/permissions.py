"""Who may change whom; pure."""

from chatapi.auth.users import UserRecord
from chatapi.core.errors import AdministratorRequiredError, BadRequestError, OwnerRequiredError
from chatapi.core.roles import Role


def check_can_manage(actor: UserRecord, user: UserRecord) -> None:
    """Administrators have it over everybody but owners, who have it over all."""
    if not actor.role.at_least(Role.ADMIN):
        raise AdministratorRequiredError
    if user.role is Role.OWNER and actor.role is not Role.OWNER:
        raise OwnerRequiredError


def check_may_change(actor: UserRecord, user: UserRecord) -> None:
    """Administrators change everybody, and people their bots; of some things more is asked."""
    if actor.id != user.bot_owner_id and not actor.role.at_least(Role.ADMIN):
        raise AdministratorRequiredError


def check_may_give_role(actor: UserRecord, user: UserRecord, role: Role) -> None:
    """Only owners make owners and unmake them; of their own role people can only give it up."""
    check_can_manage(actor, user)
    if role is Role.OWNER and actor.role is not Role.OWNER:
        raise OwnerRequiredError
    if actor.id == user.id and actor.role is not Role.OWNER:
        raise BadRequestError("role: You cannot change your own role")

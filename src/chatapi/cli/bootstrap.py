"""The first start: creates an organization with an owner and a channel to talk in."""

import secrets

from msgspec import Struct

from chatapi.audit.entries import AuditSource
from chatapi.auth.context import RealmContext
from chatapi.auth.realm_rows import RealmRows
from chatapi.auth.runtime import Runtime
from chatapi.cli.errors import InvalidSettingsError
from chatapi.core.errors import BadRequestError
from chatapi.core.roles import Role
from chatapi.core.settings import Settings
from chatapi.features.realm import SubdomainTakenError, add_first_channel, add_organization
from chatapi.features.users import NewUser, add_user, check_email

ORGANIZATION_NAME = "Chat"
OWNER_NAME = "Owner"
_PASSWORD_BYTES = 12


class InitialOwner(Struct, frozen=True):
    """The only copy of the first owner's secrets."""

    email: str
    password: str
    api_key: str


async def create_first_organization(runtime: Runtime) -> InitialOwner | None:
    """Returns None if an organization exists, or another process is just creating one."""
    async with runtime.reading() as db:
        if await RealmRows(db).count_realms():
            return None
    password = secrets.token_urlsafe(_PASSWORD_BYTES)
    password_hash = await runtime.passwords.hash(password)
    email = _owner_email(runtime.settings)
    owner = NewUser(email, OWNER_NAME, Role.OWNER, password_hash)
    try:
        # One transaction, so that there is never an organization without an owner.
        async with runtime.begin() as work:
            realm = await add_organization(
                work, runtime.clock.now(), ORGANIZATION_NAME, source=AuditSource.SERVER
            )
            ctx = RealmContext.without_request(runtime, work, realm)
            created = await add_user(ctx, owner)
            await add_first_channel(ctx, created.user)
    except SubdomainTakenError:
        return None
    return InitialOwner(email, password, created.api_key)


def _owner_email(settings: Settings) -> str:
    """The address from the settings, checked before anything is created."""
    try:
        return check_email(settings.first_owner_email, settings.root_domain)
    except BadRequestError as error:
        raise InvalidSettingsError(f"CHATAPI_FIRST_OWNER_EMAIL: {error.msg}") from error

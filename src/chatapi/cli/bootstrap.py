"""The first start: creates an organization with an owner, so that a new server can be used."""

import secrets
from dataclasses import dataclass

from chatapi.auth.realm_rows import RealmRows
from chatapi.auth.runtime import Runtime
from chatapi.cli.operator import operator_context
from chatapi.core.roles import Role
from chatapi.features.realm import (
    SubdomainTakenError,
    add_organization,
)
from chatapi.features.users import (
    NewUser,
    add_user,
)

ORGANIZATION_NAME = "Chat"
OWNER_NAME = "Owner"
OWNER_EMAIL = "owner@example.com"
_PASSWORD_BYTES = 12


@dataclass(frozen=True)
class InitialOwner:
    """The only copy of the first owner's secrets."""

    email: str
    password: str
    api_key: str


async def create_first_organization(runtime: Runtime) -> InitialOwner | None:
    """Returns None if an organization exists, or another process is just creating one."""
    work = runtime.begin()
    try:
        if await RealmRows(work.db).count_realms():
            return None
        password = secrets.token_urlsafe(_PASSWORD_BYTES)
        password_hash = await runtime.passwords.hash(password)
        realm = await add_organization(work, runtime.clock.now(), ORGANIZATION_NAME)
        created = await add_user(
            operator_context(runtime, work, realm),
            NewUser(OWNER_EMAIL, OWNER_NAME, Role.OWNER, password_hash),
        )
        # One transaction, so that there is never an organization without an owner.
        await work.commit()
    except SubdomainTakenError:
        return None
    finally:
        await work.db.close()
    return InitialOwner(OWNER_EMAIL, password, created.api_key)
